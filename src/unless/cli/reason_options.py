"""Options for reasons: which columns `unless predict` adds, and where it logs decisions."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from unless.cli.file_io import check_file_conflicts
from unless.cli.options import OUTPUT, Codes, MostReasons, complete_columns, flag_option, value_option
from unless.stream.decision_log import LogOptions


@dataclass(frozen=True, slots=True)
class ReasonColumns:
    """The reasons to add to predictions, and the log of decisions."""

    reasons: Annotated[
        bool, flag_option("Add the principal reasons for each decision: codes and texts.", "--reasons", panel=OUTPUT)
    ] = False
    codes: Codes = None
    most: MostReasons = None
    log: Annotated[
        str | None, value_option("FILE", "Append a line of JSON for each decision to this file.", panel=OUTPUT)
    ] = None
    log_key: Annotated[
        str | None,
        value_option(
            "COLUMN", "With --log: the column that identifies records.", panel=OUTPUT, complete=complete_columns
        ),
    ] = None
    log_values: Annotated[
        bool,
        flag_option("With --log: log the values that rules test; they may be personal.", "--log-values", panel=OUTPUT),
    ] = False

    def check_log(self, output: str, model: str, data: str, form: str | None) -> None:
        """Reject options that do not fit together, and a log that is another file of the command."""
        if self.most is not None and not self.wanted and self.log is None:
            raise typer.BadParameter("it needs --reasons", param_hint="--most")
        for option, given in (("--log-key", self.log_key is not None), ("--log-values", self.log_values)):
            if given and self.log is None:
                raise typer.BadParameter("it needs --log", param_hint=option)
        if self.log == "-":
            raise typer.BadParameter("a log is a file; name one, such as decisions.jsonl", param_hint="--log")
        if self.log is not None:
            check_file_conflicts(self.log, model, data, self.codes, format=form)
            if Path(os.path.realpath(output)) in Path(os.path.realpath(self.log)).parents:
                raise typer.BadParameter(f"it is in {output}, the folder of the output", param_hint="--log")

    def refuse(self, why: str) -> None:
        """Reject reasons and logs, which a model cannot have."""
        if self.wanted or self.log is not None:
            raise typer.BadParameter(why, param_hint="--reasons" if self.wanted else "--log")

    @property
    def wanted(self) -> bool:
        """Whether reasons are columns of the output."""
        return self.reasons or self.codes is not None

    @property
    def options(self) -> dict[str, Any]:
        """The parameters of `predict_file`."""
        log = None if self.log is None else LogOptions(self.log, self.log_key, self.log_values)
        return {"reasons": self.codes or self.wanted, "log": log, **({} if self.most is None else {"most": self.most})}
