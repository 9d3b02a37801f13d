"""Rules about connected things: search for, compute and write features of an individual's parts.

- Data and features: `world` stores facts as columns, `definitions` defines features as text that can be read back,
  and `evaluation` computes features for the individuals of any world. `tables` combines several tables by their keys,
  `database` reads such tables from a file, and `table_facts` turns them into a world.
- Search: `attributes` finds properties with one value per entity, `part_tables` builds a row for each part,
  `part_search` finds conditions on one part, `feature_pool` collects the columns found so far, and `learning`
  searches again where a list makes errors; `sampling` chooses individuals if there are too many.
- Decisions: `program` applies rules over defined features to the individuals of any world.
- Output: `phrases` puts features into words, `rule_text` prints programs, `explanation` names the deciding parts
  (found by `witnesses`), and `sql` writes queries; `goal_order` orders goals so that each can be evaluated.
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
    """Load a module when one of its names is first used, since classifiers of one table do not need these modules."""
    for module, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"unless.relational.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
