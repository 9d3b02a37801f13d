"""Plan which columns of a source to read, and how, from the caller, an earlier table or a model."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from unless.errors import ParameterError, UnknownNameError, suggest
from unless.read.cells import Cells
from unless.read.column_inference import ColumnSpec, Declared, infer_column
from unless.read.csv_records import TITLE_HINT, separator_hint
from unless.read.headers import refuse_twins
from unless.read.options import ReadOptions, check_names
from unless.read.source import Source
from unless.rule import Program
from unless.table import Column, Kind, Schema, SpecialCodes, Table
from unless.values import DEFAULT_MISSING, EARLIER_MISSING, missing_among
from unless.values.notation import Amounts, DateNotation, Notation

_DECLARED: Mapping[Kind, Declared] = {"text": "categorical", "number": "numeric", "mixed": "numeric"}
_SHOWN = 6  # names shown in a line
_TITLE = 2  # a title above a table may look like this many columns


@dataclass(frozen=True, slots=True)
class ColumnPlan:
    """A plan of what to read: features with their declarations, the target, and the texts for missing cells."""

    features: Mapping[str, Declared]
    target: str | None = None
    missing: tuple[str, ...] = DEFAULT_MISSING
    given: bool = False
    """Whether the caller gave the texts that mean missing cells, so that they apply to frames too."""
    known: Mapping[str, Column] = field(default_factory=dict)
    """The columns of an earlier table, with known values."""
    notations: Mapping[str, Notation] = field(default_factory=dict)
    """The notations of the numbers of some features."""
    like_training: bool = False
    """Whether this table is read like an earlier table."""
    spelled: bool = False
    """Whether all cells are text, as in a text file."""
    filed: bool = False
    """Whether a file is read, so that texts for missing cells apply to typed cells too."""
    parts: Mapping[str, str | None] = field(default_factory=dict)
    """The columns of dates that are replaced by their parts."""
    special: Mapping[str, SpecialCodes] = field(default_factory=dict)
    """The numbers of some features that name a category."""

    @property
    def missing_texts(self) -> tuple[str, ...]:
        """The texts that stand for a missing cell in this source."""
        return self.missing if self.spelled or self.given or self.filed else ()

    def load(self, source: Source, texts: Iterable[str] = (), more: Sequence[str] = ()) -> None:
        """Load the cells to read, and those in ``more``; the columns in ``texts`` are loaded as text."""
        as_text = [name for name, kind in self.features.items() if kind == "categorical" or self._needs_text(name)]
        labelled = [] if self.target is None else [self.target]
        source.load(
            [*self.features, *labelled, *more], list(dict.fromkeys([*as_text, *texts, *labelled])), self.missing_texts
        )

    def column(self, name: str, cells: Cells) -> Column:
        """Turn the cells of a column into a feature (`infer_column`)."""
        known, missing = self.known.get(name), self.missing_texts
        if known is not None and not self.spelled and not self.given:  # a value in training stays a value
            texts = known.categories
            missing = tuple(one for one in missing if missing_among(texts, [one]).isdisjoint(texts))
        spec = ColumnSpec(name, self.features[name], missing, self.spelled, known, self.notations.get(name))
        return infer_column(cells, replace(spec, like_training=self.like_training, special=self.special.get(name, ())))

    def describe_columns(self, columns: Iterable[Column]) -> str:
        """Write a remark about the formats and units detected in columns."""
        new = set() if self.like_training else {column.name for column in columns if column.name not in self.notations}
        forms = defaultdict[str, list[str]](list)
        for column in columns:
            match column.notation if column.name in new else None:
                case DateNotation(format=str(form)):
                    forms[f"dates in {{}} are read as {form}"].append(column.name)
                case Amounts(unit=unit):
                    forms[f"numbers in {{}} have the unit {unit!r}"].append(column.name)
        return "; ".join(said.replace("{}", _join_names(names), 1) for said, names in forms.items())

    def _needs_text(self, name: str) -> bool:
        """Whether a feature must be read as text, since its numbers are not plain numbers."""
        notation, known = self.notations.get(name), self.known.get(name)
        return (notation is not None and not notation.plain) or (known is not None and bool(known.categories))


def _join_names(names: Sequence[str]) -> str:
    """List the names of columns, or the first few of many."""
    more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    return f"{', '.join(map(repr, names[:_SHOWN]))}{more}"


def plan_columns(
    source: Source,
    options: ReadOptions,
    target: str | None = None,
    *,
    features: Sequence[str] | None = None,
    like: object = None,
) -> ColumnPlan:
    """Plan what to read from a source; ``target``, ``features`` and ``like`` are as in `read_table`."""
    refuse_twins(source.names)
    names = dict.fromkeys(source.names)  # with 40,000 columns, looking names up in a list takes 10 s
    try:
        plan = _choose_columns(names, _earlier_plan(like), target, check_names("features", features), options)
        filed = source.filed and plan.missing != EARLIER_MISSING
        plan = replace(plan, spelled=source.spelled, filed=filed, parts=getattr(source, "formats", {}))
        plan = _declare_kinds(plan, names, options.numeric or (), options.categorical or ())
        plan = _declare_notations(plan, names, options.notations)
        return _declare_special(plan, names, options.special or {})
    except UnknownNameError as error:
        raise UnknownNameError(f"{error}{_where_else(source)}") from None


def _where_else(source: Source) -> str:
    """Hint at where a column may be that a source lacks: in another sheet, or below a title."""
    if "sheet" in source.remarks.said:
        return f" ({source.remarks.said})"
    titled = source.spelled and len(source.names) <= _TITLE and separator_hint(source.names) is None
    return f"; {TITLE_HINT}" if titled else ""


def _earlier_plan(like: object) -> ColumnPlan | None:
    """Return the plan by which an earlier table, or the table of a model, was read."""
    if like is None:
        return None
    if isinstance(like, Program):
        return _plan_like_program(like)
    schema = schema_of(like)
    if schema is None:
        raise ParameterError(f"like= takes a program, a table or a model, not {type(like).__name__} {like!r:.60}")
    kinds = {name: _DECLARED[kind] for name, kind in schema.kinds.items()}
    missing = tuple(schema.missing)
    table = like if isinstance(like, Table) else getattr(like, "domain", Table(()))
    known = {column.name: column for column in table.columns}
    given = missing not in (DEFAULT_MISSING, EARLIER_MISSING)
    return ColumnPlan(kinds, schema.target, missing, given, known, schema.notations, special=schema.special)


def schema_of(like: object) -> Schema | None:
    """Return the schema of a table or a model; None for anything else."""
    schema = like if isinstance(like, Schema) else getattr(like, "schema", None)
    return schema if isinstance(schema, Schema) else None


def _plan_like_program(program: Program) -> ColumnPlan:
    """Derive a plan from the literals of a program; a feature only tested for missing cells stays undeclared."""
    kinds: dict[str, Declared] = dict.fromkeys(program.used)
    named: dict[str, set[str]] = defaultdict(set)
    for literal in (literal for literal in program.literals() if literal.value is not None):
        numeric = literal.op in ("<=", ">") or kinds[literal.feature] == "numeric"
        kinds[literal.feature] = "numeric" if numeric else "categorical"
        named[literal.feature].update([literal.value] if isinstance(literal.value, str) else ())
    # A program shows only its tests, not that 0 was False in training, or 1 d the text P1D.
    known = {
        feature: Column(feature, "mixed", np.empty(0), tuple(sorted(texts)), np.empty(0, np.uint8))
        for feature, texts in named.items()
        if texts and kinds[feature] == "numeric"
    }
    # A cell that the program tests was a value in training; for any other cell, missing gives the same literals.
    tested = set[str]().union(*named.values())
    missing = tuple(token for token in DEFAULT_MISSING if not tested & missing_among(tested, [token]))
    return ColumnPlan(kinds, program.target, missing, known=known, notations=program.notations)


def _choose_columns(
    names: Mapping[str, object],
    earlier: ColumnPlan | None,
    target: str | None,
    features: Sequence[str] | None,
    options: ReadOptions,
) -> ColumnPlan:
    """Choose which columns to read, before ``numeric=`` and ``categorical=`` are applied."""
    like = earlier or ColumnPlan({})
    if target is not None:
        target = _check_name(str(target), names)
    elif like.target in names and like.target not in (features or ()):
        target = like.target
    if features is None:
        features = [name for name in names if name != target] if earlier is None else list(like.features)
    if target is not None and target in features:
        raise ParameterError(f"{target!r} is the target, so it cannot be among the features")
    missing, given = like.missing, like.given
    if options.missing is not None:
        missing, given = tuple(options.missing), options.missing != DEFAULT_MISSING
    kinds = {_check_name(name, names): like.features.get(name) for name in features}
    return ColumnPlan(
        kinds, target, missing, given, like.known, like.notations, earlier is not None, special=like.special
    )


def _declare_kinds(
    plan: ColumnPlan, names: Mapping[str, object], numeric: Sequence[str], categorical: Sequence[str]
) -> ColumnPlan:
    """Add the kinds that the caller declares to the plan; columns that are not read may be declared too."""
    kinds, numbers, texts = dict(plan.features), set(numeric), set(categorical)
    for name in (*numeric, *categorical):
        if _check_name(name, names) == plan.target:
            raise ParameterError(f"{name!r} is the target: only features are declared numeric or categorical")
        if name in numbers and name in texts:
            raise ParameterError(f"{name!r} is declared both numeric and categorical; leave it in one of them")
        if name in kinds:
            kinds[name] = "numeric" if name in numbers else "categorical"
    return replace(plan, features=kinds)


def _declare_notations(plan: ColumnPlan, names: Mapping[str, object], declared: Mapping[str, Notation]) -> ColumnPlan:
    """Add the notations that the caller declares for some columns."""
    for name in declared:
        if _check_name(name, names) == plan.target:
            raise ParameterError(f"{name!r} is the target: only features have dates= or orders=")
        kind = plan.features.get(name)
        if kind is not None and name not in plan.notations:
            raise ParameterError(f"{name!r} is declared both {kind} and by dates= or orders=; remove one of the two")
    return replace(plan, notations={**plan.notations, **declared})


def _declare_special(plan: ColumnPlan, names: Mapping[str, object], special: Mapping[str, SpecialCodes]) -> ColumnPlan:
    """Add the special codes that the caller declares; their columns have numbers."""
    kinds = dict(plan.features)
    for name in special:
        if _check_name(name, names) == plan.target:
            raise ParameterError(f"{name!r} is the target: only features have special codes")
        if kinds.get(name) == "categorical" or name in plan.notations:
            how = "categorical" if kinds.get(name) == "categorical" else "by dates= or orders="
            raise ParameterError(f"{name!r} is declared {how}, but special codes are numbers; leave one out")
        if name in kinds:
            kinds[name] = "numeric"
    return replace(plan, features=kinds, special={**plan.special, **special})


def _check_name(name: str, names: Mapping[str, object]) -> str:
    if name not in names:
        hint = separator_hint(list(names))
        raise UnknownNameError(f"no column {name!r}{f'; {hint}' if hint else suggest(name, names)}")
    return name
