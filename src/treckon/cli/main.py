"""``treckon COMMAND``: the commands, and what their exit statuses mean.

A command is a line of `COMMANDS` and a module with

EXAMPLES:                 the end of its help
add_arguments(parser):    adds its arguments to an argparse.ArgumentParser
run(arguments) -> status: does it. It raises a TreckonError where it can't, and writes to standard output at the very
                          end (`output.write`), when nothing can fail any more.

Exit status of all of them: 0 done, or the verdict is yes; 1 the verdict is no; 2 wrong usage, unreadable input,
output that can't be written; 130 interrupted.
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module

from treckon import __version__
from treckon.cli.output import tell, write
from treckon.errors import TreckonError, did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType
    from typing import Any, NoReturn

#: Each command and what it does, in the order of the help; its module in this package has its name. `trec_eval` is a
#: program of its own, with its own options.
COMMANDS = {
    "eval": "score runs by any measures and conventions",
    "compare": "compare runs with a baseline: differences, intervals and significance tests",
    "leaderboard": "rank the submissions to a shared task, or score one for a competition platform",
    "check": "find all problems in a run or in qrels, with line, query and severity",
    "gate": "check a run against thresholds agreed beforehand",
    "crosscheck": "find out why another tool prints other numbers",
    "convert": "convert runs and qrels from one format to another",
    "measures": "list the measures, or document some of them",
    "trec_eval": "score a run as NIST's trec_eval does, byte for byte",
}

_USAGE = "Usage: treckon COMMAND [arguments]\n"
_ERROR, _INTERRUPTED = 2, 130


class UsageError(TreckonError):
    """A command line that can't be read."""


class Parser(argparse.ArgumentParser):
    """A parser that raises, instead of ending the process, and whose usage is one line."""

    def __init__(self, **more: Any) -> None:
        self._inputs: list[str] = []
        super().__init__(add_help=False, allow_abbrev=False, **more)

    def add_argument(self, *names: str, **more: Any) -> argparse.Action:
        """Adds an argument of the command itself, not of a group of them."""
        if not names[0].startswith("-"):
            name, repeated = str(more.get("metavar", names[0])), str(more.get("nargs"))
            self._inputs.append({"+": f"{name}...", "*": f"[{name}...]", "?": f"[{name}]"}.get(repeated, name))
            self.usage = " ".join(["%(prog)s [options]", *self._inputs])
        return super().add_argument(*names, **more)

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message} (see {self.prog} --help)")


def _parser(name: str, module: ModuleType) -> Parser:
    parser = Parser(
        prog=f"treckon {name}",
        description=COMMANDS[name],
        epilog=module.EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("-h", "--help", action="store_true", default=False, help="this text")
    module.add_arguments(parser)
    return parser


def _run(argv: Sequence[str]) -> int:
    if not argv:
        raise UsageError(f"expected a command: {', '.join(COMMANDS)} (see treckon --help)")
    name, *rest = argv
    if name in ("-h", "--help"):
        write(_help())
        return 0
    if name in ("-V", "--version"):
        write(f"treckon {__version__}\n")
        return 0
    if name not in COMMANDS:
        raise UsageError(f"unknown command '{name}'{did_you_mean(name, COMMANDS)} (treckon --help lists them)")
    module = import_module(f"treckon.cli.{name}")
    if hasattr(module, "main"):
        status: int = module.main(rest)
        return status
    parser = _parser(name, module)
    if "-h" in rest or "--help" in rest:  # even where other arguments are wrong
        write(parser.format_help())
        return 0
    arguments = parser.parse_intermixed_args(rest)
    arguments.command = name
    status = module.run(arguments)
    return status


def _help() -> str:
    width = max(map(len, COMMANDS))
    lines = [f"  {name:<{width}}  {summary}\n" for name, summary in COMMANDS.items()]
    return (
        f"{_USAGE}\nScores ranked retrieval runs against relevance judgements.\n\n{''.join(lines)}\n"
        "  treckon COMMAND --help     what a command does, its options, and examples\n"
        "  treckon --version\n\n"
        "Exit status: 0 done, or the verdict is yes; 1 the verdict is no; 2 wrong usage, input that can't be read or\n"
        "output that can't be written; 130 interrupted. trec_eval has its own (treckon trec_eval -h).\n"
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command that the first argument names; the exit status."""
    argv = sys.argv[1:] if argv is None else argv
    command = f"treckon {argv[0]}" if argv and argv[0] in COMMANDS else "treckon"
    try:
        return _run(argv)
    except (TreckonError, ImportError) as error:  # of a library that an extra installs
        tell(f"{command}: {error}\n")
    except MemoryError:
        tell(f"{command}: out of memory\n")
    except BrokenPipeError:
        pass
    except OSError as error:
        place = "" if error.filename is None else f"{error.filename}: "
        tell(f"{command}: {place}{error.strerror or error}\n")
    except KeyboardInterrupt:
        return _INTERRUPTED
    return _ERROR
