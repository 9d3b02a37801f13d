"""Learn from, predict for and explain several tables with keys: the option --with and its companions."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from unless.cli.console import Screen
from unless.cli.file_io import write_document
from unless.cli.loading import match_label
from unless.cli.options import complete_columns, data_option
from unless.errors import ParameterError, UnknownNameError, suggest
from unless.evaluation.metrics import evaluate_decider, quality_text
from unless.export.json import to_dict
from unless.model import Model as FittedModel
from unless.rule import Program
from unless.values import count_text, label_to_json

if TYPE_CHECKING:
    from unless.estimators.learners import Learner
    from unless.estimators.split_by import SplitBy
    from unless.evaluation.metrics import Quality
    from unless.relational import Part, RelationalProgram, Relations
    from unless.table import Labels, Table
    from unless.values import Label

_WITH = (
    "A table of parts and the column that links it to DATA, or to another table: orders.csv:customer_id, "
    "items.csv:order_id@orders (repeat)."
)


_TIME = (
    "The column with the time of each record, such as when; with --with, orders.date is the time of each order, and "
    "parts later than their record are ignored (repeat)."
)


@dataclass(frozen=True, slots=True)
class RelationOptions:
    """The options for tables whose rows belong to records."""

    related: Annotated[list[str] | None, data_option("FILE:COLUMN", _WITH, "--with")] = None
    key: Annotated[
        str | None, data_option("COLUMN", "With --with: the column of DATA that identifies its records.", "--key")
    ] = None
    times: Annotated[list[str] | None, data_option("COLUMN", _TIME, "--time", complete=complete_columns)] = None
    until: Annotated[
        str | None,
        data_option(
            "COLUMN",
            "With --with: like --time, to ignore later parts, but without splitting the records by time.",
            "--until",
        ),
    ] = None

    def split_times(self) -> tuple[RelationOptions, str | None]:
        """Separate the column with the moment of DATA's records, by which they are split, from the times of parts.

        With --with, this moment also says which parts are ignored, as --until does.
        """
        own = [one for one in self.times or () if not self.related or "." not in one]
        moments = list(dict.fromkeys([*own, *([self.until] if own and self.until is not None else [])]))
        if len(moments) > 1:
            raise typer.BadParameter(
                f"{moments[0]!r} and {moments[1]!r} cannot both be the moment of a record; name one",
                param_hint="--time",
            )
        times = [one for one in self.times or () if one not in own] or None
        until = moments[0] if moments and self.related else self.until
        return replace(self, times=times, until=until), moments[0] if moments else None

    def check(self) -> bool:
        """Return whether --with gives several tables; reject options that have no effect without it."""
        others = {"--key": self.key, "--time": self.times, "--until": self.until}
        if not self.related and (lone := next((name for name, value in others.items() if value), None)):
            raise typer.BadParameter("it needs --with", param_hint=lone)
        if self.related and self.key is None:
            raise typer.BadParameter(
                "name the column of DATA that identifies its records: --key customer_id", param_hint="--with"
            )
        return bool(self.related)

    def read(
        self, data: str, target: str | None = None, name: str | None = None, apart: Sequence[str] = ()
    ) -> Relations:
        """Read the tables, without the columns ``apart`` of DATA."""
        from unless.read.table import read_table
        from unless.relational import Relations
        from unless.relational.phrases import noun

        if data == "-":
            raise ParameterError("with --with, DATA must be a file, not standard input")
        given, _ = self.split_times()
        main = read_table(data).to_polars()
        main = main.drop([one for one in apart if one not in (self.key, target, given.until)], strict=False)
        drop = [target] if target is not None and target not in main.columns else []
        return Relations(
            main,
            self.key or "",
            given._parts(),  # noqa: SLF001 - of this class
            target=None if drop else target,
            until=given.until,
            name=name or noun(_stem(data)),
        )

    def read_labelled(self, data: str, target: str, name: str | None = None, apart: Sequence[str] = ()) -> Relations:
        """Read the tables; reject DATA without the column of labels."""
        relations = self.read(data, target, name, apart)
        if relations.target is None:
            raise UnknownNameError(f"{data} has no column {target!r}{suggest(target, relations.main.columns)}")
        return relations

    def _parts(self) -> dict[str, Part]:
        """Return the tables of parts by name, each with its own key if other tables link to it."""
        from unless.read.table import read_table
        from unless.relational import Part
        from unless.relational.phrases import noun

        specs = {_stem(path): (path, link, parent) for path, link, parent in map(_split, self.related or ())}
        if len(specs) < len(self.related or ()):
            raise ParameterError("two tables of --with have the same name; rename one of the files")
        times = self._times(specs)
        parts: dict[str, Part] = {}
        for name, (path, link, parent) in specs.items():
            frame = read_table(path).to_polars()
            linked = next((other for _, other, above in specs.values() if above == name), None)
            own = [one for one in (linked, f"{noun(name)}_id", "id") if one is not None and one in frame.columns]
            unique = [one for one in own if one == linked or (one != link and frame[one].n_unique() == frame.height)]
            parts[name] = Part(frame, link, next(iter(unique), None), parent, times.get(name))
        return parts

    def _times(self, specs: dict[str, Any]) -> dict[str, str]:
        found = {}
        for text in self.times or ():
            table, _, column = text.partition(".")
            if table not in specs or not column:
                raise UnknownNameError(
                    f"--time {text!r} is not TABLE.COLUMN of a table of --with{suggest(table, specs)}"
                )
            found[table] = column
        return found


def refuse_single(given: Mapping[str, bool]) -> None:
    """Reject options that apply only to a single table, by what they are called."""
    if what := next((name for name, there in given.items() if there), None):
        raise typer.BadParameter(f"{what} apply to a single table only; leave them out", param_hint="--with")


def size_text(relations: Relations) -> str:
    """Return the number of records, and of rows of each table of parts."""
    tables = ", ".join(f"{name} {part.table.height:,}" for name, part in relations.parts.items())
    return f"{count_text(len(relations), 'record')}, with {tables}"


def _stem(path: str) -> str:
    return Path(path).name.split(".")[0]


def _split(text: str) -> tuple[str, str, str | None]:
    """Split into the file, the linking column, and the table that it links to (None for DATA)."""
    path, _, rest = text.rpartition(":")
    link, _, parent = rest.partition("@")
    if not path or not link:
        raise typer.BadParameter(f"{text!r} is not FILE:COLUMN, such as orders.csv:customer_id", param_hint="--with")
    return path, link, parent or None


# Learning.


@dataclass(frozen=True, slots=True)
class RelatedFit:
    """What was learned from several tables, and its test on the individuals held back."""

    model: FittedModel
    relations: Relations
    learned: int
    tested: Quality | None
    usual: Label
    baseline: float

    @property
    def text(self) -> str:
        """The rules in words; for a committee, the rules of the list that imitates it."""
        from unless.relational.rule_text import program_text

        return program_text(decider_of_relations(self.model))

    def to_dict(self) -> dict[str, Any]:
        """Convert the result for JSON."""
        from unless.estimators.model_file import document

        tested = self.tested
        return {
            "target": self.model.program.target,
            "records": len(self.relations),
            "tables": {name: part.table.height for name, part in self.relations.parts.items()},
            "rules": self.text.split("\n"),
            "program": to_dict(self.model.program),
            "test": tested
            and {"records": tested.records, "right": tested.right, "accuracy": tested.accuracy, "f1": tested.f1},
            "baseline": self.baseline,
            "usual": label_to_json(self.usual),
            "model": document(self.model),
        }


def decider_of_relations(model: FittedModel | Program) -> RelationalProgram:
    """Return the rules of a model with the definitions of their features."""
    from unless.relational import RelationalProgram

    if isinstance(model, Program) or model.relations is None:
        raise ParameterError("the model was learned from one table; leave out --with")
    return RelationalProgram(model.program, model.relations)


def fit_relations(
    relations: Relations, learner: Learner, labels: Labels, test: float, seed: int, by: SplitBy | None = None
) -> RelatedFit:
    """Learn from the individuals that are not held back, and test on those held back."""
    from unless.estimators.learners import learn
    from unless.estimators.relational_input import as_table, read_relations
    from unless.estimators.split_by import with_groups
    from unless.evaluation.validation import draw_holdout

    held = draw_holdout(labels, test, seed) if by is None else by.held_back(labels, test, seed)
    rows, others = np.flatnonzero(~held), np.flatnonzero(held)
    data, _ = read_relations(learner, relations[rows], None, None)
    data = replace(data, table=with_groups(data.table, None if by is None else by.of_rows(rows)))
    model = learn(learner, data).model
    counts = np.bincount(labels.codes[rows], minlength=len(labels.labels))
    usual = int(np.argmax(counts))
    tested = None
    if len(others):
        table: Table = as_table(model, relations[others])
        tested = evaluate_decider(model.decider, _labelled(table, labels, others))
    baseline = float((labels.codes[others] == usual).mean()) if len(others) else 0.0
    return RelatedFit(model, relations, len(rows), tested, labels.labels[usual], baseline)


def _labelled(table: Table, labels: Labels, rows: np.ndarray[Any, Any]) -> Table:
    return replace(table, target=replace(labels, codes=labels.codes[rows]))


def show_related_fit(screen: Screen, fitted: RelatedFit) -> None:
    """Show the tables, the rules, and the test."""
    if not screen.quiet:
        screen.show(size_text(fitted.relations), "")
    screen.show(*fitted.text.split("\n"))
    if fitted.tested is not None:
        tested = count_text(fitted.tested.records, "record")
        screen.show("", f"test: {quality_text(tested, fitted.tested, fitted.usual, fitted.baseline)}")


# Predicting.


def predict_relations(
    model: FittedModel | Program, relations: Relations, output: str, prefix: str = ""
) -> dict[str, int]:
    """Write the main table with each record's label, probability and rule; print the number of each label."""
    import polars as pl

    from unless.estimators.relational_input import as_table
    from unless.model.prediction import decide

    if isinstance(model, Program):
        raise ParameterError("the file has only rules; predict from several tables with the model that fit wrote")
    table: Table = as_table(model, relations)
    decided = decide(model.decider, table)
    heads = model.decider.heads
    labels = [heads[choice] for choice in decided.choices.tolist()]
    new: dict[str, Any] = {"predicted": labels}
    shares = model.probabilities(table, decided)
    if shares is not None:
        new["probability"] = np.round(shares.max(axis=1), 6)
    if model.decider.by_rule:
        rules = len(model.program.rules)
        new["rule"] = [choice + 1 if 0 <= choice < rules else None for choice in decided.choices.tolist()]
    columns = [pl.Series(f"{prefix}{name}", values, strict=False) for name, values in new.items()]
    found = relations.main[relations.rows.tolist()].with_columns(columns)
    _write(found, output)
    return {str(label): labels.count(label) for label in dict.fromkeys(labels)}


def _write(frame: Any, output: str) -> None:
    """Write a frame in the format of the file extension; CSV by default."""
    if output.endswith((".parquet", ".arrow")):
        from unless.files import write_whole

        held = io.BytesIO()
        (frame.write_parquet if output.endswith(".parquet") else frame.write_ipc)(held)
        write_whole(output, held.getvalue())
    elif output.endswith(".jsonl"):
        write_document(frame.write_ndjson(), output)
    else:
        write_document(frame.write_csv(separator="\t" if output.endswith(".tsv") else ","), output)


# Elsewhere.


def related_text(model: FittedModel | Program, to: str, dialect: str | None) -> str | None:
    """Write a model of several tables as SQL or for a logic engine; return None for other models and languages."""
    if isinstance(model, Program) or model.relations is None or to not in ("sql", "clingo", "prolog", "scasp"):
        return None
    from unless.logic.relational_clingo import relational_to_clingo
    from unless.logic.relational_prolog import relational_to_prolog
    from unless.relational.sql import relational_to_sql

    chosen: Any = dialect
    decider = decider_of_relations(model)
    if to == "sql":
        names = ", ".join(f'"{name}"' for name, _ in decider.used.relations)
        remark = f"-- Each relation is a table or a view with columns a1, a2: {names}; individuals has x1.\n"
        return f"{remark}{relational_to_sql(decider, chosen or 'duckdb')};\n"
    return (
        relational_to_clingo(decider) if to == "clingo" else relational_to_prolog(decider, None, chosen or _PROLOG[to])
    )


_PROLOG: dict[str, Any] = {"prolog": "swi", "scasp": "scasp"}


# Explaining.


def explain_relations(
    screen: Screen,
    model: FittedModel | Program,
    options: RelationOptions,
    data: str | None,
    rows: Sequence[tuple[int, int]],
    why_not: str | None,
    *,
    json: bool,
) -> None:
    """Show why records get their labels, with the parts that decide."""
    from unless.relational.explanation import explain_individual
    from unless.relational.explanation import why_not as why_not_of

    if data is None:
        raise typer.BadParameter("with --with, only DATA, --row, --why-not and --json are allowed", param_hint="--with")
    decider = decider_of_relations(model)
    relations = options.read(data, name=decider.features.root[0])
    wanted = [row for first, last in rows for row in range(first - 1, last)] or list(range(len(relations)))
    if wrong := next((row for row in wanted if not 0 <= row < len(relations)), None):
        raise ParameterError(f"{data} has {count_text(len(relations), 'record')}, so no record {wrong + 1}")
    world = relations.world(decider.features.kinds)
    found = [explain_individual(decider, world, row) for row in wanted]
    if json:
        screen.data({"target": decider.program.target, "records": [one.to_dict() for one in found]})
        return
    for index, one in enumerate(found):
        text = str(one)
        if why_not is not None:
            label = match_label(decider.program.labels, why_not, "no rule gives the label")
            text = why_not_of(decider, world, wanted[index], label)
        screen.show(*[""] * bool(index), *text.split("\n"))


def related_sources(options: RelationOptions) -> Sequence[str]:
    """Return the files of --with."""
    return [_split(one)[0] for one in options.related or ()]
