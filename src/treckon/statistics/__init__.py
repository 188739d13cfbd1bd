"""Statistics on the values of queries: which differences between runs are more than chance, and how sure a mean is.

Queries are the sample: a measure's mean over them estimates what it would be over all queries like these. Two runs are
compared by their differences query by query. Every function takes finite numbers and gives finite numbers, or None
where there is no answer; its documentation says what it gives without spread (one query, all values equal).

Resamples depend on their seed alone: the same numbers with any number of threads. The classical tests take
their distributions from SciPy: ``pip install 'treckon[stats]'``.
"""

from treckon.statistics.bootstrap import Interval, bootstrap_interval, bootstrap_intervals
from treckon.statistics.corrections import CORRECTIONS, adjust
from treckon.statistics.paired import (
    PairedTest,
    cohens_d,
    paired_differences,
    randomization_test,
    randomization_tests,
    sign_test,
    t_test,
    wilcoxon_test,
    wins_ties_losses,
)
from treckon.statistics.power import minimum_detectable_difference
from treckon.statistics.rank_correlation import kendall_tau
from treckon.statistics.tukey import Tukey, letters_of, not_different, tukey_hsd

__all__ = [
    "CORRECTIONS",
    "Interval",
    "PairedTest",
    "Tukey",
    "adjust",
    "bootstrap_interval",
    "bootstrap_intervals",
    "cohens_d",
    "kendall_tau",
    "letters_of",
    "minimum_detectable_difference",
    "not_different",
    "paired_differences",
    "randomization_test",
    "randomization_tests",
    "sign_test",
    "t_test",
    "tukey_hsd",
    "wilcoxon_test",
    "wins_ties_losses",
]
