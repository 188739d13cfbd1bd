"""What the lines of a text format hold, field by field."""

# What the value field holds.
cdef enum ValueKind:
    SCORE              # of a run
    GRADE              # of qrels: a whole number of 32 bits
    LEVEL              # of preferences: a real number

# What a run is ordered by; records' values fall along it.
cdef enum RunOrder:
    BY_SCORE
    BY_RANK            # the rank field, rising
    BY_LINE            # the lines as they come


ctypedef struct Format:
    int n_fields
    bint exact                  # more fields are malformed, else they are passed over
    size_t longest_line         # bytes; a longer one is malformed
    int docno_field
    int rank_field              # -1 where there is none
    int value_field
    ValueKind value_kind
    int group_field             # -1 where there is none
    int subgroup_field          # -1 where there is none
    bint comments               # a line with '#' in column 1 is no record
    bint comments_after_blanks  # white space before the '#' too
    bint adjusted               # what is compared isn't the number as it was read: one of the next two
    bint single_precision       # scores and levels are rounded to 32 bits
    RunOrder order              # of runs
    bint strict                 # a number must fill its field


cdef class LineFormat:
    cdef Format format
    cdef readonly tuple fields
    cdef readonly str value_kind

    cdef Format read_by(self, bint release_9, bint strict, str order=*) except *
