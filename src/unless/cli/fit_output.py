"""Show the result of `unless fit` as JSON and on the screen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unless.cli.console import Screen
from unless.cli.data_options import FileOptions
from unless.cli.inspect import render_remarks
from unless.cli.layout import MARGIN, command_line, duration_text, labelled_line, shell_word
from unless.cli.period_tests import plot_periods
from unless.cli.plot import plot_trade_off
from unless.cli.show import RuleTable, locked_numbers
from unless.cli.training_data import TrainingTable
from unless.estimators.model_file import document
from unless.evaluation.metrics import Quality, baseline_quality, holdout_quality, holdout_text
from unless.explanation.rule_listing import imitation_title, rule_numbers
from unless.explanation.words import printable
from unless.inspection import Remark
from unless.model import Model as FittedModel
from unless.score.score_decider import committee_of
from unless.values import attributes_to_json, count_text, label_to_json, percent


@dataclass(frozen=True, slots=True)
class FitResult:
    """What was learned, from which data and how fast; the model contains its test on the records held back, if any."""

    data: str
    model: FittedModel
    training: TrainingTable
    seconds: float
    held_back: tuple[int, ...]
    """The numbers of the records held back, counted from 1."""
    interrupted: bool = False
    remarks: tuple[Remark, ...] = ()
    """Warnings about the records or the rules."""
    why_none: str = ""
    """Why no record was held back although a test was requested."""

    @property
    def name(self) -> str:
        """The name of the data."""
        return "standard input" if self.data == "-" else printable(Path(self.data).name or self.data)

    def to_dict(self) -> dict[str, Any]:
        """Convert the result for JSON; ``model`` is the content of a model file."""
        statistics, program, tested = self.model.statistics, self.model.program, self.model.tested
        figures = zip(program.rules, statistics.support.tolist(), statistics.right.tolist(), strict=False)
        expected = map(statistics.expectation, range(len(program.rules)))
        return {
            "data": self.data,
            "target": program.target,
            "records": self.training.records,
            "features": list(program.features),
            "left_out": [remark.to_dict() for remark in self.training.left_out],
            **attributes_to_json(self, "remarks", "seconds", "interrupted"),
            "locked": locked_numbers(self.model),
            "rules": [
                {"label": label_to_json(rule.head), "rule": str(rule), "decided": decided, "right": right, **more}
                for (rule, decided, right), more in zip(figures, expected, strict=True)
            ],
            "test": tested and _quality_to_json(holdout_quality(tested), tested.interval),
            "baseline": tested and _quality_to_json(baseline_quality(tested)),
            **({} if tested is None or tested.costs is None else {"costs": tested.costs.to_dict()}),
            **attributes_to_json(self.model, "trade_off"),
            **({"periods": [one.to_dict() for one in self.model.periods]} if self.model.periods else {}),
            "model": document(self.model),
        }


def _quality_to_json(found: Quality, between: tuple[float, float] | None = None) -> dict[str, Any]:
    measures = attributes_to_json(found, "records", "right", "undecided", "accuracy", "precision", "recall", "f1")
    return measures if between is None else {**measures, "interval": list(between)}


def show_fit_result(screen: Screen, fitted: FitResult, most: int | None = None) -> None:
    """Show what was learned: the data, the rules (at most ``most``), and the test."""
    model = fitted.model
    if not screen.quiet:
        for about, text in ((fitted.name, fitted.training.size), *_learning_lines(fitted)):
            screen.show(labelled_line(about, text, _first_column_width(fitted)))
        screen.show("")
    if title := imitation_title(model):
        screen.show(title, "")
    screen.show(RuleTable(model.program, model.statistics, most=most))
    if not screen.quiet:
        screen.show("")
    if model.trade_off is not None:
        screen.show(plot_trade_off(model.trade_off), "")
    if model.periods:
        screen.show(plot_periods(model.periods, blocks=screen.out.encoding.startswith("utf")), "")
    screen.show(labelled_line("test", _test_text(fitted), _first_column_width(fitted)))
    for line in _cost_lines(fitted):
        screen.show(labelled_line("costs", line, _first_column_width(fitted)))
    if (remarks := render_remarks(fitted.remarks)) is not None:
        screen.note(remarks)


def _learning_lines(fitted: FitResult) -> Iterator[tuple[str, str]]:
    """Write what was learned and how fast, the chosen settings, the teacher of the list, and the locked rules."""
    model = fitted.model
    found = f"{count_text(len(model.program), 'rule')} with {count_text(model.program.exception_count, 'exception')}"
    if committee_of(model.decider) is not None:
        found = count_text(len(model.decider.lists), "list")
    yield "learned", f"{found} in {duration_text(fitted.seconds)}{_why_ended(fitted)}"
    if model.tuned is not None:
        yield "tuned", ", ".join(f"{name.replace('_', ' ')} {value:g}" for name, value in model.tuned.items())
    if model.distillation is not None:
        agreed, records = percent(model.distillation.agreement), count_text(model.distillation.records, "record")
        yield "taught", f"by a {model.distillation.teacher}; both agree on {agreed} of {records} held back"
    if model.locked:
        yield "locked", rule_numbers(locked_numbers(model))


def _why_ended(fitted: FitResult) -> str:
    """Explain why the learning ended early, if it did."""
    limits, program, alone = fitted.model.parameters, fitted.model.program, fitted.model.decider.by_rule
    if fitted.interrupted:
        return ", then interrupted: these are the rules so far"
    if alone and limits["max_rules"] is not None and len(program) >= limits["max_rules"]:
        return ", as many as --max-rules allows"
    if limits["max_seconds"] is not None and fitted.seconds >= limits["max_seconds"]:
        return ", then the time of --max-seconds was up"
    return ""


def _first_column_width(fitted: FitResult) -> int:
    """Return the width of the first column, which fits the name of the data, up to 30 letters."""
    return max(MARGIN, min(len(fitted.name), 30))


def _test_text(fitted: FitResult) -> str:
    """Summarise how the rules, and the baseline of one constant label, perform on the records held back."""
    if fitted.why_none:
        return f"no records are held back: {fitted.why_none}"
    if fitted.model.tested is None:
        return "no records were held back; to see how good such rules are: unless evaluate"
    return holdout_text(fitted.model.tested)


def _cost_lines(fitted: FitResult) -> Iterator[str]:
    """Write what the decisions on the records held back cost, and how many were passed on."""
    tested = fitted.model.tested
    if tested is not None and tested.costs is not None:
        yield from tested.costs.lines()


def suggest_next_commands(screen: Screen, fitted: FitResult, output: str | None, file: FileOptions) -> None:
    """Suggest what to do with the model, as commands that can be run unchanged."""
    from unless.blocks.inputs import is_database

    if output == "-":
        return
    screen.out.file.flush()
    if output is None:
        screen.note(command_line("not saved", "add -o model.json", _first_column_width(fitted)))
        return
    data, model, row = shell_word(fitted.data), shell_word(output), (*fitted.held_back, 1)[0]
    commands = [f"unless explain {model} {data} --row {row}{file.words}", f"unless report {model} {data}{file.words}"]
    if fitted.data == "-" or (fitted.training.blocks is not None and is_database(fitted.data)):
        commands = [f"unless show {model}"]  # standard input cannot be read again
    for place, command in enumerate(commands):
        screen.note(command_line("" if place else "next", command, _first_column_width(fitted)))
