"""`treckon compare`: its tables are the comparison's, its seed is printed, and what is wrong leaves nothing behind."""

import json

import pytest

from treckon import compare

QRELS = "".join(f"q{i} 0 a 1\nq{i} 0 b {i % 2}\n" for i in range(6))
RUNS = {
    "old.run": "".join(f"q{i} Q0 a 1 2 old\nq{i} Q0 b 2 1 old\n" for i in range(5)),
    "new.run": "".join(f"q{i} Q0 {'ab'[i % 3 == 0]} 1 2 new\nq{i} Q0 x 2 1 new\n" for i in range(6)),
    "more.run": "".join(f"q{i} Q0 x 1 2 more\nq{i} Q0 a 2 1 more\n" for i in range(6)),
}


@pytest.fixture
def files(tmp_path, monkeypatch):
    pytest.importorskip("scipy.stats")
    monkeypatch.chdir(tmp_path)
    more = {
        "clusters": "".join(f"q{i} {i // 2}\n" for i in range(6)),
        "twice.run": "q1 Q0 a 1 2 t\nq1 Q0 a 2 1 t\n",
        "nan.json": '{"q1": {"a": NaN}}',
    }
    for name, text in {"qrels": QRELS, **RUNS, **more}.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def tables(shown):
    return [
        [line.split("\t") for line in block.split("\n")] for block in shown.decode().removesuffix("\n").split("\n\n")
    ]


def signed(number):
    return f"{number:+.4f}" if number else "0.0000"


def test_tables_are_the_comparisons(treckon, files):
    arguments = ["qrels", "old.run", "new.run", "more.run", "-m", "RR", "--resamples", "200", "--seed", "4"]
    status, shown, messages = treckon("compare", *arguments, "--pairs", "--per-query")
    runs = {name: name for name in RUNS}
    found = compare("qrels", runs, "RR", resamples=200, seed=4)
    assert status == 0
    means, differences, tests, pairs, queries = tables(shown)
    assert means[0] == ["measure", "run", "mean", "low", "high", "missing", "groups"]
    for row, (name, mean), letters in zip(
        means[1:], found.means[found.measures[0]].items(), found.tukey[found.measures[0]].letters, strict=True
    ):
        numbers = [f"{number:.4f}" for number in (mean.estimate, mean.low, mean.high)]
        assert row == ["RR", name, *numbers, "1" if name == "old.run" else "0", letters]
    assert [row[:2] for row in differences[1:]] == [["RR", "new.run"], ["RR", "more.run"]]
    for row, one in zip(differences[1:], found.differences, strict=True):
        numbers = [one.interval.estimate, one.interval.low, one.interval.high]
        assert row[2:5] == [signed(number) for number in numbers]
        counts = [str(count) for count in (one.wins, one.ties, one.losses)]
        assert row[5:] == [f"{100 * one.relative:.2f}", *counts, signed(one.effect_size), f"{one.detectable:.4f}"]
    by_test = [(one, *pair) for one in found.differences for pair in one.tests.items()]
    for row, (one, name, test) in zip(tests[1:], by_test, strict=True):
        numbers = [f"{number:.4f}" for number in (test.p_value, one.corrected[name])]
        assert row[1:] == [one.run, name, f"{test.statistic:.4f}", str(test.n), *numbers, test.note]
    assert [row[:3] for row in tests[1:5]] == [
        ["RR", "new.run", name] for name in ("randomization", "t", "wilcoxon", "sign")
    ]
    assert tests[1][-1] == "exact"
    assert [row[:3] for row in pairs[1:]] == [
        ["RR", "old.run", "new.run"], ["RR", "old.run", "more.run"], ["RR", "new.run", "more.run"],
    ]  # fmt: skip
    assert len(queries) == 1 + 2 * 6
    assert queries[0] == ["measure", "run", "query", "baseline", "value", "difference"]
    values = [float(row[-1]) for row in queries[1:7]]
    assert values == sorted(values)
    assert messages.decode().splitlines() == [
        "treckon compare: 200 resamples, seed 4; 95% intervals, bca",
        "treckon compare: p-values are two-sided, corrected over 2 differences by holm",
        "treckon compare: detectable: by a t-test at 0.05 with power 0.8",
        "treckon compare: runs with a group in common don't differ at 0.05 (randomised Tukey HSD)",
        "treckon compare: old.run: 1 judged query is missing from it and counts as an empty ranking",
    ]


def test_json_is_the_comparison(treckon, files):
    status, shown, messages = treckon(
        "compare", "qrels", "old.run", "new.run", "--format", "json", "--quiet", "--per-query", "--test", "t", "--test",
        "sign", "--correction", "bonferroni", "--interval", "percentile", "--confidence", "0.9", "--alpha", "0.1",
        "--power", "0.7", "--resamples", "50", "--cluster", "clusters", "--ties", "random", "--ties-seed", "3",
        "-l", "2", "-m", "RR",
    )  # fmt: skip
    assert (status, messages) == (0, b"")
    expected = compare(
        "qrels", {"old.run": "old.run", "new.run": "new.run"}, "RR", tests=["t", "sign"], correction="bonferroni",
        method="percentile", confidence=0.9, alpha=0.1, power=0.7, resamples=50, clusters="clusters", ties="random",
        ties_seed=3, level=2,
    )  # fmt: skip
    made = json.loads(shown)
    assert made == json.loads(json.dumps(expected.to_dict(per_query=True)))
    assert made["conventions"]["seed"] == 3 and made["options"]["seed"] == 0 and made["options"]["clusters"] == 3


@pytest.mark.parametrize("format", ["markdown", "latex"])
def test_documents_have_the_notes(format, treckon, files):
    shown, messages = treckon("compare", "qrels", "old.run", "new.run", "--format", format)[1:]
    assert b"10000 resamples, seed 0" in shown and b"resamples" not in messages
    assert b"old.run: 1 judged query" in messages


@pytest.mark.parametrize(("n", "title"), [(1, "Means over 1 query, with"), (2, "Means over 2 queries, with")])
def test_title(n, title, treckon, files):
    (files / "few").write_text("".join(f"q{i} 0 a 1\n" for i in range(n)))
    arguments = ("few", "old.run", "new.run", "-m", "RR", "--format", "table", "--resamples", "10")
    assert treckon("compare", *arguments)[1].decode().startswith(title)


def test_runs_of_the_same_name_are_told_apart(treckon, files):
    (files / "a").mkdir()
    (files / "a" / "old.run").write_text(RUNS["new.run"])
    shown = treckon("compare", "qrels", "old.run", "a/old.run", "-m", "RR", "--resamples", "10")[1]
    assert [row[1] for row in tables(shown)[0]] == ["run", "old.run", "a/old.run"]


def test_named_columns(treckon, files):
    (files / "q.tsv").write_text("x\ty\tz\nq1\ta\t2\nq2\ta\t1\n")
    for name in "ab":
        (files / f"{name}.tsv").write_text(f"i\tj\tk\nq1\ta\t9.5\nq2\t{name}\t9\n")
    names = ("--qrels-columns", "x,y,z", "--run-columns", "i,j,k", "-m", "RR", "--resamples", "10")
    shown = treckon("compare", "q.tsv", "a.tsv", "b.tsv", *names)[1]
    assert [row[:3] for row in tables(shown)[0][1:]] == [["RR", "a.tsv", "1.0000"], ["RR", "b.tsv", "0.5000"]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["qrels", "old.run"], "(see treckon compare --help)"),
        (["qrels", "old.run", "old.run"], "expected each run once, found 'old.run' twice"),
        (["qrels", "old.run", "no.run"], "no.run: cannot read it: No such file or directory"),
        (["qrels", "old.run", "twice.run"],
         "twice.run:2: expected each document once for a query, found document 'a' of query 'q1' on line 1 too"),
        (["qrels", "old.run", "nan.json"],
         "nan.json: query 'q1', document 'a': expected a number as score, found NaN"),
        (["qrels", "-", "old.run", "--cluster", "-"],
         "standard input: expected one file from it, found '-' more than once"),
        (["qrels", "old.run", "new.run", "-m", "num_q"],
         "num_q: expected a number for each query that is averaged or added up, found one for the run as a whole"),
        (["qrels", "old.run", "new.run", "--cluster", "qrels"],
         "qrels:1: expected two fields, a query id and a cluster, found 4"),
        (["qrels", "old.run", "new.run", "--missing", "skip"],
         "missing: expected 'zero', as runs are compared over the same queries, found 'skip'"),
        (["qrels", "old.run", "new.run", "--confidence", "95"],
         "expected a number above 0 and below 1, found '95' (see treckon compare --help)"),
        (["qrels", "old.run", "new.run", "--resamples", "-5"],
         "expected a whole number from 0, found '-5' (see treckon compare --help)"),
        (["qrels", "old.run", "new.run", "--resamples", "0"],
         "resamples: expected a whole number from 1 to 10000000, found 0"),
        (["qrels", "old.run", "new.run", "--seed", "99999999999999999999"],
         "seed: expected a whole number from 0 to 18446744073709551615, found 99999999999999999999"),
    ],
)  # fmt: skip
def test_what_is_wrong_leaves_nothing_behind(arguments, message, treckon, files):
    status, shown, messages = treckon("compare", *arguments, "-o", "out")
    assert (status, shown) == (2, b"") and not (files / "out").exists()
    said = messages.decode()
    assert said.startswith("treckon compare: ") and said.count("\n") == 1
    # Of wrong arguments the interpreter says a part in words of its own.
    assert said.endswith(f"{message}\n") if "--help" in message else said == f"treckon compare: {message}\n"


def test_help_has_examples(treckon):
    status, shown, _ = treckon("compare", "--help")
    assert status == 0 and b"--cluster FILE" in shown and b"treckon compare --pairs" in shown
