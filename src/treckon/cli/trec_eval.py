"""The command ``trec_eval``: NIST's, option for option and byte for byte."""

from __future__ import annotations

import os
import sys

from treckon import __version__
from treckon.cli.getopt_long import OptionError, parse
from treckon.cli.output import tell, to_standard_output
from treckon.errors import (
    EvaluationError,
    InputError,
    NoQueriesError,
    ParameterError,
    TreckonError,
    UnknownMeasureError,
    shortened,
)
from treckon.releases import RELEASES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from treckon.evaluation.policy import TrecEvalPolicy
    from treckon.evaluation.scoring import ScoredRun
    from treckon.inputs.zscores import ZScores
    from treckon.naming.trec_eval import Request

USAGE = """\
Usage: trec_eval [-h] [-q] {-m measure}* trec_rel_file trec_top_file
   -h: Give full help information, including other options
   -q: In addition to summary evaluation, give evaluation for each query
   -m: calculate and print measure (or nickname, such as 'official', 'all_trec'),
       repeatable: one -m for each; default is 'official'
"""

_SHORT = "hvqm:cl:nD:JN:M:R:T:oZ:"
_LONG = {
    "help": False, "version": False, "query_eval_wanted": False, "measure": True, "complete_rel_info_wanted": False,
    "level_for_rel": True, "nosummary": False, "Debug_level": True, "Judged_docs_only": False,
    "Number_docs_in_coll": True, "Max_retrieved_per_topic": True, "Rel_info_format": True, "Results_format": True,
    "Output_old_results_format": True, "Zscore": True,
}  # fmt: skip
_OWN_LONG = {"compat": True, "strict": False, "quiet": False, "threads": True}
_LETTERS = {
    "help": "h", "version": "v", "query_eval_wanted": "q", "measure": "m", "complete_rel_info_wanted": "c",
    "level_for_rel": "l", "nosummary": "n", "Debug_level": "D", "Judged_docs_only": "J", "Number_docs_in_coll": "N",
    "Max_retrieved_per_topic": "M", "Rel_info_format": "R", "Results_format": "T", "Output_old_results_format": "o",
    "Zscore": "Z",
}  # fmt: skip

# Exit statuses, trec_eval's.
_USAGE, _INPUT, _CALCULATION, _NO_QUERIES, _ZSCORES = 1, 2, 4, 7, 255


class _Exit(Exception):
    """Ends the command with a status and what is still to be said on stderr."""

    def __init__(self, status: int, message: str = "") -> None:
        super().__init__(message)
        self.status = status


class Options:
    """What a command line asks for."""

    def __init__(self) -> None:
        self.help = False
        self.per_query = False
        self.summary = True
        self.complete = False
        self.condensed = False
        self.measures: list[str] = []
        self.level = 1
        self.n_docs = 0
        self.depth: int | None = None
        self.rel_format = "qrels"
        self.results_format = "trec_results"
        self.only: str | None = None
        self.zscores: str | None = None
        self.release = os.environ.get("TRECKON_COMPAT", "") or RELEASES[-1]
        self.strict = False
        self.quiet = False
        self.threads = 0
        self.files: list[str] = []


def _whole_number(option: str, text: str, lowest: int | None = 0) -> int:
    from treckon._native.numbers import integer_prefix

    value, whole = integer_prefix(text)
    if not whole or (lowest is not None and value < lowest):
        from_lowest = "" if lowest is None else f" from {lowest}"
        problem = f"option {option}: expected a whole number{from_lowest}, found '{text}'"
        raise _Exit(_USAGE, f"trec_eval: {problem}\n{USAGE}")
    return int(value)


def read_options(argv: list[str]) -> Options:
    """The options of a command line. Raises `_Exit` for one that can't be read, and for ``-v``."""
    options = Options()
    try:
        for name, argument in parse("trec_eval", argv, _SHORT, _LONG, _OWN_LONG, options.files):
            _set_option(options, _LETTERS.get(name, name), argument or "")
    except OptionError as error:
        raise _Exit(_USAGE, f"{error}\n{USAGE}") from None
    _check_release(options)
    return options


def _check_release(options: Options) -> None:
    if options.release not in RELEASES:
        expected = " or ".join(RELEASES)
        raise _Exit(_USAGE, f"trec_eval: --compat, TRECKON_COMPAT: expected {expected}, found '{options.release}'\n")


def _set_option(options: Options, letter: str, argument: str) -> None:
    if letter == "v":  # at once, whatever follows
        _check_release(options)
        _check_measures(options)
        raise _Exit(0, f"trec_eval version {options.release} (treckon {__version__})\n")
    if letter in _FLAGS:
        name, value = _FLAGS[letter]
        setattr(options, name, value)
    elif letter == "m":
        options.measures.append(argument)
    elif letter == "l":
        options.level = _whole_number("-l", argument)
    elif letter == "M":
        options.depth = _whole_number("-M", argument)
    elif letter == "N":
        options.n_docs = _whole_number("-N", argument, lowest=None)
    elif letter == "threads":
        options.threads = _whole_number("--threads", argument, lowest=1)
    elif letter == "D":
        _, dot, qid = argument.partition(".")
        options.only = qid if dot else options.only
    elif letter in _TEXTS:
        setattr(options, _TEXTS[letter], argument)


_FLAGS = {
    "h": ("help", True), "q": ("per_query", True), "c": ("complete", True), "n": ("summary", False),
    "J": ("condensed", True), "strict": ("strict", True), "quiet": ("quiet", True),
}  # fmt: skip
_TEXTS = {"R": "rel_format", "T": "results_format", "Z": "zscores", "compat": "release"}


def _request(options: Options) -> Request:
    from treckon.naming.trec_eval import request

    return request(options.measures or ["official"], options.release)


def _check_measures(options: Options) -> None:
    """Refuses unknown names; parameters are checked later."""
    try:
        _request(options)
    except (ParameterError, EvaluationError):
        pass


def _say(options: Options, message: str) -> None:
    """A note or warning on stderr."""
    if not options.quiet:
        tell(f"trec_eval: {message}\n")


def evaluate(options: Options) -> Iterator[bytes]:
    """The output of the command, in pieces. Everything that can fail is done before the first."""
    from treckon.evaluation.scoring import RunFile, score_run
    from treckon.inputs.formats.trec import JUDGEMENT_FORMATS, RUN_FORMATS
    from treckon.inputs.reading import read_qrels
    from treckon.inputs.sources import Source

    request = _request(options)
    if options.strict and request.warnings:
        raise ParameterError(request.warnings[0])
    for warning in request.warnings:
        _say(options, f"warning: {warning}")
    form = JUDGEMENT_FORMATS.get(options.rel_format)
    if form is None:
        raise _Exit(_INPUT, f"trec_eval: illegal rel_format '{options.rel_format}'\n")
    qrels_path, run_path = options.files
    if qrels_path == "-" and run_path == "-":
        raise _Exit(_USAGE, f"trec_eval: expected one file from standard input, found '-' for both\n{USAGE}")
    with Source(qrels_path) as qrels_source:
        judgements = read_qrels(qrels_source, form, release=options.release, strict=options.strict)
        if options.results_format not in RUN_FORMATS:
            raise _Exit(_INPUT, f"trec_eval: illegal retrieval results format '{options.results_format}'\n")
        with Source(run_path) as run_source:
            zscores = None if options.zscores is None else _read_zscores(options, options.zscores)
            policy = _policy(options)
            policy.check_measures(request.measures, judgements)
            run = RunFile(run_source, options.release, strict=options.strict, threads=options.threads)
            scored = score_run(judgements.table, request.measures, run, policy, fault=judgements.fault, zscores=zscores)
            for warning in (*judgements.warnings, *scored.warnings):
                _say(options, f"warning: {warning}")
    _note_missing(options, scored)
    return _lines(options, scored)


def _policy(options: Options) -> TrecEvalPolicy:
    from treckon.evaluation.policy import TrecEvalPolicy

    return TrecEvalPolicy.of(
        options.release,
        level=options.level,
        depth=options.depth,
        condensed=options.condensed,
        n_docs=options.n_docs,
        only=None if options.only is None else os.fsencode(options.only),
        complete=options.complete,
    )


def _read_zscores(options: Options, path: str) -> ZScores:
    from treckon.inputs.sources import Source
    from treckon.inputs.zscores import read_zscores

    try:
        with Source(path) as source:
            zscores = read_zscores(source, strict=options.strict)
    except InputError as error:
        raise _Exit(_ZSCORES, f"trec_eval: {error}\n") from None
    for warning in zscores.warnings:
        _say(options, f"warning: {warning}")
    return zscores


def _note_missing(options: Options, scored: ScoredRun) -> None:
    """Without -c: says how many judged queries the averages leave out."""
    if options.complete or options.only is not None:
        return
    table = scored.results.qrels
    missing = scored.results.missing()
    if missing:
        _say(
            options,
            f"note: {len(missing)} of {len(table)} judged queries are missing from the run, for example "
            f"'{shortened(table.query_id(missing[0]))}'; averages are over the {len(table) - len(missing)} in both "
            "(-c averages over all)",
        )


def _lines(options: Options, scored: ScoredRun) -> Iterator[bytes]:
    from treckon.reports.trec_text import QueryBlocks, summary_lines

    results = scored.results
    if options.per_query:
        blocks = QueryBlocks(scored.measures, scored.zscored)
        for query in results.evaluated():
            yield blocks.block(results.qrels.query_id(query), results.row(query))
    if options.summary:
        yield from summary_lines(scored.measures, scored.summary(), scored.zscored)


def _run(argv: list[str]) -> int:
    options = read_options(argv)
    if options.help:
        from treckon.cli.trec_eval_help import help_text

        request = _request(options) if options.measures else None
        text = help_text(options.release, options.results_format, options.rel_format, request)
        to_standard_output([text.encode("utf-8", "surrogateescape")])
        return 0
    if len(options.files) != 2:
        raise _Exit(_USAGE, USAGE)
    to_standard_output(evaluate(options))
    return 0


_STATUS = (
    (UnknownMeasureError, _USAGE), (ParameterError, _INPUT), (InputError, _INPUT), (EvaluationError, _CALCULATION),
    (NoQueriesError, _NO_QUERIES),
)  # fmt: skip


def main(argv: list[str] | None = None) -> int:
    """Runs the command; the exit status."""
    try:
        return _run(sys.argv[1:] if argv is None else argv)
    except _Exit as end:
        tell(str(end))
        return end.status
    except TreckonError as error:
        tell(f"trec_eval: {error}\n")
        return next(status for kind, status in _STATUS if isinstance(error, kind))
    except BrokenPipeError:  # the reader has seen enough
        return 0
    except MemoryError:
        tell("trec_eval: out of memory\n")
        return 3
    except OSError as error:
        tell(f"trec_eval: cannot write standard output: {error.strerror}\n")
        return _USAGE
    except KeyboardInterrupt:
        return 130
