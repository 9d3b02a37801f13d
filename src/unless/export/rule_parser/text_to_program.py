"""Build programs from texts of rules: `parse`."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from unless.errors import ParameterError, ProgramError, UnlessWarning
from unless.export.json_text import uncollected
from unless.export.rule_parser.known_names import find_known_names, names_of_schema, new_category_text
from unless.export.rule_parser.program_builder import ProgramBuilder
from unless.export.rule_parser.rule_reader import read_rules
from unless.limits import refuse_above_limit
from unless.rule import Program
from unless.table import Table
from unless.values import Label


def parse(
    text: str,
    *,
    like: object = None,
    target: str | None = None,
    features: Sequence[str] | None = None,
    labels: Sequence[Label] | None = None,
) -> Program:
    """Parse a text of rules into a program.

    It reads what people write, and printed programs: `unless.export.to_rules` writes all of a program, so that
    ``parse(to_rules(program)) == program`` for every program, and ``parse(str(program), like=program) == program``.
    ``parse(str(model), like=model)`` is equivalent to its program, with each condition once, as it is printed.

    A rule is ``label if condition and condition unless condition``, on one line or on several; ``label otherwise`` is
    for records that no rule covers, and ``label if true`` covers all. An exception to an exception is in
    parentheses, ``unless (a is b unless …)``, or on a separate line indented below it; exceptions on one line are all
    exceptions to the same rule. ``#`` starts a comment. Operators are signs (``<= < >= > = !=``) or words: is, is not,
    is at most, is at least, is above, is below, is missing, is present. Quote texts that contain signs or keywords, or
    look like numbers: ``size is '5'`` is the text, ``size is 5`` the number.

    Parameters
    ----------
    text
        The rules.
    like
        A model, a `Program` or a `Table`: the rules are about its target and its features, compare them as it does,
        and give its labels, whatever their type. Unknown names are errors, and unseen
        categories are warnings.
    target, features, labels
        The name of the target, all features, in order, and all labels, if neither the text nor ``like`` gives them,
        or to override these. By default the target is called ``label``, and the features are those of the rules.

    Raises
    ------
    RuleTextError
        With the line, the column and a mark below the place, if the text cannot be read or contains unknown names.

    Examples
    --------
    >>> from unless import parse
    >>> print(parse("refuse if income <= 21000 and history is late unless guarantor is yes"))
    label: refuse if income <= 21000 and history is 'late' unless (guarantor is 'yes')
    >>> print(parse('''
    ... loan: refuse if age < 18                # nobody below 18
    ...     unless guarantor is yes
    ...         unless income is above 5,000 and at most 9,000
    ... loan: accept otherwise
    ... '''))
    loan: refuse if age < 18 unless (guarantor is 'yes' unless (income is above 5000 and at most 9000))
    loan: accept otherwise
    """
    if not isinstance(text, str):
        raise ParameterError(
            f"rules are read from a text, not from {type(text).__name__}; for a file: path.read_text()"
        )
    refuse_above_limit("model", len(text), f"a text of {len(text):,} letters")
    known = find_known_names(like, target, features, labels)
    with uncollected():
        parsed = read_rules(text)
        if parsed.empty:
            raise ProgramError("there are no rules in this text; write: refuse if income <= 21000")
        builder = ProgramBuilder(parsed, known)
        program = builder.program()
    if lines := builder.unseen_categories():
        warnings.warn("\n".join(["values that training did not have:", *lines]), UnlessWarning, stacklevel=2)
    return program


def new_categories(program: Program, table: Table) -> list[str]:
    """Return warnings about categories that rules test and no record of a table has."""
    seen = names_of_schema(table.schema, None, None, table).seen
    asked = dict.fromkeys(
        (one.feature, one.value) for one in program.literals() if one.op in ("==", "!=") and isinstance(one.value, str)
    )
    return [
        new_category_text(feature, text, seen[feature])
        for feature, text in asked
        if feature in seen and text not in seen[feature]
    ]
