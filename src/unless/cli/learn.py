"""`unless learn`: rules from background knowledge and examples, both logic programs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from typing import Literal as OneOf

import typer

from unless.cli.console import Screen
from unless.cli.options import Json, Quiet
from unless.cli.outputs import Output, shell_word, write_document
from unless.errors import ParameterError

if TYPE_CHECKING:
    from unless.logic import Hypothesis
    from unless.logic.background import Source
    from unless.logic.learn import Algorithm

__all__ = ["learn"]

_ALGORITHMS: dict[str, Algorithm] = {"fold-rm": "fold_rm", "fold-rpp": "fold_rpp", "unless": "fold_unless"}


def learn(  # noqa: PLR0913 - its options
    background: Annotated[
        list[str], typer.Argument(metavar="BACKGROUND", help="What is known: .lp files; or - for standard input.")
    ],
    examples: Annotated[str, typer.Argument(metavar="EXAMPLES", help="The examples: an .lp file of facts.")],
    *,
    target: Annotated[
        str, typer.Option("--target", "-t", metavar="PREDICATE", help="What to learn: habitat, of habitat(kitty,land).")
    ],
    output: Output = None,
    exclusive: Annotated[
        bool, typer.Option("--exclusive", help="Print rules that need no order, as the file has them.")
    ] = False,
    algorithm: Annotated[OneOf["fold-rm", "fold-rpp", "unless"], typer.Option(help="How to learn.")] = "fold-rm",
    ratio: Annotated[
        float, typer.Option(metavar="X", min=0, help="Wrong examples that a default may cover per right one.")
    ] = 0.5,
    positive: Annotated[
        str | None, typer.Option(metavar="LABEL", help="The label that fold-rpp learns rules for.")
    ] = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Learn rules from background knowledge; what is written with -o runs beside it in clingo.

    Example: unless learn zoo.lp examples.lp --target habitat -o habitat.lp
    """
    from unless.logic import learn_logic  # noqa: PLC0415 - a command imports what it needs when it runs

    if (algorithm == "fold-rpp") != (positive is not None):
        wants = (
            "fold-rpp learns rules for one label; name it" if positive is None else f"{algorithm} has no such option"
        )
        raise typer.BadParameter(wants, param_hint="--positive")
    if [*background, examples].count("-") > 1:
        raise ParameterError("- is standard input, which can be read only once; give the others as files")
    screen = Screen(quiet=quiet, aside=output == "-")
    with screen.busy(f"learning {target}"):
        found = learn_logic(
            [_source(one) for one in background],
            _source(examples),
            target,
            ratio,
            algorithm=_ALGORITHMS[algorithm],
            positive=_label(positive),
        )
    if output is not None:
        write_document(found.to_clingo(), output)
    if json:
        screen.data(_document(found))
    else:
        _show(screen, found, background, exclusive=exclusive)
    if output not in (None, "-"):
        files = [shell_word(one) for one in (*background, output) if one is not None]
        screen.note(f"wrote {output}; run it: clingo {' '.join(files)}")


def _source(argument: str) -> Source:
    if argument != "-":
        return Path(argument)
    if sys.stdin.isatty():
        raise ParameterError("- is standard input, but nothing is piped into it: unless learn - … < zoo.lp")
    return sys.stdin.read()


def _label(text: str | None) -> str | int | None:
    """A label as logic programs spell it: ``1`` is a number, ``"1"`` a text."""
    if text is None:
        return None
    if text.removeprefix("-").isdecimal():
        return int(text)
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text


def _show(screen: Screen, found: Hypothesis, background: list[str], *, exclusive: bool) -> None:
    """The rules, and what they are worth, in a comment: what is printed is still a logic program."""
    from rich.text import Text  # noqa: PLC0415

    for line in found.to_text("exclusive" if exclusive else "paper").split("\n"):
        screen.show(Text(line))
    known = " and ".join("standard input" if one == "-" else one for one in background)
    form = "mutually exclusive form" + ("" if exclusive else " with --exclusive")
    entails = f"% with {known}: entails {found.right} of {len(found.individuals)} examples (clingo)"
    screen.show(Text(f"{entails}, stratified, {form}", "dim"))


def _document(found: Hypothesis) -> dict[str, object]:
    from unless.export.json import to_dict  # noqa: PLC0415
    from unless.proof.data import label_data  # noqa: PLC0415

    labels = zip(found.individuals, found.examples, found.entailed, strict=True)
    return {
        "rules": found.to_text("paper").split("\n"),
        "clingo": found.to_clingo(),
        "program": to_dict(found.program),
        "examples": [
            {"individual": one, "label": label_data(label), "entailed": label_data(entailed)}
            for one, label, entailed in labels
        ],
        "right": found.right,
    }
