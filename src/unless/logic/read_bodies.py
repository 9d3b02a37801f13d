"""Read the facts, labels and bodies in a text that `to_clingo` wrote, in the words of its header."""

from __future__ import annotations

from unless.export.clauses import Body
from unless.logic.names import commented
from unless.logic.predicates import HIGHEST, Feature
from unless.logic.read_header import Header, fault
from unless.logic.read_statements import NUMBER, RECORD, TEXT, Atom, Comparison, Statement, Term
from unless.rule import Literal
from unless.values import Label

SUBJECT = Term("variable", "X")


class BodyReader:
    """Knows the predicates of the header: for numbers, for texts and for cells that are present."""

    def __init__(self, words: Header) -> None:
        self.words = words
        features = words.features.values()
        self.numbers = {feature.number: feature for feature in features if feature.number}
        self.texts = {feature.text: feature for feature in features if feature.text}
        self.presence = {feature.present: feature for feature in features if feature.present}

    def records(self) -> set[tuple[str | None, ...]]:
        """The plain facts that records of a table have."""
        numbers, texts = ((name, *NUMBER) for name in self.numbers), ((name, *TEXT) for name in self.texts)
        return {("record", *RECORD), *numbers, *texts}

    def check_fact(self, statement: Statement) -> None:
        """Check a fact with unusual spaces, large numbers or a stand-in."""
        match statement.head:
            case Atom("record", (Term("integer", int(row)),)) if abs(row) <= HIGHEST:
                return
            case Atom(name, (Term("integer", int(row)), Term("integer", int(code)))) if name in self.numbers:
                if max(abs(row), abs(code)) <= HIGHEST:
                    return
            case Atom(name, (Term("integer", int(row)), term)) if name in self.texts and abs(row) <= HIGHEST:
                self._text(term, statement.line)
                return
        raise fault(statement.line, f"a fact of {statement.head.name} that no record of a table has")

    def label(self, term: Term, line: int) -> Label:
        """The label in the head of a rule."""
        match self.words.labels, term:
            case ("text", Term("string" | "name")):
                return self._text(term, line)
            case ("boolean", Term("name", "true" | "false" as value)):
                return value == "true"
            case ("number", Term("integer", int(value))) if abs(value) <= HIGHEST:
                return value
            case ("number", Term("string", str(spelled))):
                return _number(spelled, line)
        raise fault(line, f"a label that is not a {self.words.labels}: {commented(str(term.value))[:40]!r}")

    def body(self, statement: Statement) -> Body:
        """The literals and exceptions in the body of a rule."""
        line, variables = statement.line, dict[str, Feature]()
        literals, exceptions, compared, records = list[Literal](), list[int](), set[str](), 0
        for goal in statement.body:
            match goal:
                case Comparison():
                    literals.append(_compared(goal, variables, line))
                    compared.add(goal.variable)
                case (False, Atom("record", (subject,))) if subject == SUBJECT:
                    records += 1
                case (True, Atom(name, (subject,))) if subject == SUBJECT and (place := numbered(name)):
                    if place[0] != "ab":
                        raise fault(line, f"not {name}(X) in a body; exceptions are ab1, ab2 and so on")
                    exceptions.append(place[1])
                case (False, Atom(name, (subject, Term("variable", str(variable))))) if name in self.numbers:
                    if subject != SUBJECT or variable in {"X", "_", *variables}:
                        raise fault(line, f"{name}(X,{variable}); a number has a variable of its own")
                    variables[variable] = self.numbers[name]
                case (negated, atom):
                    literals.append(self._category(atom, line, negated=negated))
        if records != 1 or compared != set(variables):
            raise fault(line, "a body without record(X), or a number that is not compared with anything")
        return Body(tuple(literals), tuple(exceptions))

    def _text(self, term: Term, line: int) -> str:
        if term.kind == "string":
            return str(term.value)
        if term.kind != "name" or term.value not in self.words.stand_ins:
            raise fault(line, f"{commented(str(term.value))[:40]!r} for a text; put text in double quotes")
        return self.words.stand_ins[str(term.value)]

    def _category(self, atom: Atom, line: int, *, negated: bool) -> Literal:
        match atom:
            case Atom(name, (subject,)) if subject == SUBJECT and name in self.presence:
                return Literal(self.presence[name].name, "missing" if negated else "present")
            case Atom(name, (subject, term)) if subject == SUBJECT and name in self.texts:
                return Literal(self.texts[name].name, "!=" if negated else "==", self._text(term, line))
        raise fault(line, f"{atom.name} in a body is neither a test of a feature nor an exception")


def _compared(goal: Comparison, variables: dict[str, Feature], line: int) -> Literal:
    if goal.variable not in variables:
        raise fault(line, f"{goal.variable} is not a number of the record")
    feature = variables[goal.variable]
    threshold = feature.scale.threshold(goal.integer if goal.op == ">" else goal.integer - 1)
    if threshold is None:
        raise fault(line, f"{goal.integer} is no threshold of {commented(feature.name)!r}")
    return Literal(feature.name, ">" if goal.op == ">" else "<=", threshold)


def numbered(name: str) -> tuple[str, int] | None:
    """The prefix and number of ``rule7``, ``ab7`` or ``undecided7``."""
    for prefix in ("rule", "ab", "undecided"):
        digits = name.removeprefix(prefix)
        if digits != name and digits.isdecimal() and digits[0] != "0" and len(digits) < 10:
            return prefix, int(digits)
    return None


def _number(spelled: str, line: int) -> int | float:
    """A label that is not a 32-bit integer; only Python's own spelling of it is accepted."""
    for kind in (int, float):
        try:
            number = kind(spelled[:400])
        except ValueError:
            continue
        small = kind is int and abs(number) <= HIGHEST
        if repr(number) == spelled and spelled != "nan" and not small:
            return number
    raise fault(line, f"{commented(spelled)[:40]!r} for a number")
