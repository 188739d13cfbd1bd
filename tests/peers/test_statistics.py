"""`treckon.statistics` against statsmodels, where that is installed."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treckon.statistics import adjust, minimum_detectable_difference

multitest = pytest.importorskip("statsmodels.stats.multitest")
power = pytest.importorskip("statsmodels.stats.power")


def test_the_minimum_detectable_difference_is_statsmodels():
    for n in (5, 50, 250):
        expected = power.TTestPower().solve_power(nobs=n, alpha=0.05, power=0.8)
        assert minimum_detectable_difference(1.0, n) == pytest.approx(expected, rel=1e-6)


@settings(max_examples=20)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_corrections_are_statsmodels(raw):
    for ours, theirs in (("holm", "holm"), ("bonferroni", "bonferroni"), ("benjamini-hochberg", "fdr_bh")):
        assert adjust(raw, ours) == pytest.approx(multitest.multipletests(raw, method=theirs)[1], rel=1e-12)
