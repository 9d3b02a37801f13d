"""Programs in logic engines (clingo, SWI-Prolog, s(CASP)), and learning from background knowledge.

- Writing: `program_writer` writes programs, `engine_names` chooses names, `predicates` chooses the predicates of a
  feature, and the integers that clingo has for its numbers. The clauses come from `unless.export.clauses`.
- Reading back: `read_clingo` rebuilds a program from its header (`read_header`) and its statements (`read_statements`).
- Running: `clingo_runner` imports clingo and runs it.
- Learning: `background` reads logic programs from texts and files, and `background_checks` refuses what they may not
  hold. `grounding` makes a table of what they entail, `learning` learns from it and the examples, `hypothesis` is the
  result.
- Relations: `relational_task` reads background knowledge and examples about connected things, with `fact_text` and
  `example_text` for the texts, `rule_evaluation` for B's rules, `argument_types` for what arguments hold, and
  `recursion`, which refuses what only a recursive rule defines. `relational_clauses` writes what was learned,
  `relational_clingo` and `relational_prolog` for their engines, with `number_scales` for clingo's integers, and
  `relational_header` reads it back. `relational_learning` learns a `relational_hypothesis`.
"""

from unless.logic.clingo_runner import run_clingo
from unless.logic.hypothesis import Hypothesis
from unless.logic.learning import learn_logic
from unless.logic.program_writer import to_clingo, to_prolog
from unless.logic.read_clingo import from_clingo
from unless.logic.relational_hypothesis import RelationalHypothesis

__all__ = ["Hypothesis", "RelationalHypothesis", "from_clingo", "learn_logic", "run_clingo", "to_clingo", "to_prolog"]
