"""Scans of run and qrels files."""

from libc.string cimport memset

from treckon._native.file_scans cimport FileScan
from treckon._native.line_formats cimport GRADE, LEVEL, SCORE, LineFormat
from treckon._native.lines cimport scanner_init
from treckon._native.prefs cimport PrefsBuilder
from treckon._native.qrels cimport QrelsBuilder
from treckon._native.results cimport Results
from treckon._native.shares cimport (
    UNKNOWN, Share, evaluate_segment, finish_gathered, gather_segment, look_up_query, share_duplicate, share_extra,
    share_free, share_unjudged,
)


cdef class RunScan(FileScan):
    """One thread's pass over its share of a run: reads, evaluates, and remembers what it saw.

    results: where the values go; the shares of one run have the same
    format: of the file
    strict: whether a score must be a number to the end of its field
    order: what the run is ordered by: score, rank or input
    gather: keep everything until `finish_gathering`, for runs in which the lines of a query lie apart
    """

    cdef Results results
    cdef Share share
    cdef readonly bint gathers

    def __cinit__(
        self, Results results not None, LineFormat format not None, bint strict=False, str order="score",
        bint gather=False,
    ):
        if format.format.value_kind != SCORE:
            raise ValueError("expected a format of runs")
        memset(&self.share, 0, sizeof(Share))
        self.results = results
        self.gathers = gather
        self.share.target = results.as_target()
        self.share.duplicate_query = self.share.unjudged_query = -1
        self.share.next_query = UNKNOWN
        scanner_init(
            &self.scanner, format.read_by(results.plan.release_9, strict, order),
            gather_segment if gather else evaluate_segment, &self.share,
        )
        if not gather:
            self.scanner.opened = look_up_query

    def __dealloc__(self):
        share_free(&self.share)

    cdef int check(self) except -1:
        if self.share.out_of_memory:
            raise MemoryError
        return 0

    def finish_gathering(self):
        """Evaluates all that was kept."""
        self.results.forget()
        finish_gathered(&self.share)

    @property
    def scattered(self):
        """Whether a query was met twice: the lines of a query lie apart, and all must be read again."""
        return self.share.scattered

    @property
    def duplicate(self):
        """(number of the query, document id) of a document that is listed twice for a query, or None."""
        return share_duplicate(&self.share)

    @property
    def unjudged(self):
        """(number of the query, document id, rank) of an unjudged document where the plan refuses them, or None."""
        return share_unjudged(&self.share)

    @property
    def extra(self):
        """(hashes of the ids of unjudged queries, the first such id or None), where the plan reports."""
        return share_extra(&self.share)

    @property
    def n_own(self):
        """How many documents were taken out because their id is the query's."""
        return self.share.joiner.n_own

    @property
    def first_query(self):
        """The id of the first query, or None."""
        if self.share.n_segments == 0:
            return None
        return self.share.first_qid[:self.share.first_qid_length]

    @property
    def tag(self):
        """The last field of the last record; None where there is no record."""
        if self.scanner.n_all_records == 0:
            return None
        return self.scanner.tag[:self.scanner.tag_length]


cdef class QrelsScan(FileScan):
    """Reads a judgement file into a builder.

    builder: a `PrefsBuilder` where the values are levels, else a `QrelsBuilder`
    format: of the file
    release_9: whether it is read as trec_eval 9.0.8 does
    strict: whether a value must be a number to the end of its field
    """

    cdef QrelsBuilder builder

    def __cinit__(
        self, QrelsBuilder builder not None, LineFormat format not None, bint release_9=False, bint strict=False
    ):
        if format.format.value_kind != (LEVEL if isinstance(builder, PrefsBuilder) else GRADE):
            raise ValueError(f"a {type(builder).__name__} is not for lines of {' '.join(format.fields)}")
        self.builder = builder
        scanner_init(&self.scanner, format.read_by(release_9, strict), builder.sink(), builder.context())

    cdef int check(self) except -1:
        if self.builder.builder.out_of_memory:
            raise MemoryError
        return 0
