"""The content of model files as types, from which checks, errors and ``program.schema.json`` are derived.

Fields have the names of `unless.model.Model`; ``name`` gives the key in files if it is different.
"""

from __future__ import annotations

from typing import Annotated, Any
from typing import Literal as OneOf

from msgspec import UNSET, Meta, Struct, UnsetType, field

from unless.export.document_checks import LARGEST, Finite, LabelData
from unless.export.program_schema import (
    UNIQUE,
    LiteralData,
    NotationData,
    NotationPair,
    ProgramData,
    RuleData,
    UniqueTexts,
)
from unless.relational.program import FeaturesData
from unless.score.score_card import MOST_POINTS
from unless.table import Kind
from unless.table.holdout_split import LARGEST_SALT, PARTS, SAMPLE

COMMITTEE = "unless-committee"
"""The format of a file that contains a committee."""
COMMITTEE_VERSION = 1
MOST_RECORDS = 1 << 53
_MOST_VOTES = 2**31 - 1

Share = Annotated[float, Meta(ge=0, le=1)]
Count = Annotated[float, Meta(ge=0, le=1e200)]
Records = Annotated[int, Meta(ge=0, le=MOST_RECORDS)]
Points = list[Annotated[int, Meta(ge=-MOST_POINTS, le=MOST_POINTS)]]
Votes = list[Annotated[int, Meta(ge=-_MOST_VOTES, le=_MOST_VOTES)]]
Classes = Annotated[list[LabelData], Meta(min_length=1)]
SettingsData = list[tuple[str, Count]]
SeenValues = tuple[str, Annotated[list[Finite], Meta(max_length=2)], UniqueTexts]
PeriodData = tuple[str, Records, Records, Records, Records, Records, Share | None]
ChoiceData = tuple[SettingsData, Count, Records, Records]


SpecialColumn = tuple[str | int, Annotated[list[tuple[Finite, Annotated[str, Meta(min_length=1)]]], Meta(min_length=1)]]


class ColumnsData(Struct, kw_only=True):
    """Columns as they were read: an object with kinds, missing and named."""

    kinds: list[tuple[str, Kind]]
    notations: list[NotationPair] = []
    typed: UniqueTexts = []
    missing: list[str]
    parts: list[tuple[str, str | None]] = []
    special: list[SpecialColumn] = []
    named: bool
    values: list[SeenValues] = []
    missing_counts: list[tuple[str, Count]] | UnsetType = field(default=UNSET, name="gaps")
    relations: FeaturesData | UnsetType = UNSET


class ConstraintsData(Struct, forbid_unknown_fields=True):
    """Constraints: an object with never, only_exceptions, apart, monotone, max_literals, max_depth and so on."""

    never: list[str] | UnsetType = UNSET
    only_exceptions: list[str] | UnsetType = UNSET
    apart: list[tuple[str, str]] | UnsetType = UNSET
    monotone: list[str | tuple[str, OneOf["more", "less"], str | bool | int | Finite]] | UnsetType = UNSET
    max_literals: Annotated[int, Meta(ge=1)] | UnsetType = UNSET
    max_depth: Annotated[int, Meta(ge=0)] | UnsetType = UNSET
    no_negation: bool | UnsetType = UNSET
    only_cuts: list[tuple[str, Annotated[list[Finite | str], Meta(min_length=1)]]] | UnsetType = UNSET


Cost = tuple[LabelData, LabelData, Finite | str]
"""The true label, the decided label, and a number or the column with the amount."""


class SpecialParameter(Struct, forbid_unknown_fields=True):
    """An object with float, weights, columns, constraints, costs or special."""

    infinity: OneOf["inf", "-inf"] | UnsetType = field(default=UNSET, name="float")
    weights: list[tuple[LabelData, Finite]] | UnsetType = UNSET
    columns: list[tuple[str | int | Finite, str | list[str]]] | UnsetType = UNSET
    constraints: ConstraintsData | UnsetType = UNSET
    costs: list[Cost] | UnsetType = UNSET
    special: list[SpecialColumn] | UnsetType = UNSET


ParameterData = Annotated[
    str | bool | int | Finite | list[str | int | Finite] | SpecialParameter | None,
    Meta(
        description='a parameter: null, a label, a list of columns, {"weights": [[label, weight], …]}, '
        '{"columns": [[column, text or texts], …]}, {"constraints": {…}} or {"costs": [[label, label, cost], …]}'
    ),
]
ParameterPair = tuple[str, ParameterData]


class SplitColumnData(Struct, forbid_unknown_fields=True, kw_only=True):
    """The column by which records were held back: an object with column, and since for times."""

    column: str
    notation: NotationData | UnsetType = UNSET
    since: Finite | str | UnsetType = UNSET


class OriginData(Struct, forbid_unknown_fields=True, kw_only=True):
    """The origin of a model: an object with salt, cuts, fingerprint, records and usual."""

    salt: Annotated[int, Meta(ge=0, le=LARGEST_SALT)]
    cuts: list[tuple[LabelData, Annotated[int, Meta(ge=0, le=PARTS)]]]
    fingerprint: Annotated[str, Meta(pattern="^[0-9a-f]{32}$")]
    records: Records
    usual: LabelData
    sample: Annotated[
        list[Annotated[str, Meta(pattern="^[0-9a-f]{16}$")]], Meta(max_length=SAMPLE, extra_json_schema=UNIQUE)
    ] = []
    by: SplitColumnData | UnsetType = UNSET


class MeanData(Struct, forbid_unknown_fields=True, kw_only=True):
    """A mean cost: an object with mean and interval."""

    mean: Finite
    interval: tuple[Finite, Finite]


class DecisionCostsData(MeanData, forbid_unknown_fields=True, kw_only=True):
    """What decisions cost: an object with records, mean, interval, always, decided, right, priced and compared."""

    records: Annotated[int, Meta(ge=1, le=MOST_RECORDS)]
    always: list[Finite]
    decided: Records
    right: Records
    priced: bool = True
    compared: MeanData | UnsetType = UNSET


class HoldoutData(OriginData, forbid_unknown_fields=True, kw_only=True):
    """The result of held-out records: an object with salt, cuts, fingerprint, records, usual and counts."""

    counts: list[list[Count]]
    costs: DecisionCostsData | UnsetType = UNSET


class DecisionData(Struct, forbid_unknown_fields=True, kw_only=True):
    """How a model decides: an object with by, costs, reject, agreement and tested."""

    by: OneOf["rules", "costs", "score"]
    costs: Annotated[list[Cost], Meta(min_length=1)] | UnsetType = UNSET
    reject: Annotated[float, Meta(ge=0, le=LARGEST)] | UnsetType = UNSET
    agreement: Share | UnsetType = UNSET
    tested: HoldoutData | UnsetType = UNSET


class StatisticsData(Struct, kw_only=True):
    """Statistics of rules: an object with learner, parameters, classes and counts."""

    learner: str
    parameters: list[ParameterPair]
    classes: Classes
    counts: list[list[Count] | None]
    unmeasured: list[Count] | UnsetType = UNSET
    weighted: bool = False
    importances: list[Share] | UnsetType = UNSET
    base: Points | UnsetType = UNSET
    points: list[Points] | UnsetType = UNSET
    cuts: list[LiteralData] = []
    distillation: tuple[str, Share, Records] | UnsetType = field(default=UNSET, name="taught")
    tuned: SettingsData | UnsetType = UNSET
    tested: HoldoutData | UnsetType = UNSET
    origin: OriginData | UnsetType = UNSET
    trade_off: Annotated[list[ChoiceData], Meta(min_length=1)] | UnsetType = UNSET
    periods: Annotated[list[PeriodData], Meta(min_length=1)] | UnsetType = UNSET
    locked: Annotated[list[Records], Meta(extra_json_schema=UNIQUE)] = []


class ModelData(ProgramData, forbid_unknown_fields=True, kw_only=True):
    """A program: an object with format, version, target, features and rules."""

    columns: ColumnsData | UnsetType = UNSET
    statistics: StatisticsData | UnsetType = UNSET
    decision: DecisionData | UnsetType = UNSET


class MemberData(Struct, forbid_unknown_fields=True):
    """A list of a committee: an object with rules and points."""

    rules: list[RuleData]
    points: list[Votes]


class ImitationData(Struct, forbid_unknown_fields=True, kw_only=True):
    """The list that imitates a committee: an object with agreement, rules and statistics."""

    agreement: Share
    otherwise: LabelData | None = None
    rules: list[RuleData]
    statistics: StatisticsData


class CommitteeData(Struct, forbid_unknown_fields=True, kw_only=True):
    """A committee: an object with format, version, target, features, classes, base, lists, student and columns."""

    format: Any
    version: Any
    target: str
    features: UniqueTexts
    notations: list[NotationPair] = []
    classes: Classes
    base: Votes
    lists: list[MemberData]
    imitation: ImitationData = field(name="student")
    columns: ColumnsData
    parameters: list[ParameterPair]
    importances: list[Share] | UnsetType = UNSET
    tested: HoldoutData | UnsetType = UNSET
    tuned: SettingsData | UnsetType = UNSET
    periods: Annotated[list[PeriodData], Meta(min_length=1)] | UnsetType = UNSET
    decision: DecisionData | UnsetType = UNSET
