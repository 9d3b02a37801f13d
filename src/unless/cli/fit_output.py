"""What was learned from a file: the result of `unless fit`, as JSON and on the screen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unless.cli.console import Screen
from unless.cli.data_options import FileOptions
from unless.cli.inspect import remark_table
from unless.cli.layout import MARGIN, command_line, duration, report_line, shell_word
from unless.cli.plot import trade_off_plot
from unless.cli.show import RuleTable, committee_line, locked_numbers, numbered
from unless.cli.training_data import TrainingTable
from unless.estimators.model_file import document
from unless.evaluation.metrics import Quality, quality_of, tested_text, usual_quality
from unless.explanation.words import printable
from unless.inspection import Remark
from unless.model import HoldoutResult
from unless.model import Model as FittedModel
from unless.values import count_text, label_to_json, percent


@dataclass(frozen=True, slots=True)
class FitResult:
    """What was learned, from which data and how fast; the model knows how it did on records held back, if any were."""

    data: str
    model: FittedModel
    training: TrainingTable
    seconds: float
    held_back: tuple[int, ...]
    """The numbers of the records held back, counted from 1."""
    interrupted: bool = False
    remarks: tuple[Remark, ...] = ()
    """What looks wrong with the records or the rules."""
    why_none: str = ""
    """Why no record was held back, if some were to be."""

    @property
    def locked(self) -> tuple[int, ...]:
        """The numbers of the rules that were locked, counted from 1."""
        return locked_numbers(self.model)

    @property
    def tested(self) -> HoldoutResult | None:
        """What the records held back have shown."""
        return self.model.tested

    @property
    def _trade_off(self) -> dict[str, Any] | None:
        found = self.model.trade_off
        return None if found is None else found.to_dict()

    def to_dict(self) -> dict[str, Any]:
        """Return the result for JSON; ``model`` is the content of a model file."""
        statistics, program = self.model.statistics, self.model.program
        figures = zip(program.rules, statistics.support.tolist(), statistics.right.tolist(), strict=False)
        expected = map(statistics.expectation, range(len(program.rules)))
        return {
            "data": self.data,
            "target": program.target,
            "records": self.training.records,
            "features": list(program.features),
            "left_out": [remark.to_dict() for remark in self.training.left_out],
            "remarks": [remark.to_dict() for remark in self.remarks],
            "seconds": self.seconds,
            "interrupted": self.interrupted,
            "locked": list(self.locked),
            "rules": [
                {"label": label_to_json(rule.head), "rule": str(rule), "decided": decided, "right": right, **more}
                for (rule, decided, right), more in zip(figures, expected, strict=True)
            ],
            "test": self.tested and _measures(quality_of(self.tested), self.tested.interval),
            "baseline": self.tested and _measures(usual_quality(self.tested)),
            "trade_off": self._trade_off,
            "model": document(self.model),
        }


def _measures(found: Quality, between: tuple[float, float] | None = None) -> dict[str, Any]:
    names = ("records", "right", "undecided", "accuracy", "precision", "recall", "f1")
    measures = {name: getattr(found, name) for name in names}
    return measures if between is None else {**measures, "interval": list(between)}


def present(screen: Screen, fitted: FitResult, most: int | None = None) -> None:
    """Show what was learned: the data, the rules (no more than ``most``), the test."""
    program = fitted.model.program
    rules, exceptions = count_text(len(program), "rule"), count_text(program.exception_count, "exception")
    summary = f"{rules} with {exceptions} in {duration(fitted.seconds)}{_ended(fitted)}"
    if fitted.model.committee is not None:
        summary = f"{count_text(len(fitted.model.committee), 'list')} in {duration(fitted.seconds)}{_ended(fitted)}"
    if not screen.quiet:
        screen.show(report_line(_name(fitted), fitted.training.size, _margin(fitted)))
        for name, text in (("learned", summary), *_lessons(fitted.model), *_locked(fitted)):
            screen.show(report_line(name, text, _margin(fitted)))
        screen.show("")
    if fitted.model.committee is not None:
        screen.show(committee_line(fitted.model), "")
    screen.show(RuleTable(program, fitted.model.statistics, most=most))
    if not screen.quiet:
        screen.show("")
    if fitted.model.trade_off is not None:
        screen.show(trade_off_plot(fitted.model.trade_off), "")
    screen.show(report_line("test", _test(fitted), _margin(fitted)))
    if (remarks := remark_table(fitted.remarks)) is not None:
        screen.note(remarks)


def _lessons(model: FittedModel) -> Iterator[tuple[str, str]]:
    """Say which settings were chosen, and what taught the list."""
    if model.tuned is not None:
        yield "tuned", ", ".join(f"{name.replace('_', ' ')} {value:g}" for name, value in model.tuned.items())
    if model.distillation is not None:
        agreed, records = percent(model.distillation.agreement), count_text(model.distillation.records, "record")
        yield "taught", f"by a {model.distillation.teacher}; both agree on {agreed} of {records} held back"


def _locked(fitted: FitResult) -> Iterator[tuple[str, str]]:
    """Say which rules were locked."""
    if fitted.locked:
        yield "locked", numbered(fitted.locked)


def _ended(fitted: FitResult) -> str:
    """Return why the learning ended early, if it did."""
    limits, program = fitted.model.parameters, fitted.model.program
    if fitted.interrupted:
        return ", then interrupted: these are the rules so far"
    if fitted.model.committee is None and limits["max_rules"] is not None and len(program) >= limits["max_rules"]:
        return ", as many as --max-rules allows"
    if limits["max_seconds"] is not None and fitted.seconds >= limits["max_seconds"]:
        return ", then the time of --max-seconds was up"
    return ""


def _name(fitted: FitResult) -> str:
    return "standard input" if fitted.data == "-" else printable(Path(fitted.data).name or fitted.data)


def _margin(fitted: FitResult) -> int:
    """Return the width of the first column: that of the name of the data, within reason."""
    return max(MARGIN, min(len(_name(fitted)), 30))


def _test(fitted: FitResult) -> str:
    """Say how the rules do on the records held back, and how always saying the same would do."""
    if fitted.why_none:
        return f"no records are held back: {fitted.why_none}"
    if fitted.tested is None:
        return "no records were held back; to see how good such rules are: unless evaluate"
    return tested_text(fitted.tested)


def say_next(screen: Screen, fitted: FitResult, output: str | None, file: FileOptions) -> None:
    """Say what to do with the model, in commands that run as they are."""
    from unless.blocks.inputs import is_database

    if output == "-":
        return
    screen.out.file.flush()
    if output is None:
        screen.note(command_line("not saved", "add -o model.json", _margin(fitted)))
        return
    data, model, row = shell_word(fitted.data), shell_word(output), (*fitted.held_back, 1)[0]
    commands = [f"unless explain {model} {data} --row {row}{file.words}", f"unless report {model} {data}{file.words}"]
    if fitted.data == "-" or (fitted.training.blocks is not None and is_database(fitted.data)):
        commands = [f"unless show {model}"]  # there is no file to take records from
    for place, command in enumerate(commands):
        screen.note(command_line("" if place else "next", command, _margin(fitted)))
