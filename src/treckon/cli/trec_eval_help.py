"""What ``trec_eval -h`` says: the command, the formats, and the documentation of the requested measures."""

from __future__ import annotations

from treckon.inputs.formats.trec import JUDGEMENT_FORMATS, RUN_FORMATS
from treckon.naming.releases import NICKNAMES
from treckon.releases import RELEASE_9, RELEASES
from treckon.reports.measure_text import measure_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from treckon.inputs.formats.registry import Format
    from treckon.naming.trec_eval import Request

_RULE = "-----------------------\n"

_GENERAL = """\
trec_eval [options] qrels run

Scores a run (ranked retrieval results) against relevance judgements, as NIST's trec_eval does, release
{release} here. Each line of output is the name of a measure, a query (or "all") and a value.

Either file may be "-" (standard input), a pipe, or compressed with gzip, bzip2, xz or zstd.

  -h, --help                       this text; with -m also the documentation of those measures
  -v, --version                    the version, on stderr
  -q, --query_eval_wanted          a block of lines for each query too, in the byte order of their ids
  -m, --measure NAME[.PARAMETERS]  a measure or nickname, repeatable; "official" where none is given. Parameters
                                   are separated by commas: P.5,10 (also P_5,10), ndcg.1=3,2=9, utility.1,-1,0,0
  -c, --complete_rel_info_wanted   averages are over all judged queries; those missing from the run count as
                                   having retrieved nothing. Without it, averages are over the queries in both
  -l, --level_for_rel NUMBER       lowest grade that is relevant (1). The gain measures ignore it
  -n, --nosummary                  no lines for all queries together
  -J, --Judged_docs_only           unjudged documents are taken out of the ranking, after the cut of -M
  -M, --Max_retrieved_per_topic N  only the first N documents of a query count
  -N, --Number_docs_in_coll N      documents in the collection (0), for utility
  -R, --Rel_info_format FORMAT     of the judgements: {judgement_formats} (qrels)
  -T, --Results_format FORMAT      of the run: {run_formats}
  -Z, --Zscore FILE                prints z-scores: each value less its mean, by its standard deviation
  -D, --Debug_level LEVEL[.QUERY]  only that query is evaluated; there is no debugging text
  -o                               no effect

Long options may be shortened as long as they stay unique. More than NIST's program has:

  --compat RELEASE                 9.0.8 or 10.0: the release to follow (default {default}); the environment variable
                                   TRECKON_COMPAT sets it for scripts
  --strict                         a number that isn't one to its end is an error, not a warning
  --quiet                          no notes and warnings on stderr
  --threads N                      how many threads read the run (all cores)

Nicknames: {nicknames}.

Exit status: 0; 1 wrong usage or unknown measure, or output that can't be written; 2 a file or parameter that
can't be read; 4 data that can't be evaluated (a document twice for a query, judgements of the wrong format);
7 no query in both files; 255 a file of z-scores that can't be read.
"""


def help_text(release: str, results_format: str, rel_format: str, request: Request | None) -> str:
    """All of the help; `request` are the measures of ``-m``, None where there were none."""
    comments = "" if release == RELEASE_9 else " A line that begins with # is a comment."
    precision = "32" if release == RELEASE_9 else "64"
    parts = [
        _GENERAL.format(
            release=release,
            default=RELEASES[-1],
            nicknames=", ".join(NICKNAMES),
            run_formats=", ".join(RUN_FORMATS),
            judgement_formats=", ".join(JUDGEMENT_FORMATS),
        ),
        _definition(RUN_FORMATS.get(results_format)).format(comments=comments, precision=precision),
        _definition(JUDGEMENT_FORMATS.get(rel_format)).format(comments=comments),
    ]
    text = _RULE.join(parts) + _RULE + "Requested measures:\n"
    if request is None:
        return text + "none; name some with -m to read their documentation here (-m all_trec for all the usual ones)\n"
    seen = dict.fromkeys(measure.record for measure in request.measures)
    return text + "".join("\n" + measure_text(measure) for measure in seen)


def _definition(form: Format | None) -> str:
    return "" if form is None else form.definition
