"""Save the progress of learners in logs in a folder of blocks; a killed process loses at most one rule."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from unless.blocks.encoding import BlockEncoding
from unless.errors import ProgramError, ReadError
from unless.export import json as programs
from unless.learn.checkpoint import Checkpoint, WeightsLeft
from unless.rule import Program, Rule
from unless.storage.json_log import JsonLog
from unless.values import Label


@dataclass(frozen=True)
class FolderCheckpoints:
    """The checkpoints of learners that learn from a folder of blocks; ``about`` identifies the rows and blocks."""

    folder: Path
    coding: BlockEncoding
    about: Mapping[str, Any]

    def open(self, learner: str, settings: Mapping[str, Any]) -> Checkpoint:
        """Open the checkpoint file of a learner; its first line identifies the learner, settings and data."""
        about = {**self.about, "learner": learner, "settings": settings}
        head = json.dumps(about, sort_keys=True, default=self._setting_to_json)
        name = blake2b(head.encode(), digest_size=8).hexdigest()
        return FileCheckpoint.at(self.folder / f"rules-{name}.jsonl", head, self.coding)

    def _setting_to_json(self, value: Any) -> Any:
        """Convert a setting that is a rule, or a number of another library, to JSON."""
        return _rule_to_json(value, self.coding) if isinstance(value, Rule) else float(value)


def _rule_to_json(rule: Rule, coding: BlockEncoding) -> Any:
    program = Program(coding.task.target, tuple(coding.schema.kinds), (rule,))
    return programs.to_dict(program)["rules"][0]


@dataclass(kw_only=True)
class FileCheckpoint(Checkpoint):
    """A checkpoint in a file."""

    log: JsonLog
    coding: BlockEncoding

    @classmethod
    def at(cls, path: Path, head: str, coding: BlockEncoding) -> FileCheckpoint:
        """Read a checkpoint; begin a new one if none exists or if the head differs."""
        found = cls(log=JsonLog(path, head), coding=coding)
        lines = [line for line in found.log.lines if isinstance(line, list) and len(line) in (2, 3)]
        try:
            found._read(lines)
        except (ProgramError, ValueError, TypeError, LookupError, ArithmeticError, RecursionError) as error:
            raise ReadError(f"{path}: this is not the checkpoint of a learner ({error}); remove the file") from error
        return found

    def _read(self, lines: list[Any]) -> None:
        noted = [(step, node) for step, node, *more in lines if not more]
        rules = iter(self._program({"rules": [node for _, node in noted if node is not None]}).rules)
        for step, node in noted:
            self.steps[int(step)] = None if node is None else next(rules)
        for _, node, left in (line for line in lines if len(line) == 3):
            if not isinstance(node, dict):
                raise TypeError(f"the last line should contain a program, not {node!r:.60}")
            penalty = node.get("penalty")  # checkpoints of earlier versions have none
            if penalty is not None and not isinstance(penalty, int | float):
                raise TypeError(f"the penalty is {penalty!r}")
            program = self._program({name: node[name] for name in ("rules", "otherwise")})
            self.final_list = program, self._parse_weights_left(left, len(program)), penalty

    def _parse_weights_left(self, found: Any, rules: int) -> WeightsLeft:
        """Parse the weight of each label that is left before each rule and after the last."""
        left = np.array(found, np.float64)
        if left.shape != (rules + 1, len(self.coding.labels)) or not (left >= 0).all():
            raise ValueError(f"{found!r:.60} is not what {rules} rules leave of {len(self.coding.labels)} labels")
        rows: list[list[float]] = left.tolist()
        return rows

    def _program(self, node: dict[str, Any]) -> Program:
        """Parse a program in the notations of the columns."""
        schema = self.coding.schema
        about = {"format": programs.FORMAT, "version": programs.VERSION, "target": schema.target}
        notations = programs.notations_data(schema.notations)
        return programs.from_dict({**about, "features": list(schema.kinds), **notations, **node})

    def save_step(self, step: int, head: Label, rule: Rule | None) -> None:
        """Append the rule learned in a step."""
        found = None if rule is None else Rule(head, rule.default, rule.exceptions)
        self.log.append([step, None if found is None else _rule_to_json(found, self.coding)])

    def save_result(self, program: Program, left: WeightsLeft, penalty: float | None) -> None:
        """Append the final program of the learner to the file."""
        super().save_result(program, left, penalty)
        node = programs.to_dict(program)
        end = {"rules": node["rules"], "otherwise": node["otherwise"], "penalty": penalty}
        self.log.append(["end", end, [list(one) for one in left]])
