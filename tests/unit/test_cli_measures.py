"""`treckon measures`: the list of measures and their documentation, out of the registry."""

import json

import pytest

from treckon.measures import registry
from treckon.reports.measure_text import measure_text


def listed(treckon, *arguments):
    status, shown, messages = treckon("measures", *arguments, "--format", "json")
    assert (status, messages) == (0, b"")
    return [(one["names"], one["name"]) for one in json.loads(shown)]


def test_the_list_has_every_record_the_fields_first(treckon):
    found = listed(treckon)
    known = [("field" if one.since is None else "trec_eval", one.name) for one in registry.all_measures()]
    assert sorted(found) == sorted(known)
    assert [names for names, _ in found] == sorted(names for names, _ in found)
    lines = treckon("measures").stdout.decode().splitlines()
    assert lines[0] == "measure\twhat it is\talso called\tnames of"
    assert len(lines) == 1 + len(found)
    assert "RR(rel=1, judged_only=False)[@cutoff]\tReciprocal rank\tMRR, mrr, rr\tfield" in lines
    assert "recip_rank\tReciprocal rank\t\ttrec_eval" in lines


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["nDCG"], [("field", "nDCG")]),
        (["nDCG@10", "nDCG(gain='exp2')@20"], [("field", "nDCG")]),
        (["P"], [("field", "P"), ("trec_eval", "P")]),
        (["P.5,10"], [("trec_eval", "P")]),
        (["ndcg_cut_10"], [("trec_eval", "ndcg_cut")]),
        ([" AP "], [("field", "AP")]),
    ],
)
def test_names(names, expected, treckon):
    assert listed(treckon, *names) == expected


def test_a_nickname_stands_for_several(treckon):
    assert len(listed(treckon, "official")) > 10


def test_documentation(treckon):
    expected = "\n".join(map(measure_text, (registry.find_field("AP"), registry.find_field("P"), registry.find("P"))))
    assert treckon("measures", "AP", "P") == (0, expected.encode(), b"")


def test_an_unknown_name_says_which_are_near(treckon):
    status, shown, messages = treckon("measures", "AP", "nDGC")
    assert (status, shown) == (2, b"")
    assert messages.startswith(b"treckon measures: unknown measure 'nDGC'; did you mean nDCG")


def test_records_for_programs(treckon):
    (record,) = json.loads(treckon("measures", "nDCG", "--format", "json").stdout)
    assert set(record) == {
        "name", "names", "written", "title", "definition", "aliases", "arguments", "facts", "source", "traits",
    }  # fmt: skip
    assert record["arguments"][0].keys() == {"name", "default", "meaning", "accepted"}
    assert record["source"] == registry.find_field("nDCG").source
    assert "Source" not in record["facts"]
