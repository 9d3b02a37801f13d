"""Why a program decides a record as it does, why not otherwise, and what would change it.

- `why`: `explain` and `why_not` give proofs; `input_records`: the records that they take.
- `proof`: a proof as values: checked literals, tried rules, the decision.
- `vote_explanation`: how the lists of a committee vote on a record.
- `words`: what features, values and labels are called; `words_file`: the same in a TOML file.
- `sentences`: a proof in English; `paper_justifications`: the two texts of the paper.
- `rule_listing`: all rules laid out in columns, by `text_table`.
- `score_explanation`: the score card of a record, points that add up to its probabilities.
- `contributions`: what each feature of a record adds to the log-odds; `effects`: the curve of each feature.
- `proof_rendering`: a proof for JSON, for pages and notebooks, for terminals.
- `counterfactuals`: the nearest records with another label, and the search for them.
"""

from unless.explanation.proof import LiteralCheck, Proof, RuleProof, Style
from unless.explanation.why import explain, why_not
from unless.explanation.words import Phrase, Words
from unless.explanation.words_file import read_words

__all__ = ["LiteralCheck", "Phrase", "Proof", "RuleProof", "Style", "Words", "explain", "read_words", "why_not"]
