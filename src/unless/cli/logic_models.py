"""Show and write rules that were learned from logic programs."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from rich.text import Text

from unless.cli.console import Screen
from unless.cli.loading import source_name
from unless.errors import ProgramError
from unless.evaluation.metrics import quality_text
from unless.export.json import to_dict
from unless.export.json_text import layout
from unless.logic import Hypothesis, RelationalHypothesis
from unless.values import Label, count_text, label_to_json

_NO_RULE = "no rule was found: nothing in B tells one label from the others; try more examples, or another --depth"
_MOST = 5
"""The maximum number of left-out items shown."""


def relational_text(found: RelationalHypothesis, output: str) -> str:
    """Write a relational model in the language of the file extension; clingo by default."""
    match Path(output).suffix:
        case ".json":
            return layout(found.to_dict()) + "\n"
        case ".pl":
            return found.to_prolog()
        case ".sql":
            return found.to_sql() + ";\n"
        case ".txt":
            return found.to_text() + "\n"
    return found.to_clingo()


def show_relational(screen: Screen, found: RelationalHypothesis, background: list[str]) -> None:
    """Show relational rules, their accuracy, and what the search left out."""
    for line in found.to_text().split("\n") if found.program.rules else [f"% {_NO_RULE}"]:
        screen.show(Text(line))
    known = " and ".join(map(source_name, background))
    right = f"% with {known}: right on {found.right} of {count_text(len(found.individuals), 'example')}"
    for comment in (right, f"% test: {trial_text(found)}"):
        screen.show(Text(comment, "dim", no_wrap=True))
    if found.left_out:
        more = f" and {len(found.left_out) - _MOST} more" if len(found.left_out) > _MOST else ""
        screen.note(f"left out of the search: {'; '.join(found.left_out[:_MOST])}{more}")


def relational_document(found: RelationalHypothesis) -> dict[str, object]:
    """Convert relational rules to JSON, with the label that they give each example."""
    try:
        clingo = found.to_clingo()
    except ProgramError:  # numbers that its 32 bits do not hold
        clingo = None
    return {
        "rules": found.to_text().split("\n"),
        "clingo": clingo,
        "program": to_dict(found.program),
        "features": found.features.to_dict(),
        "examples": labels_document(found.individuals, found.examples, found.entailed),
        "right": found.right,
        "left_out": list(found.left_out),
        "searched": found.searched,
        "test": trial_document(found),
    }


def trial_text(found: Hypothesis | RelationalHypothesis) -> str:
    """Summarise how the rules, and the baseline of one constant label, perform on the examples held back."""
    if (trial := found.trial) is None:
        return f"none of the {count_text(len(found.individuals), 'example')} was held back"
    return quality_text(
        count_text(len(trial.individuals), "example"), trial.quality, trial.usual, trial.baseline.accuracy
    )


def trial_document(found: Hypothesis | RelationalHypothesis) -> dict[str, object] | None:
    """Convert the test on examples held back to JSON."""
    if (trial := found.trial) is None:
        return None
    measures = {name: getattr(trial.quality, name) for name in ("right", "undecided", "accuracy", "f1")}
    examples = labels_document(trial.individuals, trial.labels, trial.entailed)
    return {"examples": examples, **measures, "baseline": trial.baseline.accuracy}


def labels_document(
    individuals: Iterable[str], labels: Iterable[Label], entailed: Iterable[Label | None]
) -> list[dict[str, object]]:
    """Convert individuals with their true labels and the labels that rules give them to JSON."""
    return [
        {"individual": one, "label": label_to_json(label), "entailed": label_to_json(found)}
        for one, label, found in zip(individuals, labels, entailed, strict=True)
    ]
