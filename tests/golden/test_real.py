"""Four runs of TREC's Robust track 2003, whole: compressed files of up to 100,000 lines against 128,796 judgements.

The runs are not ours to distribute. TRECKON_REAL names the folder that holds them, with the reference's output for
`-q -c -m all_trec` beside each; without it they are looked for next to the checkout, and skipped where they are absent.
"""

import gzip
import os
from pathlib import Path

import pytest

from comparing import assert_same_output

CHECKOUT = Path(__file__).resolve().parents[2]
REAL = Path(os.environ.get("TRECKON_REAL") or CHECKOUT.parent / "shared" / "real")

pytestmark = pytest.mark.skipif(not REAL.is_dir(), reason="the real runs are not here (TRECKON_REAL)")


@pytest.mark.parametrize("release", ["9.0.8", "10.0"])
@pytest.mark.parametrize("run", ["NLPR03vb10", "aplrob03a", "humR03dc", "uwmtCR0"])
def test_prints_what_the_reference_prints(run, release, trec_eval):
    expected = gzip.decompress((REAL / f"{run}.all_trec.{release}.txt.gz").read_bytes())
    arguments = ["-q", "-c", "-m", "all_trec", str(REAL / "robust03.qrels.gz"), str(REAL / f"{run}.run.gz")]
    status, stdout, stderr = trec_eval("--compat", release, *arguments)
    assert (status, stderr) == (0, b"")
    assert_same_output(expected, stdout)
