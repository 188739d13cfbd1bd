"""``python -m treckon.compat run script.py``: runs a program with treckon in the place of pytrec_eval."""

from __future__ import annotations

import argparse
import os
import runpy
import sys

from treckon.compat import install

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the program that the arguments name, in this process."""
    parser = argparse.ArgumentParser(
        prog="python -m treckon.compat", description="Runs Python programs that use pytrec_eval with treckon instead."
    )
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser(
        "run",
        usage="python -m treckon.compat run (SCRIPT | -m MODULE) [ARGUMENT ...]",
        help="run a script or module",
        description="Runs a script, or a module as python -m does, with its arguments. Whatever it imports as "
        "pytrec_eval is treckon.",
    )
    run.add_argument("-m", dest="module", action="store_true", help="run a module")
    run.add_argument("program", metavar="SCRIPT", help="path of a script, or with -m the name of a module")
    run.add_argument("arguments", metavar="ARGUMENT", nargs=argparse.REMAINDER, help="arguments of the program")
    options = parser.parse_args(arguments)

    install("pytrec_eval")
    sys.argv[:] = [options.program, *options.arguments]
    if options.module:
        runpy.run_module(options.program, run_name="__main__", alter_sys=True)
        return
    if not os.path.exists(options.program):
        run.error(f"expected a script, found no file '{options.program}'")
    sys.path[0] = os.path.dirname(os.path.abspath(options.program))
    runpy.run_path(options.program, run_name="__main__")


if __name__ == "__main__":
    main()
