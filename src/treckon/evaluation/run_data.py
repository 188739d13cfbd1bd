"""Runs that are Python's objects, read by the core: mappings, columns and rows."""

from __future__ import annotations

from array import array
from collections.abc import Mapping

from treckon._native.column_scans import ColumnsScan
from treckon._native.mapping_scans import MappingScan
from treckon.errors import EvaluationError, Place
from treckon.evaluation.judgements import as_list
from treckon.inputs.columns import Columns
from treckon.inputs.tables import Rows
from treckon.releases import RELEASE_9

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from treckon._native.results import Results
    from treckon.errors import Notice
    from treckon.evaluation.policy import AnyScan

#: Rows of columns that are worth a thread.
_ROWS_OF_A_THREAD = 1 << 15


class RunData:
    """A run in one of the forms that `treckon.inputs.as_run_or_rows` gives, but for text.

    form:    the run
    order:   what it is ordered by: score, rank or input
    release: the release of trec_eval that is followed: 9.0.8 has 32-bit scores
    threads: how many may read it
    """

    __slots__ = ("_form", "_order", "_release", "_threads")

    def __init__(self, form: Mapping[Any, Any] | Columns | Rows, order: str, release: str, threads: int) -> None:
        self._form = form
        self._order = order
        self._release = release
        self._threads = threads

    def scan(self, results: Results) -> Sequence[AnyScan]:
        """Evaluates every query. Where the rows of a query lie apart, reads all once more and gathers them."""
        if isinstance(self._form, Columns):
            return self._scan_columns(results, self._form)
        if isinstance(self._form, Rows):
            return [self._scan_rows(results, self._form)]
        scan = MappingScan(results, self._order == "input")
        scan.scan(self._form)
        return [scan]

    def _scan_columns(self, results: Results, run: Columns) -> list[ColumnsScan]:
        scores = _scores_of(run, self._order, self._release)
        scans = [ColumnsScan(results)]
        _scan_shares(scans, run, scores, self._threads)
        if any(share.scattered for share in scans):
            scans = [ColumnsScan(results, gather=True)]
            _scan_shares(scans, run, scores, 1)
            scans[0].finish_gathering()
        return scans

    def _scan_rows(self, results: Results, run: Rows) -> ColumnsScan:
        as_listed = self._order == "input"
        scan = ColumnsScan(results, gather=not run.again)
        scan.scan_rows(run, as_listed)
        if scan.scattered:
            scan = ColumnsScan(results, gather=True)
            scan.scan_rows(run, as_listed)
        if scan.gathers:
            scan.finish_gathering()
        return scan

    def warnings(self, scans: Sequence[AnyScan]) -> tuple[Notice, ...]:
        """None: what isn't right in objects is an error."""
        return ()

    def duplicate_error(self, qid: bytes, docno: bytes) -> EvaluationError:
        """The error for a document listed twice for a query."""
        place = Place("run", query=qid, document=docno)
        return EvaluationError(place=place, expected="each document once for a query", found="it twice")


def _scores_of(run: Columns, order: str, release: str) -> Any:
    """The scores of a run in columns as the core takes them: a buffer of doubles."""
    if order == "input":
        return array("d", range(0, -len(run.query_ids), -1))
    scores = run.values
    if release == RELEASE_9:
        single = array("f", scores)
        scores = array("d", single)
    if hasattr(scores, "astype"):
        return scores.astype("float64", order="C", copy=False)
    return scores if isinstance(scores, array) and scores.typecode == "d" else array("d", scores)


def _scan_shares(scans: list[ColumnsScan], run: Columns, scores: Any, threads: int) -> None:
    """Reads the rows, by several threads where ids are numbers; adds a scan for each further thread."""
    queries, documents, n = run.query_ids, run.doc_ids, len(run.query_ids)
    if not (_is_numbers(queries) and _is_numbers(documents)):
        scans[0].scan_objects(as_list(queries), as_list(documents), scores)
        return
    n_scans = max(1, min(threads, n // _ROWS_OF_A_THREAD))
    bounds = [0]
    for i in range(1, n_scans):
        bound = max(n * i // n_scans, bounds[-1])
        while 0 < bound < n and queries[bound] == queries[bound - 1]:
            bound += 1
        bounds.append(bound)
    bounds.append(n)
    if n_scans == 1:
        scans[0].scan_numbers(queries, documents, scores, 0, n)
        return
    from concurrent.futures import ThreadPoolExecutor  # slow to import

    scans.extend(ColumnsScan(scans[0].results) for _ in range(n_scans - 1))
    with ThreadPoolExecutor(n_scans) as pool:
        for future in [
            pool.submit(share.scan_numbers, queries, documents, scores, begin, end)
            for share, begin, end in zip(scans, bounds, bounds[1:], strict=False)
        ]:
            future.result()


def _is_numbers(ids: Any) -> bool:
    """Whether ids are a contiguous buffer of 64-bit integers."""
    try:
        view = memoryview(ids)
    except TypeError:
        return False
    return view.format in ("l", "q") and view.itemsize == 8 and view.c_contiguous and view.ndim == 1
