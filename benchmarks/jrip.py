"""RIPPER as Weka has it (JRip, of Debian's package ``weka``), for any number of classes."""

from __future__ import annotations

import re
import resource
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.rivals import Outcome, codes_of, labels_of
from unless import Table
from unless.table import Column

__all__ = ["JAR", "installed", "jrip"]

JAR = Path("/usr/share/java/weka.jar")


def installed() -> bool:
    """Whether Java and Weka are there."""
    return JAR.exists() and shutil.which("java") is not None


def jrip(train: Table, test: Table) -> Outcome:
    """Its defaults. The time on the wall is what Weka says building took, that of the CPU is all that Java took."""
    before = _children()
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / name for name in ("train.arff", "test.arff")]
        for path, table in zip(paths, (train, test), strict=True):
            path.write_text(_arff(table), "utf-8")
        said = _weka("weka.classifiers.rules.JRip", "-t", str(paths[0]), "-T", str(paths[1]))
    rules = [line for line in said.splitlines() if "=>" in line]
    literals = sum(line.count(" and ") + (not line.startswith(" =>")) for line in rules)
    return Outcome(_classes(said, test), None, len(rules), literals, _children() - before, _built(said))


def _weka(*words: str) -> str:
    command = ["java", "-Xmx2g", "-XX:+UseSerialGC", "-cp", str(JAR), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode or "=== Confusion Matrix ===" not in done.stdout:
        raise RuntimeError((done.stderr or done.stdout or f"Java ended with {done.returncode}").strip())
    return done.stdout


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _built(said: str) -> float:
    found = re.search(r"Time taken to build model: ([\d.]+) seconds", said)
    return float(found[1]) if found else 0.0


def _classes(said: str, test: Table) -> np.ndarray:
    """A class for every record, as the matrix of confusion counts them: records of one label are all alike to us."""
    lines = said.rpartition("=== Confusion Matrix ===")[2].splitlines()
    counts = [[int(cell) for cell in line.partition("|")[0].split()] for line in lines if "|" in line]
    truth = codes_of(test)
    classes = np.full(len(truth), -1)
    for code, row in enumerate(counts):
        classes[truth == code] = np.repeat(np.arange(len(row)), row)
    return classes


# Tables as Weka reads them: names and categories are numbered, since both may hold anything.


def _arff(table: Table) -> str:
    kinds = [_kind(column) for column in table.columns]
    labels = ",".join(f"k{code}" for code in range(len(labels_of(table))))
    head = [f"@attribute a{place} {kind}" for place, kind in enumerate(kinds)]
    cells = [_cells(column) for column in table.columns]
    rows = zip(*cells, [f"k{code}" for code in codes_of(table)], strict=True)
    return "\n".join(["@relation r", *head, f"@attribute label {{{labels}}}", "@data", *map(",".join, rows), ""])


def _kind(column: Column) -> str:
    if column.kind != "text":
        return "numeric"
    return "{" + ",".join(f"v{code}" for code in range(len(column.categories) + 1)) + "}"


def _cells(column: Column) -> list[str]:
    """Numbers, text among them as missing; or numbered categories."""
    if column.kind == "text":
        return [f"v{code}" for code in column.codes]
    known = [*map(repr, column.numbers.tolist()), *["?"] * (len(column.categories) + 1)]
    return [known[code] for code in column.codes]
