"""Programs that logic engines run: clingo, s(CASP), SWI-Prolog; and learning from background knowledge."""

from unless.logic.hypothesis import Hypothesis
from unless.logic.learn import learn_logic
from unless.logic.read_clingo import from_clingo
from unless.logic.run import run_clingo
from unless.logic.write_clingo import to_clingo
from unless.logic.write_prolog import to_prolog

__all__ = ["Hypothesis", "from_clingo", "learn_logic", "run_clingo", "to_clingo", "to_prolog"]
