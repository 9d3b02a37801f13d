"""Programs in logic engines (clingo, SWI-Prolog, s(CASP)), and learning from background knowledge.

- Writing: `program_writer` writes programs, `engine_names` chooses names, and `predicates` chooses the predicates of a
  feature and the integers that clingo uses for its numbers. The clauses come from `unless.export.clauses`.
- Reading back: `read_clingo` rebuilds a program from its header (`read_header`) and its statements (`read_statements`).
- Running: `clingo_runner` imports clingo and runs it.
- Learning: `background` reads logic programs from strings and files, and `background_checks` rejects constructs that
  they may not contain. `grounding` turns what they entail into a table, `learning` learns from this table and the
  examples, and `hypothesis` is the result.
- Relations: `relational_task` reads background knowledge and examples about connected things: `fact_text` and
  `example_text` read the texts, `rule_evaluation` applies B's rules, `argument_types` infers what arguments hold, and
  `recursion` rejects targets that only a recursive rule defines. `relational_clauses` writes learned programs, with
  `relational_clingo` and `relational_prolog` for each engine and `number_scales` for clingo's integers, and
  `relational_header` reads them back. `relational_learning` learns a `relational_hypothesis`.
"""

from unless.logic.clingo_runner import run_clingo
from unless.logic.hypothesis import Hypothesis
from unless.logic.learning import learn_logic
from unless.logic.program_writer import to_clingo, to_prolog
from unless.logic.read_clingo import from_clingo
from unless.logic.relational_hypothesis import RelationalHypothesis

__all__ = ["Hypothesis", "RelationalHypothesis", "from_clingo", "learn_logic", "run_clingo", "to_clingo", "to_prolog"]
