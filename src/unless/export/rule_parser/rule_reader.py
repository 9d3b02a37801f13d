"""Read a text of rules into a parse tree with positions, from which `program_builder` makes a program.

The grammar, with optional parts in brackets; `condition_reader` has the conditions::

    rule       = [target ":"] label "if" conditions {exception}  |  [target ":"] label "otherwise"
    exception  = "unless" conditions  |  "unless" "(" conditions {exception} ")"

An exception without parentheses that starts a line belongs to the nearest line above with a smaller indent. Exceptions
on one line belong to the same rule. There is no recursion, and every letter is read a few times at most: a
hundred thousand rules take seconds.
"""

from __future__ import annotations

import re
from typing import NoReturn

from unless.export.rule_parser.condition_reader import HEADS, NO_OR, QUOTES, ConditionReader
from unless.export.rule_parser.parse_tree import ParsedFeature, ParsedRule, ParsedText, Span
from unless.export.rule_parser.rule_tokens import Token, token_texts
from unless.rule import MAX_DEPTH
from unless.values.spelling import unquote

_TITLE = re.compile(r"[0-9,]+ rules?, [0-9,]+ exceptions?")
_NUMBERED = re.compile(r"([0-9]+) {2,}(\S.*)", re.DOTALL)
_HEADING = re.compile(r"(decided|weight) (right( between)?|(expected )?precision)")
"""The headings of printed lists: current, from earlier versions, and from narrow terminals, on two lines."""
_FIGURES = re.compile(
    r"(.*?)(?<! ) {2,}(?:[0-9][0-9,.e+-]*|–) {2,}(?:[0-9.]+|–)(?: {2,}[0-9.]+–[0-9.]+| \([0-9.]+–[0-9.]+\))? *",
    re.DOTALL,
)


def read_rules(text: str) -> ParsedText:
    """Parse a text of rules; a `RuleTextError` shows the first part that cannot be read."""
    return _RuleReader(text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")).read()


class _RuleReader(ConditionReader):
    """Reads declarations, titles, rules and their exceptions."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._parsed = ParsedText(text)
        self._figures = False  # whether a heading announced figures before the rules
        self._lines: list[tuple[int, ParsedRule, ParsedRule | None]] = []  # open lines: indent, rule, its parent

    def read(self) -> ParsedText:
        """Read the whole text."""
        while self.now.key != "end":
            self._parsed.empty = False
            self._read_statement()
        return self._parsed

    def _read_statement(self) -> None:
        first, tokens, colon = self.now, list[Token](), 0
        if first.key in ("if", "otherwise", "unless", "and", "or"):
            self._refuse_misplaced(first)
        while self.now.key not in HEADS and self.now.key != "end" and (self.now.indent < 0 or not tokens):
            token = self._take()
            tokens.append(token)
            if token.key == ":" and not colon:
                colon = len(tokens)
                if len(tokens) == 2 and tokens[0].text in ("target", "features") and self._read_declaration(tokens[0]):
                    return
        if self.now.key in HEADS and (self.now.indent < 0 or self.now.key == "if"):
            self._read_rule(tokens, colon)
        elif not tokens:
            self._fail(first, f"the label comes first: refuse {first.text}")
        elif not self._read_title(tokens, colon):
            self._fail(tokens[-1], f"after a label comes 'if' or 'otherwise': {self._shorten(tokens)} if …")

    def _refuse_misplaced(self, first: Token) -> NoReturn:
        findings = {
            "if": "the label comes first: refuse if …",
            "otherwise": "the label comes first: accept otherwise",
            "or": NO_OR,
        }
        self._fail(first, findings.get(first.key, f"there is no rule before this '{first.text}'"))

    def _read_declaration(self, word: Token) -> bool:
        """Read a line ``target:`` or ``features:``; False if it is a rule of a target with that name."""
        if self.now.indent >= 0 or self.now.key in ("end", *HEADS):
            if word.text == "features" and self.now.indent >= 0:
                self._declare_features([])
                return True
            return False
        end = self._text.find("\n", self.now.start)
        rest = self._text[self.now.start : len(self._text) if end < 0 else end]
        words = token_texts(rest)
        if (
            words == ["no", "rules"]
            or _TITLE.fullmatch(rest.strip())
            or not {one.lower() for one in words}.isdisjoint(HEADS)
        ):
            return False
        if word.text == "target":
            self._name_target(self._take_line())
        else:
            self._declare_features(self._read_features())
        return True

    def _declare_features(self, found: list[ParsedFeature]) -> None:
        if self._parsed.features is not None and found:
            self._fail(found[0].name, "the features are declared already")
        self._parsed.features = found

    def _take_line(self) -> list[Token]:
        tokens = []
        while self.now.indent < 0 and self.now.key != "end":
            tokens.append(self._take())
        return tokens

    def _read_features(self) -> list[ParsedFeature]:
        found = []
        while True:
            tokens = [self._take()]
            while self.now.key not in (",", "(", "end") and self.now.indent < 0:
                tokens.append(self._take())
            name = self._make_span(tokens, "the name of a feature")
            found.append(
                self._read_notation(name) if self.now.key == "(" and self.now.indent < 0 else ParsedFeature(name)
            )
            if self.now.key != ",":
                break
            comma = self._take()
            if self.now.key == "end":
                self._fail(comma, "after the comma comes the name of a feature")
        if self.now.indent < 0 and self.now.key != "end":
            self._fail(self.now, "between features there is a comma")
        return found

    def _read_notation(self, name: Span) -> ParsedFeature:
        """Read the notation of a feature's numbers: (date), (date '%d.%m.%Y'), (S < M < L)."""
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
        if len(parts) == 1 and parts[0][0].text[0] not in QUOTES:
            word, *form = parts[0]
            formats = (self._make_span(form, "the format of dates"),) if form else ()
            return ParsedFeature(name, self._make_span([word], "the way to write numbers"), formats)
        return ParsedFeature(name, None, tuple(self._make_span(part, "a level") for part in parts))

    def _read_title(self, tokens: list[Token], colon: int) -> bool:
        """Whether a line is the title or the heading of a printed list."""
        said = self._text_of(tokens[colon:])
        if colon > 1 and (said == "no rules" or _TITLE.fullmatch(said)):
            self._name_target(tokens[: colon - 1])
            return True
        if _HEADING.fullmatch(said):
            self._figures = True
            return True
        return said == "expected"

    def _name_target(self, tokens: list[Token]) -> None:
        """Set the target before a colon, which must be the same in all lines."""
        name = self._make_span(tokens, "the name of the target")
        known = self._parsed.target
        if known is not None and known.text != name.text:
            self._fail(name, f"all rules are about one target, and {known.text!r} was named before")
        self._parsed.target = known or name

    def _read_rule(self, tokens: list[Token], colon: int) -> None:
        word = self._take()
        if colon > 1:
            self._name_target(tokens[: colon - 1])
        elif colon == 1:
            self._fail(tokens[0], "before the colon comes the name of the target")
        if not tokens[colon:]:
            self._fail(word, f"the label comes first: refuse {word.key}")
        if self._parsed.otherwise is not None:
            self._fail(tokens[0], "'otherwise' is for all records that are left: it comes last")
        head, numbered = self._read_label(tokens[colon:], word)
        node = ParsedRule(head, 1)
        if word.key == "otherwise" and not numbered:
            self._parsed.otherwise = head
            if self.now.key == "unless":
                self._fail(
                    self.now, f"'otherwise' has no exceptions; write: {self._shorten(tokens[colon:])} if true unless …"
                )
            self._expect_end()
            return
        self._parsed.rules.append(node)
        self._lines = [(tokens[0].indent, node, None)]
        if word.key == "if":
            self._read_conditions(node, word)
        self._read_exceptions()

    def _read_label(self, tokens: list[Token], word: Token) -> tuple[Span, bool]:
        """Read the label; also return whether the number of the rule comes before it, as in a printed list."""
        if len(tokens) == 1:
            return self._make_span(tokens, "a label"), False
        if tokens[0].text == "…":
            self._fail(tokens[0], "this list was cut: its last rules are missing; unless show prints all")
        raw, number = self._text[tokens[0].start : word.start], str(len(self._parsed.rules) + 1)
        row = _NUMBERED.fullmatch(raw) if tokens[0].text.replace(",", "") == number else None
        label = raw if row is None else row[2]
        figures = _FIGURES.fullmatch(label) if self._figures else None
        if row is None and figures is None:
            return self._make_span(tokens, "a label", signs=True), False
        text = (figures[1] if figures else label).strip()
        start = raw.index(text) + tokens[0].start if row is None else tokens[1].start
        quoted = len(text) > 1 and text[0] in QUOTES and text[0] == text[-1]
        read_text = unquote(text) if quoted else None
        return Span(text if read_text is None else read_text, quoted, start, len(text)), row is not None

    # Reading exceptions.

    def _read_exceptions(self) -> None:
        while True:
            key, fresh = self.now.key, self.now.indent >= 0
            if key == "unless":
                self._read_exception()
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
                self._expect_end()

    def _read_exception(self) -> None:
        word = self._take()
        if self._groups:
            parent = self._groups[-1]
        elif word.indent < 0:  # on the same line: an exception to the same rule as the previous one
            _, opened, above = self._lines[-1]
            parent = opened if above is None else above
        else:
            while len(self._lines) > 1 and self._lines[-1][0] >= word.indent:
                self._lines.pop()
            parent = self._lines[-1][1]
        node = ParsedRule(None, parent.depth + 1)
        if node.depth > MAX_DEPTH:
            self._fail(word, f"exceptions nest {node.depth} deep here; {MAX_DEPTH} is the limit")
        parent.exceptions.append(node)
        if word.indent >= 0 and not self._groups:
            self._lines.append((word.indent, node, parent))
        self._read_conditions(node, word)

    def _expect_end(self) -> None:
        if self.now.key != "end" and (self.now.indent < 0 or self.now.key == "and"):
            self._fail(self.now, "here comes 'unless' or the end of the line")
