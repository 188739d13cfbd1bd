"""Builds the extension modules; everything else about the package stands in pyproject.toml.

Two modes by environment variable, both for development and both to be built with `--force` (see CONTRIBUTING.md):
TRECKON_SANITIZE=1 compiles with the address and undefined-behaviour sanitizers,
TRECKON_COVERAGE=1 traces lines, so that coverage.py can see the kernels.
"""

import os
import tempfile
from pathlib import Path

from Cython.Build import cythonize
from Cython.Compiler import Options
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import CompileError

SOURCE = Path("src")
SANITIZE = os.environ.get("TRECKON_SANITIZE") == "1"
COVERAGE = os.environ.get("TRECKON_COVERAGE") == "1"

DIRECTIVES = {
    "language_level": 3,
    "boundscheck": False,
    "wraparound": False,
    "initializedcheck": False,
    "cdivision": True,
    "freethreading_compatible": True,
    "linetrace": COVERAGE,
    "warn.maybe_uninitialized": True,
    "warn.unused": True,
}
Options.warning_errors = True

# Contracted multiply-adds round once where the reference rounds twice, so a value could differ from one processor to
# the next; for the same reason nothing here is compiled for the processor at hand.
COMPILE_FLAGS = {"msvc": ["/O2", "/fp:precise"], "unix": ["-O3", "-ffp-contract=off"]}
SANITIZE_FLAGS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer", "-O1", "-g"]

NO_COMPILER = (
    "treckon needs a C compiler (gcc, clang or MSVC) to build from source, and {compiler} cannot be run. "
    "Debian, Ubuntu: apt install gcc python3-dev; Fedora: dnf install gcc python3-devel; "
    "macOS: xcode-select --install; Windows: Visual Studio Build Tools"
)
NO_HEADERS = (
    "treckon needs Python's C headers to build from source, and {compiler} does not find Python.h. "
    "Debian, Ubuntu: apt install python3-dev; Fedora: dnf install python3-devel"
)


def extensions():
    """One extension a .pyx file. A changed header rebuilds all of them; changed .pxd files are followed by Cython."""
    headers = sorted(str(path) for path in SOURCE.rglob("*.h"))
    return [
        Extension(
            ".".join(path.relative_to(SOURCE).with_suffix("").parts),
            [str(path)],
            include_dirs=[str(SOURCE / "treckon" / "_native")],
            depends=headers,
            define_macros=[("CYTHON_TRACE_NOGIL", "1"), ("CYTHON_USE_SYS_MONITORING", "0")] if COVERAGE else [],
        )
        for path in sorted(SOURCE.rglob("*.pyx"))
    ]


class BuildExtensions(build_ext):
    """Looks whether there is anything to compile with, translates, and compiles on all processors."""

    def finalize_options(self):
        super().finalize_options()
        self.parallel = self.parallel or os.cpu_count()

    def build_extensions(self):
        self.check_compiler()
        # The coverage plugin looks for the C file beside the module; else no generated file lies in src.
        build_dir = None if COVERAGE else "build/cython"
        translated = cythonize(
            self.extensions, compiler_directives=DIRECTIVES, build_dir=build_dir, force=self.force or None
        )
        for extension, translation in zip(self.extensions, translated, strict=True):
            extension.sources = translation.sources
            if self.compiler.compiler_type == "msvc":
                extension.extra_compile_args = COMPILE_FLAGS["msvc"]
            else:
                extension.extra_compile_args = COMPILE_FLAGS["unix"] + (SANITIZE_FLAGS if SANITIZE else [])
                extension.extra_link_args = SANITIZE_FLAGS if SANITIZE else []
                extension.libraries = ["m"]
        super().build_extensions()

    def check_compiler(self):
        """Says in one line what is missing, where the compiler's own errors would need a search."""
        compiler = getattr(self.compiler, "compiler", None)
        name = compiler[0] if compiler else self.compiler.compiler_type
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "probe.c")
            for message, text in ((NO_COMPILER, "int treckon;\n"), (NO_HEADERS, "#include <Python.h>\n")):
                path.write_text(text)
                try:
                    self.compiler.compile([str(path)], output_dir=folder)
                except Exception as error:  # each kind of compiler raises its own, MSVC's when it is first looked for
                    raise CompileError(message.format(compiler=name)) from error


setup(ext_modules=extensions(), cmdclass={"build_ext": BuildExtensions})
