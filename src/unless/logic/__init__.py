"""Programs in logic engines (clingo, SWI-Prolog, s(CASP)), and learning from background knowledge.

- Writing: `write` spells programs, `names` chooses names, `predicates` knows what a feature needs, also the integers
  that clingo has for its numbers. The clauses come from `unless.export.clauses`.
- Reading back: `read_clingo` rebuilds a program from its header (`read_header`) and its statements (`read_statements`).
- Running: `run` imports clingo and runs it.
- Learning: `background` reads logic programs from texts and files, and `checks` refuses what they may not hold.
  `columns` makes a table of what they entail, `learn` learns from it and the examples, `hypothesis` is the result.
"""

from unless.logic.hypothesis import Hypothesis
from unless.logic.learn import learn_logic
from unless.logic.read_clingo import from_clingo
from unless.logic.run import run_clingo
from unless.logic.write import to_clingo, to_prolog

__all__ = ["Hypothesis", "from_clingo", "learn_logic", "run_clingo", "to_clingo", "to_prolog"]
