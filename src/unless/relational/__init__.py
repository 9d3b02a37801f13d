"""Rules about things that are connected: features of an individual's parts, searched for, computed and written.

- What there is: `world` has facts as columns, `definitions` says what features mean, as text that is read back, and
  `evaluation` computes them for the individuals of any world. `tables` are several tables with keys, `database`
  has those of a file, `table_facts` makes a world of them.
- What is searched for: `attributes` are determinate, `part_tables` have a row for each part, `part_search` finds
  conditions on one part, `feature_pool` has the columns so far, `learning` searches again where a list errs;
  `sampling` chooses individuals where all are too many.
- What decides: `program` has rules over features that are defined, which decide the individuals of any world.
- What comes out: `phrases` says features in words, `rule_text` prints programs, `explanation` names parts that decide
  (`witnesses`), `sql` writes queries; `goal_order` says in which order goals can be evaluated.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from unless.relational.definitions import Definition, Goal, parse_definition
    from unless.relational.evaluation import evaluate, feature_table
    from unless.relational.learning import FoundFeatures, SearchSettings, find_features
    from unless.relational.program import FeatureSet, RelationalProgram, positively
    from unless.relational.tables import Part, Relations
    from unless.relational.world import NUMBER, Relation, World

__all__ = [
    "NUMBER",
    "Definition",
    "FeatureSet",
    "FoundFeatures",
    "Goal",
    "Part",
    "Relation",
    "RelationalProgram",
    "Relations",
    "SearchSettings",
    "World",
    "evaluate",
    "feature_table",
    "find_features",
    "parse_definition",
    "positively",
]  # fmt: skip

_HOMES = {
    "definitions": ("Definition", "Goal", "parse_definition"),
    "evaluation": ("evaluate", "feature_table"),
    "learning": ("FoundFeatures", "SearchSettings", "find_features"),
    "program": ("FeatureSet", "RelationalProgram", "positively"),
    "tables": ("Part", "Relations"),
    "world": ("NUMBER", "Relation", "World"),
}


def __getattr__(name: str) -> Any:
    """Load a module when one of its names is first used: classifiers of one table do without them."""
    for module, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"unless.relational.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
