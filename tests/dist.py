"""What people install: ``make dist`` builds an sdist and wheels, installs them in fresh environments, and tries them.

The oldest Python that is found gets the oldest dependencies that pyproject.toml allows, the newest one the newest; each
tries a wheel, which is built from the sdist with a C compiler, and the sdist itself without one. The interpreters are
looked for, or named: ``PYTHONS="python3.11 /opt/python3.14/bin/python"``. It fails if a file is lacking, or if anything
does not run.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import tomllib
import venv
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["lacking", "main", "oldest", "superfluous"]

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = ("cli", "report", "logic", "sql", "excel", "onnx")  # postgres is a client of a server

TRIAL = """
import sys, tempfile, pathlib, warnings
warnings.simplefilter("ignore", RuntimeWarning)
import unless
from sklearn.datasets import load_wine
from unless.export import to_sql
from unless.kernels import compiled
from unless.logic import learn_logic
assert compiled == (sys.argv[1] == "compiled"), f"kernels compiled: {compiled}"
assert sys.prefix in unless.__file__, unless.__file__
X, y = load_wine(return_X_y=True)
model = unless.UnlessClassifier().fit(X[::2], y[::2])
assert model.score(X[1::2], y[1::2]) > 0.85
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "model.json"
    model.save(path)
    assert (unless.load(path).predict(X) == model.predict(X)).all()
    model.report(X, y, path.with_suffix(".html"))
assert "CASE" in to_sql(model)
assert learn_logic("bird(a). bird(b). cat(c).", "flies(a,yes). flies(b,yes). flies(c,no).", "flies").right == 3
"""


class FailureError(Exception):
    """Something does not build, lacks a file, or does not run."""


# What an archive must have.


def lacking(names: Iterable[str], tracked: Iterable[str]) -> list[str]:
    """The files of the package that an archive does not have; its paths may have a folder before ``unless``."""
    held = {_inside(name) for name in names}
    return [name for name in tracked if _inside(name) not in held]


def superfluous(names: Iterable[str]) -> list[str]:
    """What no archive should have: C files, tests, measurements and caches."""
    return [name for name in names if re.search(r"\.c$|(^|/)(tests|benchmarks|__pycache__)/", name)]


def _inside(name: str) -> str:
    found = re.search(r"(?:^|/)(unless/.+)", name)
    return found[1] if found else name


def oldest(requirements: Iterable[str]) -> list[str]:
    """Constraints that hold requirements to the versions of their lower bounds: ``numpy>=2`` to ``numpy==2.0.*``."""
    found = (re.match(r"([\w-]+)(?:\[[\w,]+\])?>=([\d.]+)", each) for each in requirements)
    return [f"{bound[1]}=={bound[2] if '.' in bound[2] else bound[2] + '.0'}.*" for bound in found if bound]


def _requirements() -> list[str]:
    return [*PROJECT["dependencies"], *(each for name in EXTRAS for each in PROJECT["optional-dependencies"][name])]


# Interpreters and environments.


def pythons() -> list[str]:
    """Those of PYTHONS, or those that can be found: supported versions, the oldest first."""
    named = os.environ.get("PYTHONS", "").split()
    known = [str(path) for path in Path.home().glob(".pyenv/versions/3.*/bin/python")]
    asked = named or [*known, *(f"python3.{minor}" for minor in range(11, 20)), sys.executable]
    least = tuple(map(int, re.findall(r"\d+", PROJECT["requires-python"])))
    found = {version: python for python in reversed(asked) if (version := _version(python)) and version[:2] >= least}
    if named and len(found) < len(named):
        raise SystemExit(f"of PYTHONS={' '.join(named)} only {', '.join(found.values()) or 'none'} can be used")
    return [found[version] for version in sorted(found)]


def _version(python: str) -> tuple[int, ...] | None:
    try:
        said = subprocess.run(
            [python, "-c", "import sys; print(*sys.version_info[:3])"], capture_output=True, text=True, check=False
        )
    except OSError:
        return None
    return tuple(map(int, said.stdout.split())) if said.returncode == 0 else None


@dataclass(frozen=True)
class Trial:
    """An archive in a fresh environment: which Python, which dependencies, and whether there is a C compiler."""

    python: str
    archive: Path
    old: bool = False
    compiler: bool = True

    def __str__(self) -> str:
        kind = "wheel" if self.archive.suffix == ".whl" else "sdist"
        version = ".".join(map(str, _version(self.python) or ()))
        dependencies = "oldest" if self.old else "newest"
        return f"Python {version}, {dependencies} dependencies, {kind}, {'a' if self.compiler else 'no'} C compiler"

    def run(self, folder: Path) -> None:
        """Install it, and try it: a model, the demo, and that types are there."""
        home = folder / "env"
        _run([self.python, "-m", "venv", "--clear", str(home)])
        inside = {**os.environ, "PATH": _path(home, compiler=self.compiler)}
        limits = folder / "oldest.txt"
        limits.write_text("\n".join(oldest(_requirements()) if self.old else []), "utf-8")
        install = [str(home / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check", "-c", str(limits)]
        _run([*install, f"{self.archive}[{','.join(EXTRAS)}]"], env=inside)
        compiled = "compiled" if self.compiler else "interpreted"
        _run([str(home / "bin" / "python"), "-I", "-c", TRIAL, compiled], cwd=folder)
        said = _run([str(home / "bin" / "unless"), "demo"], cwd=folder)
        if "unless guarantor is yes" not in said:
            raise FailureError(f"unless demo said\n{said}")


def _path(home: Path, *, compiler: bool) -> str:
    """Where programs are looked for. Without a compiler: only the environment itself."""
    return f"{home / 'bin'}{os.pathsep}{os.environ['PATH'] if compiler else ''}"


def _run(command: Sequence[str], cwd: Path = ROOT, env: dict[str, str] | None = None) -> str:
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        raise FailureError(f"{' '.join(command)}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout


# Everything.


def main() -> int:
    """Build, check, install and try; how many trials failed."""
    dist = ROOT / "dist"
    shutil.rmtree(dist, ignore_errors=True)
    found = pythons()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sdist = _sdist(folder, dist)
        return sum(not _works(trial, folder) for trial in _trials(found, sdist, folder))


def _works(trial: Trial, folder: Path) -> bool:
    started = time.monotonic()
    print(f"{trial} … ", end="", flush=True)
    try:
        trial.run(folder)
    except FailureError as error:
        print(f"FAILED\n{error}", flush=True)
        return False
    print(f"works ({time.monotonic() - started:.0f} s)", flush=True)
    return True


def _trials(found: Sequence[str], sdist: Path, folder: Path) -> Iterator[Trial]:
    for python in dict.fromkeys((found[0], found[-1])):
        wheel = _wheel(python, sdist, folder)
        yield Trial(python, wheel, old=python == found[0])
        yield Trial(python, sdist, old=python == found[0], compiler=False)


def _sdist(folder: Path, dist: Path) -> Path:
    """Build from a clean copy of what is tracked: nothing that lies around here can help."""
    copy = folder / "source"
    tracked = _run(["git", "ls-files"]).splitlines()
    for each in tracked:
        (copy / each).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / each, copy / each)
    builder = folder / "builder"
    venv.create(builder, with_pip=True)
    _run([str(builder / "bin" / "pip"), "install", "--quiet", "build"])
    _run([str(builder / "bin" / "python"), "-m", "build", "--sdist", "--outdir", str(dist), str(copy)])
    (sdist,) = dist.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = archive.getnames()
    _check(sdist, names, tracked)
    return sdist


def _wheel(python: str, sdist: Path, folder: Path) -> Path:
    home = folder / "wheels"
    shutil.rmtree(home, ignore_errors=True)
    _run([python, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(home), str(sdist)])
    (built,) = home.glob("*.whl")
    wheel = Path(shutil.copy(built, sdist.parent))
    with zipfile.ZipFile(wheel) as archive:
        _check(wheel, archive.namelist(), _run(["git", "ls-files"]).splitlines())
    return wheel


def _check(archive: Path, names: Sequence[str], tracked: Sequence[str]) -> None:
    package = [name for name in tracked if name.startswith("src/unless/")]
    if missing := lacking(names, package):
        raise FailureError(f"{archive.name} lacks {', '.join(missing)}")
    if extra := superfluous(names):
        raise FailureError(f"{archive.name} should not have {', '.join(extra)}")
    print(f"{archive.name}: {len(names)} files, {archive.stat().st_size / 1e6:.1f} MB, all of the package", flush=True)


if __name__ == "__main__":
    sys.exit(main())
