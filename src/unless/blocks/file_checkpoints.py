"""Diaries in a folder of blocks: the rules so far, a line for each, so that a killed process loses at most one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from unless.blocks.encoding import BlockEncoding
from unless.errors import ProgramError, ReadError
from unless.export import json as programs
from unless.files import name_file_in_errors, open_privately
from unless.learn.checkpoint import Checkpoint, WeightsLeft
from unless.rule import Program, Rule


@dataclass(frozen=True)
class FolderCheckpoints:
    """The diaries of learners that learn from the blocks of a folder; ``about`` says which rows of which blocks."""

    folder: Path
    coding: BlockEncoding
    about: Mapping[str, Any]

    def open(self, learner: str, settings: Mapping[str, Any]) -> Checkpoint:
        """The page of a learner: a file of its own, whose first line says what it is about."""
        about = {**self.about, "learner": learner, "settings": settings}
        head = json.dumps(about, sort_keys=True, default=float)
        name = blake2b(head.encode(), digest_size=8).hexdigest()
        return FileCheckpoint.at(self.folder / f"rules-{name}.jsonl", head, self.coding)


@dataclass(kw_only=True)
class FileCheckpoint(Checkpoint):
    """A page in a file. Lines that are not whole are skipped: the process that wrote them was killed."""

    path: Path
    coding: BlockEncoding

    @classmethod
    def at(cls, path: Path, head: str, coding: BlockEncoding) -> FileCheckpoint:
        """Read a page; begin one if there is none, or if it is about something else."""
        found = cls(path=path, coding=coding)
        text = path.read_bytes() if path.is_file() else b""
        lines = text.split(b"\n")
        if lines[0] != head.encode():
            path.unlink(missing_ok=True)
            found._append(head.encode())
            return found
        if lines[-1]:
            found._append(b"")  # ends a line that was torn
        try:
            found._read([line for line in map(_parse_line, lines[1:]) if line is not None])
        except (ProgramError, ValueError, TypeError, LookupError, ArithmeticError, RecursionError) as error:
            raise ReadError(f"{path}: these are not the notes of a learner ({error}); remove the file") from error
        return found

    def _read(self, lines: list[Any]) -> None:
        noted = [(step, node) for step, node, *more in lines if not more]
        rules = iter(self._program({"rules": [node for _, node in noted if node is not None]}).rules)
        for step, node in noted:
            self.steps[int(step)] = None if node is None else next(rules)
        for _, node, left in (line for line in lines if len(line) == 3):
            if not isinstance(node, dict):
                raise TypeError(f"the last line has {node!r:.60} for a program")
            penalty = node.get("penalty")  # notes of former versions have none
            if penalty is not None and not isinstance(penalty, int | float):
                raise TypeError(f"the penalty is {penalty!r}")
            program = self._program({name: node[name] for name in ("rules", "otherwise")})
            self.final_list = program, self._parse_weights_left(left, len(program)), penalty

    def _parse_weights_left(self, found: Any, rules: int) -> WeightsLeft:
        """How much of each label was left before each rule, and after the last."""
        left = np.array(found, np.float64)
        if left.shape != (rules + 1, len(self.coding.labels)) or not (left >= 0).all():
            raise ValueError(f"{found!r:.60} is not what {rules} rules leave of {len(self.coding.labels)} labels")
        rows: list[list[float]] = left.tolist()
        return rows

    def _program(self, node: dict[str, Any]) -> Program:
        """A program in the notations of the columns."""
        schema = self.coding.schema
        about = {"format": programs.FORMAT, "version": programs.VERSION, "target": schema.target}
        notations = programs.notations_data(schema.notations)
        return programs.from_dict({**about, "features": list(schema.kinds), **notations, **node})

    def save_step(self, step: int, rule: Rule | None) -> None:
        """Note what was learned in a step, in the file too."""
        super().save_step(step, rule)
        if rule is None:
            self._write([step, None])
        else:
            schema = self.coding.schema
            program = Program(str(schema.target), tuple(schema.kinds), (rule,))
            self._write([step, programs.to_dict(program)["rules"][0]])

    def save_result(self, program: Program, left: WeightsLeft, penalty: float | None) -> None:
        """Note the program that the learner ended with, in the file too."""
        super().save_result(program, left, penalty)
        node = programs.to_dict(program)
        end = {"rules": node["rules"], "otherwise": node["otherwise"], "penalty": penalty}
        self._write(["end", end, [list(one) for one in left]])

    def _write(self, line: list[Any]) -> None:
        text = json.dumps(line, default=float, separators=(",", ":")).encode()
        self._append(b"%08x %s" % (crc32(text), text))

    def _append(self, line: bytes) -> None:
        with name_file_in_errors(self.path), open(self.path, "ab", opener=open_privately) as file:
            file.write(line + b"\n")


def _parse_line(line: bytes) -> list[Any] | None:
    """A line that is whole: it begins with its checksum."""
    check, _, text = line.partition(b" ")
    try:
        if int(check, 16) != crc32(text):
            return None
        found = json.loads(text)
    except ValueError:
        return None
    return found if isinstance(found, list) and len(found) in (2, 3) else None
