"""What the lines of a text format hold: whoever has such a format describes it here, and the scanner reads it."""

from libc.string cimport memset

from treckon._native.line_text cimport MAX_FIELDS

cdef enum:
    LONGEST_LINE = 1 << 26     # what is no text shall not fill the memory; positions in a line have 32 bits

_VALUES = {"score": SCORE, "grade": GRADE, "level": LEVEL}
_ORDERS = {"score": BY_SCORE, "rank": BY_RANK, "input": BY_LINE}


cdef class LineFormat:
    """The fields of a text format's lines, numbered from 0; the first is the query's id.

    fields: the names of all fields
    docno, value: the numbers of the document's id and of the value
    value_kind: what the value is: "score" (of a run), "grade" (a whole number) or "level" (of preferences)
    group, subgroup: the numbers of the fields that divide a query's judgements, or None
    rank: the number of a run's rank, or None
    allows_more: whether fields behind the last are passed over; else they are malformed
    indented_comments: whether white space may come before the '#' of a comment, where the release has comments
    longest_line: bytes; a longer line is malformed
    """

    def __cinit__(
        self, tuple fields not None, int docno, int value, str value_kind not None, *, group=None, subgroup=None,
        rank=None, bint allows_more=False, bint indented_comments=False, size_t longest_line=LONGEST_LINE,
    ):
        n = len(fields)
        numbers = [number for number in (docno, value, group, subgroup, rank) if number is not None]
        if not 2 < n <= MAX_FIELDS or min(numbers) < 1 or max(numbers) >= n:
            raise ValueError(f"expected numbers of the {n} fields (3 to {MAX_FIELDS}), found {numbers}")
        if value_kind not in _VALUES or longest_line > LONGEST_LINE:
            raise ValueError(f"there is no format of {value_kind}s in lines of {longest_line} bytes")
        self.fields = fields
        self.value_kind = value_kind
        memset(&self.format, 0, sizeof(Format))
        self.format.n_fields = n
        self.format.exact = not allows_more
        self.format.longest_line = longest_line
        self.format.docno_field = docno
        self.format.rank_field = -1 if rank is None else rank
        self.format.value_field = value
        self.format.value_kind = _VALUES[value_kind]
        self.format.group_field = -1 if group is None else group
        self.format.subgroup_field = -1 if subgroup is None else subgroup
        self.format.comments_after_blanks = indented_comments

    @property
    def docno(self):
        """The number of the field with the document's id."""
        return self.format.docno_field

    @property
    def value(self):
        """The number of the field with the value."""
        return self.format.value_field

    @property
    def group(self):
        """The number of the field with the group, or None."""
        return self.format.group_field if self.format.group_field >= 0 else None

    @property
    def subgroup(self):
        """The number of the field with the sub-group, or None."""
        return self.format.subgroup_field if self.format.subgroup_field >= 0 else None

    @property
    def longest_line(self):
        """How many bytes a line may have."""
        return self.format.longest_line

    cdef Format read_by(self, bint release_9, bint strict, str order="score") except *:
        # The format as a release reads it; a run is ordered by score, rank or input.
        cdef Format format = self.format
        format.order = _ORDERS[order]
        if format.order == BY_RANK:
            if format.rank_field < 0:
                raise ValueError("expected a format with ranks")
            format.value_field = format.rank_field
        format.comments = not release_9
        format.comments_after_blanks &= format.comments
        format.single_precision = release_9
        format.adjusted = format.single_precision or format.order != BY_SCORE
        format.strict = strict
        return format
