"""What the text of rules says, word by word: labels, conditions and exceptions, each with its place in the text.

Nothing is known here about features and types: `meaning` makes a program of it. The grammar, with what is optional in
brackets::

    rule       = [target ":"] label "if" conditions {exception}  |  [target ":"] label "otherwise"
    exception  = "unless" conditions  |  "unless" "(" conditions {exception} ")"
    conditions = condition {"and" condition}  |  "true"  |  "always"
    condition  = feature operator value  |  feature "is" ["not"] "missing"  |  feature "is present"

An exception without parentheses that starts a line belongs to the line above it that is indented less. Those on one
line are exceptions to the same rule. There is no recursion, and every letter is looked at a few times at most: a
hundred thousand rules take seconds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple, NoReturn

from unless.errors import RuleTextError
from unless.export.rule_tokens import SIGNS, Token, tokens_of, words_in
from unless.rule import MAX_DEPTH, SpokenOperator
from unless.values.spelling import RESERVED, unquote

__all__ = ["OPPOSITE", "Asked", "Declared", "Node", "Phrase", "Script", "read"]

_QUOTES = "'\""
_OPENING = {
    *SIGNS.values(),
    "is",
    "are",
    "equals",
    "at",
    "above",
    "below",
    "more",
    "less",
    "greater",
    "missing",
    "present",
}
"""What comes after the name of a feature."""
_AFTER_NAME = {*_OPENING, "end", "and", "unless", "if", "or", "otherwise"}
OPPOSITE: dict[SpokenOperator, SpokenOperator] = {
    "<=": ">", ">": "<=", "<": ">=", ">=": "<", "==": "!=", "!=": "==", "missing": "present", "present": "missing",
}  # fmt: skip
"""What holds of a present value where the operator does not."""
_SINGLE: dict[str, SpokenOperator] = {"missing": "missing", "present": "present", "above": ">", "below": "<"}
_HEADS = ("if", "otherwise", "always")
_TITLE = re.compile(r"[0-9,]+ rules?, [0-9,]+ exceptions?")
_NUMBERED = re.compile(r"([0-9]+) {2,}(\S.*)", re.DOTALL)
_HEADING = re.compile(r"(decided|weight) (right( between)?|(expected )?precision)")
"""The heading of a printed list: those of earlier versions, and of narrow terminals, where it has two lines, too."""
_FIGURES = re.compile(
    r"(.*?)(?<! ) {2,}(?:[0-9][0-9,.e+-]*|–) {2,}(?:[0-9.]+|–)(?: {2,}[0-9.]+–[0-9.]+| \([0-9.]+–[0-9.]+\))? *",
    re.DOTALL,
)
_LONG = 40
"""So many letters of a text are in a message at most."""
_NO_OR = "rules have no 'or': write a rule, or an exception, for each; a text with 'or' in it is written in quotes"


class Phrase(NamedTuple):
    """A name, a value or a label: its text, whether that was in quotes, and where it is."""

    text: str
    quoted: bool
    start: int
    length: int


class Asked(NamedTuple):
    """A condition: a feature, an operator and a value, if the operator takes one."""

    feature: Phrase
    op: SpokenOperator
    value: Phrase | None


class Declared(NamedTuple):
    """A feature in the line of features, and how its numbers are written: a name with a format, or levels."""

    name: Phrase
    notation: Phrase | None = None
    levels: tuple[Phrase, ...] = ()


@dataclass(slots=True)
class Node:
    """A rule, or an exception, which has no head."""

    head: Phrase | None
    depth: int
    default: list[Asked] = field(default_factory=list)
    exceptions: list[Node] = field(default_factory=list)


@dataclass(slots=True)
class Script:
    """All that a text says; what it does not say is None."""

    text: str
    target: Phrase | None = None
    features: list[Declared] | None = None
    rules: list[Node] = field(default_factory=list)
    otherwise: Phrase | None = None
    empty: bool = True
    """Whether there is nothing in it, not even that there are no rules."""


def read(text: str) -> Script:
    """What a text of rules says; a `RuleTextError` shows the first place that cannot be read."""
    return _Reader(text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")).script()


class _Reader:
    """Reads the tokens one after another; ``now`` is the next one."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = tokens_of(text)
        self._script = Script(text)
        self._figures = False  # whether a heading announced figures before the rules
        self._groups: list[Node] = []  # what is open between parentheses
        self._lines: list[tuple[int, Node, Node | None]] = []  # what lines opened: indentation, node, its parent
        self.now = self._last = next(self._tokens)

    def script(self) -> Script:
        while self.now.key != "end":
            self._script.empty = False
            self._statement()
        return self._script

    def _take(self) -> Token:
        token = self._last = self.now
        if token.key != "end":
            self.now = next(self._tokens)
        return token

    def _fail(self, token: Token, finding: str) -> NoReturn:
        raise RuleTextError(finding, self._text, token.start, len(token.text))

    def _refuse(self, phrase: Phrase, finding: str) -> NoReturn:
        raise RuleTextError(finding, self._text, phrase.start, phrase.length)

    # Lines: declarations, titles and rules.

    def _statement(self) -> None:
        first, tokens, colon = self.now, list[Token](), 0
        if first.key in ("if", "otherwise", "unless", "and", "or"):
            self._misplaced(first)
        while self.now.key not in _HEADS and self.now.key != "end" and (self.now.indent < 0 or not tokens):
            token = self._take()
            tokens.append(token)
            if token.key == ":" and not colon:
                colon = len(tokens)
                if len(tokens) == 2 and tokens[0].text in ("target", "features") and self._declaration(tokens[0]):
                    return
        if self.now.key in _HEADS and (self.now.indent < 0 or self.now.key == "if"):
            self._rule(tokens, colon)
        elif not tokens:
            self._fail(first, f"the label comes first: refuse {first.text}")
        elif not self._title(tokens, colon):
            self._fail(tokens[-1], f"after a label comes 'if' or 'otherwise': {self._shown(tokens)} if …")

    def _misplaced(self, first: Token) -> NoReturn:
        if first.key == "if":
            self._fail(first, "the label comes first: refuse if …")
        if first.key == "otherwise":
            self._fail(first, "the label comes first: accept otherwise")
        if first.key == "or":
            self._fail(first, _NO_OR)
        self._fail(first, f"there is no rule before this '{first.text}'")

    def _declaration(self, word: Token) -> bool:
        """Read a target or features; False if it is a rule of a target that is called like that."""
        if self.now.indent >= 0 or self.now.key in ("end", *_HEADS):
            if word.text == "features" and self.now.indent >= 0:
                self._declare_features([])
                return True
            return False
        end = self._text.find("\n", self.now.start)
        rest = self._text[self.now.start : len(self._text) if end < 0 else end]
        words = words_in(rest)
        if (
            words == ["no", "rules"]
            or _TITLE.fullmatch(rest.strip())
            or not {one.lower() for one in words}.isdisjoint(_HEADS)
        ):
            return False
        if word.text == "target":
            self._named(self._while_on_line())
        else:
            self._declare_features(self._features())
        return True

    def _declare_features(self, found: list[Declared]) -> None:
        if self._script.features is not None and found:
            self._refuse(found[0].name, "the features are declared already")
        self._script.features = found

    def _while_on_line(self) -> list[Token]:
        tokens = []
        while self.now.indent < 0 and self.now.key != "end":
            tokens.append(self._take())
        return tokens

    def _features(self) -> list[Declared]:
        found = []
        while True:
            tokens = [self._take()]
            while self.now.key not in (",", "(", "end") and self.now.indent < 0:
                tokens.append(self._take())
            name = self._phrase(tokens, "the name of a feature")
            found.append(self._notation(name) if self.now.key == "(" and self.now.indent < 0 else Declared(name))
            if self.now.key != ",":
                break
            comma = self._take()
            if self.now.key == "end":
                self._fail(comma, "after the comma comes the name of a feature")
        if self.now.indent < 0 and self.now.key != "end":
            self._fail(self.now, "between features there is a comma")
        return found

    def _notation(self, name: Phrase) -> Declared:
        """How the numbers of a feature are written: (date), (date '%d.%m.%Y'), (S < M < L)."""
        opening = self._take()
        parts: list[list[Token]] = [[]]
        while self.now.key != ")":
            if self.now.key == "end" or self.now.indent >= 0:
                self._fail(opening, "this parenthesis is not closed on its line")
            if self.now.key == "<":
                self._take()
                parts.append([])
            else:
                parts[-1].append(self._take())
        closing = self._take()
        if not all(parts):
            self._fail(closing, f"write how the numbers of {name.text} are written: (date), or levels: (S < M < L)")
        if len(parts) == 1 and parts[0][0].text[0] not in _QUOTES:
            word, *form = parts[0]
            formats = (self._phrase(form, "the format of dates"),) if form else ()
            return Declared(name, self._phrase([word], "the way to write numbers"), formats)
        return Declared(name, None, tuple(self._phrase(part, "a level") for part in parts))

    def _title(self, tokens: list[Token], colon: int) -> bool:
        """Whether a line is the title or the heading of a printed list."""
        said = self._slice(tokens[colon:])
        if colon > 1 and (said == "no rules" or _TITLE.fullmatch(said)):
            self._named(tokens[: colon - 1])
            return True
        if _HEADING.fullmatch(said):
            self._figures = True
            return True
        return said == "expected"

    def _named(self, tokens: list[Token]) -> None:
        """The target before a colon: it is the same in all lines."""
        name = self._phrase(tokens, "the name of the target")
        known = self._script.target
        if known is not None and known.text != name.text:
            self._refuse(name, f"all rules are about one target, and {known.text!r} was named before")
        self._script.target = known or name

    def _rule(self, tokens: list[Token], colon: int) -> None:
        word = self._take()
        if colon > 1:
            self._named(tokens[: colon - 1])
        elif colon == 1:
            self._fail(tokens[0], "before the colon comes the name of the target")
        if not tokens[colon:]:
            self._fail(word, f"the label comes first: refuse {word.key}")
        if self._script.otherwise is not None:
            self._fail(tokens[0], "'otherwise' is for all records that are left: it comes last")
        head, numbered = self._label(tokens[colon:], word)
        node = Node(head, 1)
        if word.key == "otherwise" and not numbered:
            self._script.otherwise = head
            if self.now.key == "unless":
                self._fail(
                    self.now, f"'otherwise' has no exceptions; write: {self._shown(tokens[colon:])} if true unless …"
                )
            self._end_of_rule()
            return
        self._script.rules.append(node)
        self._lines = [(tokens[0].indent, node, None)]
        if word.key == "if":
            self._conditions(node, word)
        self._exceptions()

    def _label(self, tokens: list[Token], word: Token) -> tuple[Phrase, bool]:
        """The label, and whether it has the number of its rule before it, as in a printed list."""
        if len(tokens) == 1:
            return self._phrase(tokens, "a label"), False
        if tokens[0].text == "…":
            self._fail(tokens[0], "this list was cut: its last rules are missing; unless show prints all")
        raw, number = self._text[tokens[0].start : word.start], str(len(self._script.rules) + 1)
        row = _NUMBERED.fullmatch(raw) if tokens[0].text.replace(",", "") == number else None
        label = raw if row is None else row[2]
        figures = _FIGURES.fullmatch(label) if self._figures else None
        if row is None and figures is None:
            return self._phrase(tokens, "a label", signs=True), False
        text = (figures[1] if figures else label).strip()
        start = raw.index(text) + tokens[0].start if row is None else tokens[1].start
        quoted = len(text) > 1 and text[0] in _QUOTES and text[0] == text[-1]
        read_text = unquote(text) if quoted else None
        return Phrase(text if read_text is None else read_text, quoted, start, len(text)), row is not None

    # Conditions.

    def _conditions(self, node: Node, before: Token) -> None:
        """The conditions after "if" or "unless"; a parenthesis opens a group that `_exceptions` closes."""
        if self.now.key == "(":
            self._groups.append(node)
            before = self._take()
        if self.now.key in ("true", "always"):
            word = self._take()
            if self.now.key in _OPENING and self.now.indent < 0:
                self._condition(node, word)
                self._more(node)
            return
        if self.now.key in ("end", "unless", ")", "and", *_HEADS):
            self._fail(before, f"after '{before.text}' comes a condition, such as: age <= 30; or 'true'")
        self._condition(node)
        self._more(node)

    def _more(self, node: Node) -> None:
        while True:
            if self.now.key == ",":
                comma = self._take()
                if self.now.key not in ("and", "unless"):
                    self._fail(
                        comma, "between conditions there is 'and'; a text with a comma in it is written in quotes"
                    )
            if self.now.key != "and":
                return
            word = self._take()
            if self.now.key in ("end", "unless", ")", "and", "if"):
                self._fail(word, "after 'and' comes a condition, such as: age <= 30")
            self._condition(node)

    def _condition(self, node: Node, first: Token | None = None) -> None:
        if first is None and self.now.key in _OPENING and node.default:
            feature = node.default[-1].feature  # "age is above 30 and at most 40"
        else:
            feature = self._feature(first)
        op = self._operator()
        node.default.append(Asked(feature, op, None if op in ("missing", "present") else self._value(op)))

    def _feature(self, first: Token | None) -> Phrase:
        tokens = [] if first is None else [first]
        while self.now.key not in _AFTER_NAME and (self.now.indent < 0 or not tokens):
            if self.now.key == ")" and self._groups:
                break
            tokens.append(self._take())
        if self.now.key not in _OPENING or (self.now.indent >= 0 and tokens):
            self._no_condition(tokens)
        if not tokens:
            self._fail(self.now, f"before '{self.now.text}' comes the name of a feature")
        return self._phrase(tokens, "the name of a feature", signs=True)

    def _no_condition(self, tokens: list[Token]) -> NoReturn:
        if self.now.key == "or":
            self._fail(self.now, _NO_OR)
        if not tokens:
            self._fail(self.now, "here comes a condition, such as: age <= 30")
        if tokens[0].key == "not":
            self._fail(tokens[0], "'not' comes after the name of a feature: city is not Oslo")
        self._fail(
            tokens[-1], f"what about {self._shown(tokens)}? write: {self._shown(tokens)} is …, or <= …, or is missing"
        )

    def _operator(self) -> SpokenOperator:
        token = self._take()
        if token.text in SIGNS:
            return SIGNS[token.text]
        if token.key == "equals":
            return "=="
        if token.key not in ("is", "are"):
            return self._comparison(token)
        negated = self.now.key == "not"
        if negated:
            self._take()
        if self.now.text in SIGNS:
            op: SpokenOperator = SIGNS[self._take().text]
        else:
            op = self._comparison(self._take()) if self.now.key in _OPENING - {"is", "are", "equals"} else "=="
        return OPPOSITE[op] if negated else op

    def _comparison(self, token: Token) -> SpokenOperator:
        """The operator in words, of which the first is taken: at most, above, less than or equal to."""
        if token.key in _SINGLE:
            return _SINGLE[token.key]
        if token.key == "at":
            word = self._take()
            if word.text.lower() in ("most", "least"):
                return "<=" if word.text.lower() == "most" else ">="
            self._fail(
                word, "after 'at' comes 'most' or 'least'; a name or a text with 'at' in it is written in quotes"
            )
        if self.now.text.lower() != "than":
            self._fail(token, f"after '{token.text}' comes 'than'; a name or a text with it is written in quotes")
        self._take()
        equal = self.now.key == "or"
        if equal:
            for wanted in ("or", "equal", "to"):
                if self.now.text.lower() != wanted:
                    self._fail(self.now, f"write: {token.text} than or equal to")
                self._take()
        if token.key == "less":
            return "<=" if equal else "<"
        return ">=" if equal else ">"

    def _value(self, op: SpokenOperator) -> Phrase:
        tokens: list[Token] = []
        balance = 0
        while self.now.key not in ("end", "and", "unless") and self.now.indent < 0:
            token = self.now
            if token.key == "," or (token.key == ")" and not balance and self._groups):
                break
            if token.key == "or":
                self._fail(token, _NO_OR)
            if token.key in ("is", "if", "otherwise") or (
                token.text in SIGNS and (not tokens or tokens[-1].end < token.start or op not in ("==", "!="))
            ):
                self._fail(
                    token, "between conditions there is 'and'; a text with signs or words of rules is written in quotes"
                )
            balance += (token.key == "(") - (token.key == ")")
            tokens.append(self._take())
        if not tokens:
            self._fail(self._last, f"after '{self._last.text}' comes a value, on the same line")
        if tokens[-1].key == "(" and self.now.key == "unless":
            self._fail(
                tokens[-1], "an exception to an exception is in parentheses with it: unless (a is b unless c is d)"
            )
        return self._phrase(tokens, "a value", signs=True)

    # Exceptions.

    def _exceptions(self) -> None:
        while True:
            key, fresh = self.now.key, self.now.indent >= 0
            if key == "unless":
                self._exception()
            elif key == ")" and self._groups:
                self._take()
                self._groups.pop()
            elif key == ",":
                comma = self._take()
                if self.now.key != "unless":
                    self._fail(comma, "after the comma comes 'unless'")
            elif self._groups:
                self._fail(self.now, "a parenthesis is not closed: here comes ')', 'and' or 'unless'")
            elif key == "end" or (fresh and key != "and"):
                return
            else:
                self._end_of_rule()

    def _exception(self) -> None:
        word = self._take()
        if self._groups:
            parent = self._groups[-1]
        elif word.indent < 0:  # on the same line: an exception beside the one before it
            _, opened, above = self._lines[-1]
            parent = opened if above is None else above
        else:
            while len(self._lines) > 1 and self._lines[-1][0] >= word.indent:
                self._lines.pop()
            parent = self._lines[-1][1]
        node = Node(None, parent.depth + 1)
        if node.depth > MAX_DEPTH:
            self._fail(word, f"exceptions nest {node.depth} deep here; {MAX_DEPTH} is the limit")
        parent.exceptions.append(node)
        if word.indent >= 0 and not self._groups:
            self._lines.append((word.indent, node, parent))
        self._conditions(node, word)

    def _end_of_rule(self) -> None:
        if self.now.key != "end" and (self.now.indent < 0 or self.now.key == "and"):
            self._fail(self.now, "here comes 'unless' or the end of the line")

    # Phrases.

    def _slice(self, tokens: list[Token]) -> str:
        return " ".join(self._text[tokens[0].start : tokens[-1].end].split()) if tokens else ""

    def _shown(self, tokens: list[Token]) -> str:
        """Some tokens in a message, which stays short."""
        said = self._slice(tokens)
        return said if len(said) <= _LONG else f"{said[:_LONG]}…"

    def _phrase(self, tokens: list[Token], what: str, *, signs: bool = False) -> Phrase:
        """The text of some tokens: one in quotes, or bare words."""
        if not tokens:
            self._fail(self.now, f"here comes {what}")
        first, last = tokens[0], tokens[-1]
        if first is last and not first.key and first.text[0] not in _QUOTES:  # most of them
            return Phrase(first.text, quoted=False, start=first.start, length=len(first.text))
        length = last.end - first.start
        if first.text[0] in _QUOTES:
            if len(tokens) > 1:
                self._fail(tokens[1], f"{what} is in quotes as a whole, or not at all")
            text = unquote(first.text)
            if text is None:
                self._fail(first, r"there is an escape that means nothing; \\ is a backslash, \n a new line")
            return Phrase(text, quoted=True, start=first.start, length=length)
        for token in tokens:
            if token.text[0] in _QUOTES:
                self._fail(token, f"{what} is in quotes as a whole, or not at all")
            if not signs and token.key and token.key not in RESERVED:
                self._fail(token, f"{what} with {token.text!r} in it is written in quotes")
        return Phrase(self._slice(tokens), quoted=False, start=first.start, length=length)
