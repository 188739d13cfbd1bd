"""How large a difference must be to be detected with so many queries."""

from __future__ import annotations

from math import isnan, sqrt

from treckon.checks import checked_share, checked_whole_number
from treckon.errors import ParameterError
from treckon.statistics.arguments import scipy_stats

_MOST_QUERIES = 10**9


def minimum_detectable_difference(
    standard_deviation: float, n_queries: int, *, power: float = 0.8, alpha: float = 0.05
) -> float | None:
    """The true mean difference that a two-sided paired t-test over so many queries finds with this power.

    standard_deviation: of the differences between two runs (over n - 1)
    power:              the share of samples of queries in which the test finds it
    alpha:              the level of the test

    Solves power = P(|T| > t) for T of the noncentral t distribution with n - 1 degrees of freedom and noncentrality
    sqrt(n) difference / standard deviation (Cohen, Statistical power analysis for the behavioral sciences, 1988; for
    retrieval Sakai, Information Retrieval Journal 19, 2016), through SciPy. 0 where the differences don't vary; None
    for fewer than two queries, where there is no test.

    Raises ParameterError, and ImportError where SciPy is missing.
    """
    n = checked_whole_number("n_queries", n_queries, 0, _MOST_QUERIES)
    power, alpha = checked_share("power", power), checked_share("alpha", alpha)
    if power <= alpha:
        raise ParameterError(f"power: expected more than alpha, which is {alpha}, found {power}")
    if not 0.0 <= standard_deviation < float("inf"):
        raise ParameterError(f"standard_deviation: expected a finite number from 0, found {standard_deviation!r}")
    if n < 2:
        return None
    if standard_deviation == 0:
        return 0.0
    return float(standard_deviation) * _noncentrality(n, power, alpha) / sqrt(n)


def _noncentrality(n: int, power: float, alpha: float) -> float:
    """The noncentrality with which the test over n queries has the power."""
    import numpy

    stats = scipy_stats("the minimum detectable difference")
    from scipy.optimize import brentq

    critical = stats.t.isf(alpha / 2, n - 1)

    def excess(noncentrality: float) -> float:
        above = float(stats.nct.sf(critical, n - 1, noncentrality))
        below = float(stats.nct.cdf(-critical, n - 1, noncentrality))
        return above + (0.0 if isnan(below) else below) - power  # SciPy may find NaN where it is less than 1e-12

    high = 1.0
    with numpy.errstate(all="ignore"):  # some releases of SciPy warn of divisions by zero
        while excess(high) < 0:
            high *= 2
        return float(brentq(excess, 0.0, high, xtol=1e-12, rtol=1e-12))
