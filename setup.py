"""Compile the kernels where a C compiler is found; everything else is in pyproject.toml."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

QUIET = {"quiet": True, "compiler_directives": {"warn.unreachable": False}}


class OptionalBuildExt(build_ext):
    """A build that survives a missing or broken compiler: the same kernels then run interpreted, and say so once.

    If one kernel cannot be compiled, none is kept: they call each other as C functions. Kernels in the source folder
    that are newer than their sources are copied, not compiled again: ``make`` compiles there first.
    """

    failed = False
    done = 0

    def run(self) -> None:
        try:
            super().run()
        except Exception as error:  # noqa: BLE001 - whatever the compiler does, the package still works
            self.give_up(error)

    def build_extension(self, ext: Extension) -> None:
        target, found = Path(self.get_ext_fullpath(ext.name)), Path("src", self.get_ext_filename(ext.name))
        sources = [Path("src", *ext.name.split(".")).with_suffix(".py"), *found.parent.glob("*.pxd")]
        if not self.force and found.exists() and found.stat().st_mtime >= max(path.stat().st_mtime for path in sources):
            target.parent.mkdir(parents=True, exist_ok=True)
            self.copy_file(str(found), str(target))
            return
        start = time.monotonic()
        # Contracting a*b+c to one rounding would break ties differently from the published algorithm.
        if self.compiler.compiler_type == "msvc":
            ext.extra_compile_args = ["/O2", "/fp:precise"]
        else:
            ext.extra_compile_args = ["-O3", "-g0", "-ffp-contract=off"]  # -g is four fifths of a wheel
        try:
            super().build_extension(ext)
        except Exception as error:  # noqa: BLE001
            self.give_up(error)
            return
        self.done += 1
        name, seconds = ext.name.rpartition(".")[2], time.monotonic() - start
        print(f"  {self.done:>2} of {len(self.extensions)} kernels compiled: {name}, {seconds:.0f} s", flush=True)

    def build_extensions(self) -> None:
        # Cython's compiler may not run in threads; the C compiler takes most of the time, and may.
        for extension in self.extensions:
            extension.sources = cythonize(extension, force=self.force, **QUIET)[0].sources
        self.parallel = self.parallel or True  # as many as there are cores
        super().build_extensions()
        if self.failed:
            for extension in self.extensions:
                Path(self.get_ext_fullpath(extension.name)).unlink(missing_ok=True)

    def copy_extensions_to_source(self) -> None:
        if self.failed:
            return
        try:
            super().copy_extensions_to_source()
        except Exception as error:  # noqa: BLE001
            self.give_up(error)

    def give_up(self, error: Exception) -> None:
        self.failed = True
        print(f"unless: the kernels were not compiled ({error}); they will run interpreted, slowly", file=sys.stderr)


kernels = sorted(path.as_posix() for path in Path("src/unless/kernels").glob("[!_]*.py"))
setup(
    ext_modules=[Extension(f"unless.kernels.{Path(path).stem}", [path], optional=True) for path in kernels],
    cmdclass={"build_ext": OptionalBuildExt},
)
