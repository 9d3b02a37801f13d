"""`unless learn`: learn rules from background knowledge and examples, both in logic programs."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated
from typing import Literal as OneOf

import typer
from rich.text import Text

from unless.cli.console import Screen
from unless.cli.file_io import check_file_conflicts, standard_input, write_document
from unless.cli.layout import shell_word
from unless.cli.loading import source_name
from unless.cli.options import Json, Output, Positive, Quiet, Seed, flag_option, value_option
from unless.evaluation.metrics import test_result_text
from unless.export.clauses import Style
from unless.export.json import to_dict
from unless.logic import Hypothesis, learn_logic
from unless.logic.background import Source
from unless.logic.learning import Algorithm
from unless.values import Label, count_text, label_to_json

_ALGORITHMS: dict[str, Algorithm] = {"fold-rm": "fold_rm", "fold-rpp": "fold_rpp", "unless": "fold_unless"}

_NO_RULE = (
    "no rule was found: no predicate distinguishes one label from the others; describe the examples further in the "
    "background, or try another --ratio or --algorithm"
)


def learn(
    background: Annotated[
        list[str], typer.Argument(metavar="BACKGROUND", help="What is known: .lp files, or - for standard input.")
    ],
    examples: Annotated[str, typer.Argument(metavar="EXAMPLES", help="The examples: an .lp file of facts.")],
    *,
    target: Annotated[
        str, value_option("PREDICATE", "What to learn, such as habitat for habitat(kitty,land).", "--target", "-t")
    ],
    output: Output = None,
    exclusive: Annotated[
        bool, flag_option("Print rules whose order does not matter, as -o writes them.", "--exclusive")
    ] = False,
    algorithm: Annotated[OneOf["fold-rm", "fold-rpp", "unless"], flag_option("The learner.")] = "fold-rm",
    ratio: Annotated[float, value_option("X", "Wrong examples that a rule may cover per right one.", low=0)] = 0.5,
    positive: Positive = None,
    features: Annotated[
        list[str] | None, value_option("PREDICATE", "Learn from this predicate, such as age or age/2 (repeat, or a,b).")
    ] = None,
    ignore: Annotated[
        list[str] | None, value_option("PREDICATE", "Do not learn from this predicate (repeat, or a,b).")
    ] = None,
    test: Annotated[
        float | None,
        value_option(
            "SHARE",
            "Hold back this share of the examples to test on.  [default: 0.2, if there are 20 or more]",
            low=0,
            high=0.99,
        ),
    ] = None,
    seed: Seed = 0,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Learn rules from background knowledge and examples, and test them on examples held back.

    With -o, write a program that clingo runs together with the background.

    Example: unless learn zoo.lp examples.lp --target habitat -o habitat.lp
    """
    if (algorithm == "fold-rpp") != (positive is not None):
        wants = (
            "fold-rpp learns rules for one label; name it" if positive is None else f"{algorithm} has no such option"
        )
        raise typer.BadParameter(wants, param_hint="--positive")
    check_file_conflicts(output, *background, examples)
    screen = Screen(quiet=quiet, aside=output == "-")
    with screen.busy(f"learning {target}"):
        found = learn_logic(
            [_logic_source(one) for one in background],
            _logic_source(examples),
            target,
            ratio,
            algorithm=_ALGORITHMS[algorithm],
            positive=_parse_label(positive),
            features=None if features is None else _split_predicates(features),
            ignore=_split_predicates(ignore or ()),
            test=test,
            seed=seed,
        )
    if output is not None:
        write_document(found.to_clingo(), output)
    if json:
        screen.data(_hypothesis_to_json(found))
    else:
        _show_hypothesis(screen, found, background, exclusive=exclusive)
    if output not in (None, "-"):
        files = [shell_word(one) for one in (*background, output) if one is not None]
        screen.note(f"wrote {output}; run it: clingo {' '.join(files)}")


def _logic_source(argument: str) -> Source:
    return standard_input("learn - … < zoo.lp").read() if argument == "-" else Path(argument)


def _split_predicates(given: Iterable[str]) -> list[str]:
    return [name.strip() for text in given for name in text.split(",")]


def _parse_label(text: str | None) -> str | int | None:
    """Return a label that is spelled as in a logic program: ``1`` is a number, ``"1"`` a text."""
    if text is None:
        return None
    if text.removeprefix("-").isdecimal():
        return int(text)
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text


def _show_hypothesis(screen: Screen, found: Hypothesis, background: list[str], *, exclusive: bool) -> None:
    """Show the rules and, in comments, how good they are: what is printed is a logic program."""
    for line in _rule_lines(found, "exclusive" if exclusive else "paper") or [f"% {_NO_RULE}"]:
        screen.show(Text(line))
    known = " and ".join(map(source_name, background))
    form = ", mutually exclusive" if exclusive else "; --exclusive prints rules whose order does not matter"
    entails = f"% with {known}: entails {found.right} of {len(found.individuals)} examples (clingo)"
    for comment in (f"{entails}, stratified{form}" if _rule_lines(found) else entails, f"% test: {_test_text(found)}"):
        screen.show(Text(comment, "dim", no_wrap=True))  # a comment ends with its line
    if found.left_out:
        names = f"{' and '.join(found.left_out)} {'is' if len(found.left_out) == 1 else 'are'}"
        reason = "every value belongs to one example only"
        screen.note(f"{names} not used: {reason}; add a rule that says what they have in common")


def _rule_lines(found: Hypothesis, style: Style = "paper") -> list[str]:
    """Return the lines of the rules, none if nothing was learned."""
    text = found.to_text(style)
    return text.split("\n") if text else []


def _test_text(found: Hypothesis) -> str:
    """Say how the rules do on the examples held back, and how always saying the same would do."""
    if (trial := found.trial) is None:
        return f"none of the {count_text(len(found.individuals), 'example')} was held back"
    return test_result_text(
        count_text(len(trial.individuals), "example"), trial.quality, trial.usual, trial.baseline.accuracy
    )


def _hypothesis_to_json(found: Hypothesis) -> dict[str, object]:
    return {
        "rules": _rule_lines(found),
        "clingo": found.to_clingo(),
        "program": to_dict(found.program),
        "examples": _labels_to_json(found.individuals, found.examples, found.entailed),
        "right": found.right,
        "left_out": list(found.left_out),
        "test": _trial_to_json(found),
    }


def _trial_to_json(found: Hypothesis) -> dict[str, object] | None:
    if (trial := found.trial) is None:
        return None
    measures = {name: getattr(trial.quality, name) for name in ("right", "undecided", "accuracy", "f1")}
    examples = _labels_to_json(trial.individuals, trial.labels, trial.entailed)
    return {"examples": examples, **measures, "baseline": trial.baseline.accuracy}


def _labels_to_json(
    individuals: Iterable[str], labels: Iterable[Label], entailed: Iterable[Label | None]
) -> list[dict[str, object]]:
    return [
        {"individual": one, "label": label_to_json(label), "entailed": label_to_json(found)}
        for one, label, found in zip(individuals, labels, entailed, strict=True)
    ]
