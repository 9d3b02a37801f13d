"""Write and read the header from which the text of a relational program for logic engines is read back.

Comments that begin with ``%:`` hold the rules and the features as JSON, and a fingerprint of the clauses below, so that
edited clauses are rejected: the program that is read is always the one that runs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

from unless.errors import ProgramError
from unless.export.json import from_dict, to_dict
from unless.logic.engine_names import exact_json
from unless.logic.read_header import parsed_headers
from unless.relational import FeatureSet, RelationalProgram


def header_lines(program: RelationalProgram, clauses: Sequence[str]) -> Iterator[str]:
    """Write the header of a text with these clauses."""
    lines = [one for one in clauses if not one.startswith("%")]
    yield f"%: {exact_json(to_dict(program.program))}"
    yield f"%: {exact_json(program.used.to_dict())}"
    yield f"%: {exact_json({'clauses': len(lines), 'fingerprint': _fingerprint(lines)})}"


def relational_from_text(text: str) -> RelationalProgram:
    """Read back a relational program that `relational_to_clingo` or `relational_to_prolog` wrote."""
    match parsed_headers(text):
        case [dict() as rules, dict() as features, {"clauses": int(count), "fingerprint": str(fingerprint)}]:
            program = RelationalProgram(from_dict(rules), FeatureSet.from_dict(features))
        case _:
            raise ProgramError("the header of a relational program needs rules, features and a fingerprint")
    lines = [one for one in text.split("\n") if one and not one.startswith(("%", ":-"))]
    if _fingerprint(lines[:count]) != fingerprint:
        raise ProgramError("the clauses are not those that the header describes; change the model, and export it again")
    return program


def _fingerprint(lines: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]
