"""`unless learn`: learn rules from background knowledge and examples, both given as logic programs."""

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
from unless.cli.logic_models import (
    labels_document,
    relational_document,
    relational_text,
    show_relational,
    trial_document,
    trial_text,
)
from unless.cli.options import Json, Output, Positive, Quiet, Seed, flag_option, value_option
from unless.export.clauses import Style
from unless.export.json import dumps, to_dict
from unless.logic import Hypothesis, RelationalHypothesis, learn_logic
from unless.logic.background import Source
from unless.logic.relational_learning import Algorithm

_ALGORITHMS: dict[str, Algorithm] = {"fold-rm": "fold_rm", "fold-rpp": "fold_rpp", "unless": "fold_unless"}

_NO_RULE = (
    "no rule was found: no predicate distinguishes one label from the others; describe the examples further in the "
    "background, or try another --ratio or --algorithm"
)


def learn(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE",
            help="The background files, then the examples: .pl or .lp, or - for standard input. Or a folder with "
            "both: bk.pl and exs.pl.",
        ),
    ],
    *,
    target: Annotated[
        str | None,
        value_option(
            "PREDICATE",
            "The predicate to learn, such as habitat for habitat(kitty,land), if the examples have several.",
            "--target",
            "-t",
        ),
    ] = None,
    output: Output = None,
    exclusive: Annotated[
        bool, flag_option("Print rules whose order does not matter, as -o writes them.", "--exclusive")
    ] = False,
    algorithm: Annotated[
        OneOf["fold-rm", "fold-rpp", "unless"] | None,
        flag_option("The learner.  [default: unless where B has relations, else fold-rm]", "--algorithm", "--learner"),
    ] = None,
    ratio: Annotated[
        float, value_option("X", "The number of wrong examples that a rule may cover per right one.", low=0)
    ] = 0.5,
    positive: Positive = None,
    features: Annotated[
        list[str] | None, value_option("PREDICATE", "Learn from this predicate, such as age or age/2 (repeat, or a,b).")
    ] = None,
    ignore: Annotated[
        list[str] | None,
        value_option("PREDICATE", "Do not learn from this predicate, or argument: atm/5.4 (repeat, or a,b)."),
    ] = None,
    arguments: Annotated[
        int | None,
        value_option(
            "N",
            "The number of arguments that identify an individual: 2 for a pair.  [default: from the examples]",
            low=1,
        ),
    ] = None,
    types: Annotated[
        list[str] | None,
        value_option("TEXT", "Types of arguments, if the inferred types are wrong: 'size/2: piece, number' (repeat)."),
    ] = None,
    depth: Annotated[
        int,
        value_option(
            "N", "At most this many relations from an individual to a part; 0 for its own predicates only.", low=0
        ),
    ] = 2,
    strict: Annotated[
        bool, flag_option("Reject facts with variables; otherwise they are left out.", "--strict")
    ] = False,
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

    Examples are pos(f(x)) and neg(f(x)), or f(x,label); f may be about pairs. Conditions on parts are searched for, as
    in: f if it has a car that is long. With -o, write a program that clingo runs together with the background; if the
    rules test parts, the extension sets the format: model.json, rules.lp (clingo), rules.pl (Prolog), rules.sql.

    Example: unless learn zoo.lp examples.lp --target habitat -o habitat.lp
    """
    if (algorithm == "fold-rpp") != (positive is not None):
        wants = (
            "fold-rpp learns rules for one label; name it"
            if positive is None
            else f"{algorithm or 'the default learner'} has no such option"
        )
        raise typer.BadParameter(wants, param_hint="--positive")
    background, examples = _split(files)
    check_file_conflicts(output, *background, *([] if examples is None else [examples]))
    screen = Screen(quiet=quiet, aside=output == "-")
    with screen.busy(f"learning {target or 'rules'}"):
        found = learn_logic(
            Path(background[0]) if examples is None else [_logic_source(one) for one in background],
            None if examples is None else _logic_source(examples),
            target,
            ratio,
            algorithm=None if algorithm is None else _ALGORITHMS[algorithm],
            positive=_parse_label(positive),
            features=None if features is None else _split_predicates(features),
            ignore=_split_predicates(ignore or ()),
            arguments=arguments,
            types=types or (),
            depth=depth,
            strict=strict,
            test=test,
            seed=seed,
        )
    if output is not None:
        write_document(_written(found, output), output)
    if json:
        screen.data(_hypothesis_to_json(found) if isinstance(found, Hypothesis) else relational_document(found))
    elif isinstance(found, Hypothesis):
        _show_hypothesis(screen, found, background, exclusive=exclusive)
    else:
        show_relational(screen, found, background)
    if output not in (None, "-"):
        screen.note(f"wrote {output}{_how_to_run(found, background, output)}")


def _split(files: list[str]) -> tuple[list[str], str | None]:
    """Split the files into the background and the examples; a single folder contains both."""
    if len(files) > 1:
        return files[:-1], files[-1]
    if not Path(files[0]).is_dir():
        raise typer.BadParameter("missing: unless learn background.pl examples.pl", param_hint="EXAMPLES")
    return files, None


def _written(found: Hypothesis | RelationalHypothesis, output: str) -> str:
    """Write what was learned in the language of the file extension."""
    if isinstance(found, RelationalHypothesis):
        return relational_text(found, output)
    return f"{dumps(found.program)}\n" if output.endswith(".json") else found.to_clingo()


def _how_to_run(found: Hypothesis | RelationalHypothesis, background: list[str], output: str | None) -> str:
    """Return the command that runs a clingo program together with the background."""
    if isinstance(found, RelationalHypothesis) or str(output).endswith(".json"):
        return ""
    files = [shell_word(one) for one in (*background, output) if one is not None]
    return f"; run it: clingo {' '.join(files)}"


def _logic_source(argument: str) -> Source:
    return standard_input("learn - … < zoo.lp").read() if argument == "-" else Path(argument)


def _split_predicates(given: Iterable[str]) -> list[str]:
    return [name.strip() for text in given for name in text.split(",")]


def _parse_label(text: str | None) -> str | int | None:
    """Parse a label written as in a logic program: ``1`` is a number, ``"1"`` a text."""
    if text is None:
        return None
    if text.removeprefix("-").isdecimal():
        return int(text)
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text


def _show_hypothesis(screen: Screen, found: Hypothesis, background: list[str], *, exclusive: bool) -> None:
    """Print the rules as a logic program, with their accuracy in comments."""
    for line in _rule_lines(found, "exclusive" if exclusive else "paper") or [f"% {_NO_RULE}"]:
        screen.show(Text(line))
    known = " and ".join(map(source_name, background))
    form = ", mutually exclusive" if exclusive else "; --exclusive prints rules whose order does not matter"
    entails = f"% with {known}: entails {found.right} of {len(found.individuals)} examples (clingo)"
    for comment in (f"{entails}, stratified{form}" if _rule_lines(found) else entails, f"% test: {trial_text(found)}"):
        screen.show(Text(comment, "dim", no_wrap=True))  # a comment ends with its line
    if found.left_out:
        names = f"{' and '.join(found.left_out)} {'is' if len(found.left_out) == 1 else 'are'}"
        reason = "every value belongs to one example only"
        screen.note(f"{names} not used: {reason}; add a rule that says what they have in common")


def _rule_lines(found: Hypothesis, style: Style = "paper") -> list[str]:
    """Return the lines of the rules; empty if nothing was learned."""
    text = found.to_text(style)
    return text.split("\n") if text else []


def _hypothesis_to_json(found: Hypothesis) -> dict[str, object]:
    return {
        "rules": _rule_lines(found),
        "clingo": found.to_clingo(),
        "program": to_dict(found.program),
        "examples": labels_document(found.individuals, found.examples, found.entailed),
        "right": found.right,
        "left_out": list(found.left_out),
        "test": trial_document(found),
    }
