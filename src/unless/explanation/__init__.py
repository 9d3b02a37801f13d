"""Why a program decides a record as it does, why not otherwise, and what would change it.

- `why`: `explain` and `why_not` give proofs; `record`: the records that they take.
- `proof`: a proof as values: checked literals, tried rules, the decision.
- `tally`: how the lists of a committee vote on a record.
- `words`: what a reader calls features, values and labels; `wordsfile`: the same in a TOML file.
- `sentences`: what a proof says in English; `paper`: the two texts of the paper.
- `listing`: all rules laid out in columns.
- `scored`: the score card of a record, points that add up to its probabilities.
- `forms`: a proof for JSON, for pages and notebooks, for terminals.
- `changes`: the nearest records with another label, and the search for them.
"""

from unless.explanation.proof import Check, Proof, RuleProof, Style
from unless.explanation.why import explain, why_not
from unless.explanation.words import Phrase, Words
from unless.explanation.wordsfile import read_words

__all__ = ["Check", "Phrase", "Proof", "RuleProof", "Style", "Words", "explain", "read_words", "why_not"]
