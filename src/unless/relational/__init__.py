"""Rules about things that are connected: features of an individual's parts, searched for, computed and written.

- What there is: `world` has facts as columns, `definitions` says what features mean, as text that is read back, and
  `evaluation` computes them for the individuals of any world.
- What decides: `program` has rules over features that are defined, which decide the individuals of any world.
"""

from unless.relational.definitions import Definition, Goal, parse_definition
from unless.relational.evaluation import evaluate, feature_table
from unless.relational.program import FeatureSet, RelationalProgram
from unless.relational.world import NUMBER, Relation, World

__all__ = [
    "NUMBER", "Definition", "FeatureSet", "Goal", "Relation", "RelationalProgram", "World", "evaluate", "feature_table",
    "parse_definition",
]  # fmt: skip
