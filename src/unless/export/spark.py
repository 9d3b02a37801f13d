"""Predict in Spark: write the decisions of a model as columns of a Spark frame.

The rules are one expression of Spark's own SQL (`sql`), so no Python runs on the executors, nothing has to be installed
there, and Spark compiles the conditions like any others: on one core, 1,500,000 records of Parquet took 1.9 s,
and 17 s by `mapInArrow` and `predict`. `spark_cells` defines how cells are read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from unless.errors import ParameterError, suggest
from unless.export.conditions import decisions, writer_for
from unless.export.free_names import free_names
from unless.export.sql import What, decision_node, prepare_writer, text_writer
from unless.model import Model, decider_of, tests_of
from unless.model.prediction import Decider
from unless.rule import Program
from unless.score.committee import Committee
from unless.score.score_decider import ScoreDecider

from sqlglot import exp  # isort: skip - without it, `sql` has said how to get it
from unless.export import committee_sql
from unless.export.spark_cells import read_columns
from unless.export.sql_tree import DOUBLE, TEXT, WHOLE, cast

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_COLUMNS: dict[What, str] = {"label": "predicted", "rule": "rule", "because": "because"}
_TYPES = {str: TEXT, bool: exp.DataType(this=exp.DataType.Type.BOOLEAN), int: WHOLE, float: DOUBLE}


def to_spark(model: Decider | Model, frame: DataFrame, what: What = "label") -> Column:
    """Write the decisions of a model as a column of Spark, for a frame that has the columns of the model.

    ``what`` is ``label``, the result of `predict`, NULL for None; ``rule``, the number of the deciding
    rule, from 1, NULL if no rule decides; ``because``, a sentence with the record's values as Spark writes them;
    or ``probability``, for a model with two labels the probability of the second.

    The types of the frame's columns determine how cells are read, as in `read_table`. A model that Spark cannot decide
    exactly like `predict` is rejected.
    """
    if not decider_of(model).by_rule:
        raise ParameterError("many rules of a committee decide, in several steps; take predict_spark(model, frame)")
    if what not in (*_COLUMNS, "probability"):
        raise ParameterError(f"no column for {what!r}{suggest(str(what), [*_COLUMNS, 'probability'])}")
    return _SparkFrame(model, frame).column(what)


def predict_spark(
    model: Decider | Model, frame: DataFrame, what: What | Sequence[What] | None = None, prefix: str = ""
) -> DataFrame:
    """Add the decisions of a model to a Spark frame: ``predicted``, ``rule`` and ``because``; see `to_spark`.

    ``what`` is one or several of ``label``, ``rule`` and ``because``. For a committee there is only ``predicted``.
    ``prefix`` comes before the names of the new columns, and a number is appended to a name that is taken, as in
    `predict_file`.
    """
    write = writer_for(
        model,
        "columns of Spark",
        {
            Program: lambda _, own, names: own.add_decisions(names),
            Committee: lambda committee, own, names: own.add_vote(committee, names["label"]),
            ScoreDecider: lambda decider, own, names: own.add_choice(decider, names["label"]),
        },
    )
    known = tuple(_COLUMNS) if decider_of(model).by_rule else ("label",)
    whats = ([what] if isinstance(what, str) else what) or known
    for one in whats:
        if one not in known:
            raise ParameterError(f"no column for {one!r}{suggest(str(one), known)}")
    own, taken = _SparkFrame(model, frame), [name.lower() for name in frame.columns]
    names = dict(zip(whats, free_names([prefix + _COLUMNS[one] for one in whats], taken), strict=True))
    found: DataFrame = write(own, names)
    return found


class _SparkFrame:
    """A Spark frame, with a writer for conditions on its columns."""

    def __init__(self, model: Decider | Model, frame: DataFrame) -> None:
        fields = getattr(getattr(frame, "schema", None), "fields", None)
        if fields is None or not hasattr(frame, "withColumns"):
            raise ParameterError(
                f"expected a Spark frame, not {type(frame).__name__}; model.predict takes other frames"
            )
        self._model, self.frame, self._rules = model, frame, tests_of(model)
        kinds, self._cells = read_columns(model, self._rules, fields)
        _, engine, self._writer = prepare_writer(model, "spark", kinds)
        self._text = text_writer(engine, self._rules)

    def column(self, what: What) -> Column:
        """Return a column with the decisions of the model."""
        found = decision_node(self._model, what, self._writer)
        if what == "rule":
            found = cast(found, WHOLE)
        return self._column(self._cast_label(found) if what == "label" else found)

    def add_decisions(self, names: Mapping[What, str]) -> DataFrame:
        """Add the results of the rules to the frame, in columns of these names."""
        return self.frame.withColumns({name: self.column(one) for one, name in names.items()})

    def add_choice(self, decider: ScoreDecider, name: str) -> DataFrame:
        """Add the label that points or costs decide; of a committee, its points must be added up first."""
        if isinstance(decider.score, Committee) or decider.thresholds is None:
            raise ParameterError(
                f"a {decider.noun} cannot be written as columns of Spark, unless it is a list with two labels and the "
                "same costs for all records; take SQL, Python or ONNX"
            )
        return self.frame.withColumn(name, self.column("label"))

    def add_vote(self, committee: Committee, name: str) -> DataFrame:
        """Add the label that a committee votes for: deciding rules first, their points, then the label."""
        taken = {one.lower() for one in (*self.frame.columns, name)}
        lists = free_names([f"list_{number + 1}" for number in range(len(committee))], taken)
        points = free_names([f"points_{number + 1}" for number in range(len(committee.classes))], taken)
        rules = map(self._column, committee_sql.deciding(committee, partial(decisions, writer=self._writer)))
        sums = map(self._column, committee_sql.sums(committee, lists))
        label = committee_sql.leading(points, [self._writer.label(one) for one in committee.classes])
        decided = self.frame.withColumns(dict(zip(lists, rules, strict=True)))
        summed = decided.withColumns(dict(zip(points, sums, strict=True)))
        return summed.withColumn(name, self._column(self._cast_label(label))).drop(*lists, *points)

    def _cast_label(self, found: exp.Expression) -> exp.Expression:
        """Give a label its type, whichever labels occur."""
        kind = next((type(label) for label in decider_of(self._model).heads if label is not None), str)
        return cast(found, _TYPES[kind])

    def _column(self, found: exp.Expression) -> Column:
        """Return an expression as a column, with the cells as the model reads them."""
        from pyspark.sql.functions import expr

        read = found.transform(self._read, copy=False)
        return expr(self._text(read))

    def _read(self, node: exp.Expression) -> exp.Expression:
        known = isinstance(node, exp.Column) and node.this.quoted and self._cells.get(node.name)
        return known.copy() if isinstance(known, exp.Expression) else node
