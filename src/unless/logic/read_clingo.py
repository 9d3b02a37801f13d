"""Read back a program that `to_clingo` wrote, even after someone has changed it.

The rules count, not only the header: if you change a threshold, drop an exception or add a rule, you get the changed
program. Statements that do not form a program (a rule that is not a default with exceptions, an exception that refers
to itself, rules that do not exclude each other) are rejected with their lines. Facts are skipped: they are records.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from unless.errors import ProgramError
from unless.export.clauses import Body
from unless.logic.engine_names import for_comment
from unless.logic.predicates import HIGHEST, Feature, sorted_number, sorted_text
from unless.logic.program_writer import FIRST_LINE
from unless.logic.read_header import Header, line_error, read_header
from unless.logic.read_statements import NUMBER, RECORD, TEXT, Atom, Comparison, Goal, Statement, Term, read_statements
from unless.rule import MAX_DEPTH, Literal, Program, Rule
from unless.values import Label

_MOST_LITERALS = 1_000_000
"""The maximum number of literals with all shared exceptions written out: a few lines could expand beyond memory."""

_OLDER = "% unless-program 1"
"""The first line of an older form, which lists all earlier rules with each rule; either form may have either line."""

_SUBJECT = Term("variable", "X")
_ANY = Term("variable", "_")


def from_clingo(text: str) -> Program:
    """Read the program from a text that `to_clingo` wrote: ``from_clingo(to_clingo(program)) == program``."""
    if not isinstance(text, str):
        raise ProgramError(f"from_clingo takes the text of a program, not {type(text).__name__}")
    if text.split("\n", 1)[0].rstrip("\r") not in {FIRST_LINE, _OLDER}:
        raise ProgramError(f"not written by this version of to_clingo: the first line is not {FIRST_LINE!r}")
    text = text.replace("\r\n", "\n")
    reader = _ProgramReader(read_header(text))
    for statement in read_statements(text, reader.bodies.records()):
        reader.read(statement)
    return reader.program()


@dataclass(frozen=True, slots=True)
class _ExcludedRules:
    """The rules that a statement excludes: all up to a number, and single rules beyond."""

    line: int
    upto: int
    single: frozenset[int]

    def are_all(self, count: int) -> bool:
        """Whether these are exactly the first ``count`` rules."""
        others = sum(number > self.upto for number in self.single)
        return self.upto + others == count == max(self.upto, *self.single, 0)


class _ProgramReader:
    """Collects the definitions of the statements, then builds the program."""

    def __init__(self, words: Header) -> None:
        self.words = words
        self.bodies = _Bodies(words)
        self.rules: dict[int, Body] = {}
        self.exceptions: dict[int, Body] = {}
        self.undecided: dict[int, _ExcludedRules] = {}
        self.labels: dict[int, Label] = {}
        self.otherwise: tuple[Label, _ExcludedRules] | None = None
        self.helpers: list[tuple[str, str]] = []
        self.used: set[int] = set()

    def read(self, statement: Statement) -> None:
        """Read one statement, or reject it."""
        name, terms, line = statement.head.name, statement.head.terms, statement.line
        if not statement.body:
            self.bodies.check_fact(statement)
        elif name == self.words.predicate and len(terms) == 2 and terms[0] == _SUBJECT:
            self._read_label_rule(statement)
        elif name in self.bodies.presence and terms == (_SUBJECT,):
            match statement.body:
                case ((False, Atom(predicate, (subject, value))),) if (subject, value) == (_SUBJECT, _ANY):
                    self.helpers.append((name, predicate))
                case _:
                    raise line_error(line, f"{name}(X) is defined by something other than a number or a text")
        elif terms == (_SUBJECT,) and (place := _split_number(name)):
            prefix, number = place
            if number in {"rule": self.rules, "ab": self.exceptions}.get(prefix, self.undecided):
                raise line_error(line, f"{name}(X) a second time; write one rule per number")
            if prefix == "undecided":
                self.undecided[number] = self._read_undecided(statement, number)
            else:
                (self.rules if prefix == "rule" else self.exceptions)[number] = self.bodies.body(statement)
        else:
            raise line_error(line, f"a rule for {name}, which is not a label, a rule or an exception")

    def program(self) -> Program:
        """Build the program after all statements are read."""
        self._check_rules()
        self._check_presence()
        self.bodies.check_levels()
        exceptions = self._build_exceptions()
        rules = [
            Rule(self.labels[number], body.literals, tuple(exceptions[n] for n in body.exceptions))
            for number, body in sorted(self.rules.items())
        ]
        otherwise = self.otherwise and self.otherwise[0]
        return Program(self.words.target, tuple(self.words.features), tuple(rules), otherwise)

    def _check_rules(self) -> None:
        """Check that rules are numbered without gaps, and that all ``undecided`` predicates are defined."""
        count = len(self.rules)
        everything = set(range(1, count + 1))
        if set(self.rules) != everything or set(self.labels) != everything:
            missing = sorted(everything ^ set(self.rules) or everything ^ set(self.labels))
            raise ProgramError(f"rule{missing[0]} lacks its body or its label; rules are numbered from 1 without gaps")
        if self.otherwise and not self.otherwise[1].are_all(count):
            raise line_error(self.otherwise[1].line, "the label for the rest does not exclude every rule")
        for number, earlier in self.undecided.items():
            if number > count:
                raise line_error(earlier.line, f"undecided{number}(X), but there are only {count} rules")
        if lacking := self.used - set(self.undecided):
            raise ProgramError(f"undecided{min(lacking)} is used but not defined")

    def _check_presence(self) -> None:
        wanted = {(name, predicate) for name, f in self.bodies.presence.items() for predicate in (f.number, f.text)}
        if len(self.helpers) != len(wanted) or set(self.helpers) != wanted:
            raise ProgramError("the rules that say which cells are present are not as to_clingo writes them")

    def _read_label_rule(self, statement: Statement) -> None:
        label, line = self.bodies.label(statement.head.terms[1], statement.line), statement.line
        positive, earlier = self._read_excluded(statement)
        match positive:
            case [("rule", number)] if number not in self.labels and earlier.are_all(number - 1):
                self.labels[number] = label
            case [] | [("record", _)] if positive or earlier.upto:
                if self.otherwise:
                    raise line_error(line, "a second label for the rest")
                self.otherwise = (label, earlier)
            case _:
                raise line_error(line, "a label must hold for one rule and exclude all earlier ones")

    def _read_undecided(self, statement: Statement, number: int) -> _ExcludedRules:
        """Read the rules that ``undecided7`` excludes: they must be rules 1 to 7, without a reference to itself."""
        positive, earlier = self._read_excluded(statement)
        if positive not in ([], [("record", 0)]) or not (positive or earlier.upto) or not earlier.are_all(number):
            raise line_error(
                statement.line, f"undecided{number}(X) must mean a record that rules 1 to {number} do not cover"
            )
        if earlier.upto == number:
            raise line_error(statement.line, f"undecided{number}(X) refers to itself")
        return earlier

    def _read_excluded(self, statement: Statement) -> tuple[list[tuple[str, int]], _ExcludedRules]:
        """Read the record and the rules that a body requires, and the rules that it excludes."""
        positive, single, upto = list[tuple[str, int]](), set[int](), 0
        for goal in statement.body:
            match _parse_guard(goal):
                case ("not rule", number):
                    single.add(number)
                case ("undecided", number):
                    upto = max(upto, number)
                    self.used.add(number)
                case ("record" | "rule" as word, number):
                    positive.append((word, number))
                case _:
                    raise line_error(statement.line, "a label, or what is undecided, may depend on rules only")
        return positive, _ExcludedRules(statement.line, upto, frozenset(single))

    def _build_exceptions(self) -> dict[int, Rule]:
        """Build every exception as a rule, inner exceptions first."""
        done: dict[int, Rule] = {}
        depth: dict[int, int] = {}
        size: dict[int, int] = {}

        def build(number: int, above: int) -> None:
            if number in done:
                return
            if above >= MAX_DEPTH:
                raise ProgramError(f"ab{number} refers to itself, or nests deeper than {MAX_DEPTH}")
            if number not in self.exceptions:
                raise ProgramError(f"ab{number} is used but not defined")
            body = self.exceptions[number]
            for inner in body.exceptions:
                build(inner, above + 1)
            depth[number] = 1 + max((depth[inner] for inner in body.exceptions), default=0)
            size[number] = 1 + len(body.literals) + sum(size[inner] for inner in body.exceptions)
            if depth[number] >= MAX_DEPTH or size[number] > _MOST_LITERALS:
                raise ProgramError(f"ab{number} nests deeper than {MAX_DEPTH}, or is too large when written out")
            done[number] = Rule(None, body.literals, tuple(done[inner] for inner in body.exceptions))

        used = {number for body in self.rules.values() for number in body.exceptions}
        for number in sorted(used | set(self.exceptions)):
            build(number, 1)
        if sum(size[number] for body in self.rules.values() for number in body.exceptions) > _MOST_LITERALS:
            raise ProgramError("the program is too large when its shared exceptions are written out")
        return done


@lru_cache(maxsize=100_000)
def _parse_guard(goal: Goal) -> tuple[str, int] | None:
    """Parse a goal a label may depend on: ``record``, or ``rule``, ``not rule`` or ``undecided`` with its number."""
    match goal:
        case (False, Atom("record", (subject,))) if subject == _SUBJECT:
            return "record", 0
        case (bool(negated), Atom(name, (subject,))) if subject == _SUBJECT and (place := _split_number(name)):
            return f"{'not ' * negated}{place[0]}", place[1]
    return None


class _Bodies:
    """Reads bodies and facts by the predicates of the header: for numbers, texts and present cells."""

    def __init__(self, words: Header) -> None:
        self.words = words
        features = words.features.values()
        self.numbers = {feature.number: feature for feature in features if feature.number}
        self.texts = {feature.text: feature for feature in features if feature.text}
        self.presence = {feature.present: feature for feature in features if feature.present}
        self.levels = {feature.level: feature for feature in features if feature.level}
        self.places: dict[str, dict[str, int]] = {name: {} for name in self.levels}
        spelled = {name for name, feature in self.numbers.items() if feature.spelled or feature.level}
        self.spelled = spelled | set(self.texts)
        self.counted = set(self.numbers) - spelled

    def records(self) -> set[tuple[str | None, ...]]:
        """Return the forms of the plain facts about records."""
        numbers, texts = ((name, *NUMBER) for name in self.counted), ((name, *TEXT) for name in self.spelled)
        return {("record", *RECORD), *numbers, *texts}

    def check_fact(self, statement: Statement) -> None:
        """Check a fact with unusual spaces, large numbers or a stand-in, or with the position of a level."""
        match statement.head:
            case Atom("record", (Term("integer", int(row)),)) if abs(row) <= HIGHEST:
                return
            case Atom(name, (Term("string" | "name") as level, Term("integer", int(place)))) if name in self.levels:
                if self.places[name].setdefault(self._text(level, statement.line), place) != place:
                    raise line_error(statement.line, f"a second place for a level in {name}")
                return
            case Atom(name, (Term("integer", int(row)), Term("integer", int(code)))) if name in self.counted:
                if max(abs(row), abs(code)) <= HIGHEST:
                    return
            case Atom(name, (Term("integer", int(row)), term)) if name in self.spelled and abs(row) <= HIGHEST:
                self._text(term, statement.line)
                return
        raise line_error(statement.line, f"a fact of {statement.head.name} that no record of a table has")

    def check_levels(self) -> None:
        """Check that the facts give every level its position in the order."""
        for name, feature in self.levels.items():
            if self.places[name] != {level: feature.scale.code(place) for place, level in enumerate(feature.levels)}:
                raise ProgramError(f"the facts of {name} are not the levels of the order in the header")

    def label(self, term: Term, line: int) -> Label:
        """Read the label in the head of a rule."""
        match self.words.labels, term:
            case ("text", Term("string" | "name")):
                return self._text(term, line)
            case ("boolean", Term("name", "true" | "false" as value)):
                return value == "true"
            case ("number", Term("integer", int(value))) if abs(value) <= HIGHEST:
                return value
            case ("number", Term("string", str(spelled))):
                return _number_label(spelled, line)
        raise line_error(line, f"a label that is not a {self.words.labels}: {for_comment(str(term.value))[:40]!r}")

    def body(self, statement: Statement) -> Body:
        """Read the literals and exceptions in the body of a rule."""
        line, variables = statement.line, _Variables(self)
        literals, exceptions, records = list[Literal](), list[int](), 0
        for goal in statement.body:
            match goal:
                case Comparison():
                    literals.append(_read_comparison(goal, variables, line))
                case (False, Atom("record", (subject,))) if subject == _SUBJECT:
                    records += 1
                case (True, Atom(name, (subject,))) if subject == _SUBJECT and (place := _split_number(name)):
                    if place[0] != "ab":
                        raise line_error(line, f"not {name}(X) in a body; exceptions are ab1, ab2 and so on")
                    exceptions.append(place[1])
                case (False, Atom(name, (subject, Term("variable", str(variable))))) if (
                    name in self.numbers or name in self.levels
                ):
                    variables.bind(name, subject, variable, line)
                case (negated, atom):
                    literals.append(self._read_category(atom, line, negated=negated))
        if records != 1 or variables.unused:
            raise line_error(line, "a body without record(X), or a number that is not compared with anything")
        return Body(tuple(literals), tuple(exceptions))

    def _text(self, term: Term, line: int) -> str:
        if term.kind == "string":
            return str(term.value)
        if term.kind != "name" or term.value not in self.words.stand_ins:
            raise line_error(line, f"{for_comment(str(term.value))[:40]!r} for a text; put text in double quotes")
        return self.words.stand_ins[str(term.value)]

    def _read_category(self, atom: Atom, line: int, *, negated: bool) -> Literal:
        match atom:
            case Atom(name, (subject,)) if subject == _SUBJECT and name in self.presence:
                return Literal(self.presence[name].name, "missing" if negated else "present")
            case Atom(name, (subject, term)) if subject == _SUBJECT and name in self.texts:
                return Literal(self.texts[name].name, "!=" if negated else "==", self._text(term, line))
        raise line_error(line, f"{atom.name} in a body is neither a test of a feature nor an exception")


class _Variables:
    """The variables of a body: of numbers, and of levels, whose positions are numbers."""

    def __init__(self, words: _Bodies) -> None:
        self.words = words
        self.numbers: dict[str, Feature] = {}
        self.levels: dict[str, Feature] = {}
        self.unused: set[str] = set()

    def bind(self, name: str, subject: Term, variable: str, line: int) -> None:
        """Bind the variable in ``age(X,N0)``, ``size(X,V1)`` or ``size_level(V1,N1)``."""
        feature = self.words.numbers.get(name)
        new = variable not in {"X", "_", *self.numbers, *self.levels}
        if feature is None:
            feature, level = self.words.levels[name], str(subject.value)
            if not new or subject.kind != "variable" or self.levels.get(level) is not feature:
                raise line_error(line, f"{name} takes the level of a record, and a variable of its own for its place")
            self.numbers[variable] = feature
            self.unused.discard(level)
        elif subject != _SUBJECT or not new:
            raise line_error(line, f"{name}(X,{variable}); a number has a variable of its own")
        else:
            (self.levels if feature.level else self.numbers)[variable] = feature
        self.unused.add(variable)


def _read_comparison(goal: Comparison, variables: _Variables, line: int) -> Literal:
    if goal.variable not in variables.numbers:
        raise line_error(line, f"{goal.variable} is not a number of the record")
    feature = variables.numbers[goal.variable]
    variables.unused.discard(goal.variable)
    threshold = _find_threshold(goal, feature)
    if threshold is None:
        shown = for_comment(str(goal.value))[:40]
        like = f"; write it like {sorted_text(feature.notation, 0.0)}" if feature.spelled and feature.notation else ""
        raise line_error(line, f"{shown} is no threshold of {for_comment(feature.name)!r}{like}")
    return Literal(feature.name, ">" if goal.op == ">" else "<=", feature.in_notation(threshold))


def _find_threshold(goal: Comparison, feature: Feature) -> float | None:
    """Find the number behind the value of a comparison; None if the feature has no such threshold."""
    match goal.value:
        case str(text):
            return sorted_number(feature.notation, text) if feature.spelled and feature.notation else None
        case int(code) if not feature.spelled:
            return feature.scale.threshold(code if goal.op == ">" else code - 1)
    return None


def _split_number(name: str) -> tuple[str, int] | None:
    """Split ``rule7``, ``ab7`` or ``undecided7`` into its prefix and number."""
    for prefix in ("rule", "ab", "undecided"):  # half the time of a regular expression
        digits = name.removeprefix(prefix)
        if digits != name and digits.isdecimal() and digits[0] != "0" and len(digits) < 10:
            return prefix, int(digits)
    return None


def _number_label(spelled: str, line: int) -> int | float:
    """Read a label that is not a 32-bit integer; only Python's own notation of it is accepted."""
    for kind in (int, float):
        try:
            number = kind(spelled[:400])
        except ValueError:
            continue
        small = kind is int and abs(number) <= HIGHEST
        if repr(number) == spelled and spelled != "nan" and not small:
            return number
    raise line_error(line, f"{for_comment(spelled)[:40]!r} for a number")
