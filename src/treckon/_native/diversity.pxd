"""What a kernel sees of one query that has subtopics: which of them each document covers."""

from libc.stdint cimport int64_t


ctypedef struct Covering:
    # A document that is relevant to a subtopic at least.
    int64_t rank              # from 1; 0 where it was not retrieved
    int64_t first             # its subtopics are Diversity.subtopics[first] to [first + n - 1], rising
    int64_t n


ctypedef struct Diversity:
    int64_t n_ret             # documents retrieved
    int64_t n_subtopics       # A: those to which a document is relevant; they are numbered from 0
    const int64_t *n_rel      # relevant documents of each subtopic, retrieved or not; never 0
    const int64_t *subtopics
    int64_t n_found
    const Covering *found     # of the documents retrieved those that cover a subtopic, by rising rank
    int64_t n_covering
    const Covering *covering  # all documents that cover a subtopic, by falling id
    # Memory for a kernel to work in; it holds nothing before, and nothing afterwards.
    double *weights           # one for each subtopic
    bint *taken               # one for each of `covering`


# A kernel of this view gets the cutoff and the reals of Params; it is as pure and total as one of a ranking, but for
# the memory that it works in.
ctypedef double (*diversity_kernel_t)(const Diversity *, int64_t, const double *) noexcept nogil
