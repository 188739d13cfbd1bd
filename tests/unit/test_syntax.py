"""Measures to text and back: the three ways of writing, what comes out as text, and each error's words."""

import copy
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import treckon.measures  # noqa: F401  (fills the registry)
from treckon.errors import ParameterError, UnknownMeasureError
from treckon.measures import registry
from treckon.measures.parameters import (
    BOOL,
    DISCOUNT,
    DISCOUNT_ARGUMENT,
    GAIN,
    GAIN_ARGUMENT,
    INT,
    JUDGED_ONLY_ARGUMENT,
    NO_PARAMETERS,
    REAL,
    REL_ARGUMENT,
    TEXT,
    Argument,
    Arguments,
    Cutoffs,
    Pairs,
    ParameterKind,
    Parameters,
    RealCutoffs,
    Reals,
)
from treckon.naming import trec_eval as names
from treckon.naming.syntax import Measure, field_measure, parse, parse_all

FIELD = list(registry.field_measures())
TREC_EVAL = [record for record in registry.all_measures() if record.since is not None]


def same_setting(one: Parameters, other: Parameters) -> bool:
    """Whether two settings compute the same."""
    return one.replaced(suffix="") == other.replaced(suffix="")


def arguments_of(record: registry.MeasureRecord) -> Arguments:
    return record.parameter_kind if isinstance(record.parameter_kind, Arguments) else Arguments()


def a_record(name: str, parameters: ParameterKind, aliases: tuple[str, ...] = ()) -> registry.MeasureRecord:
    model = registry.find("map")
    return registry.MeasureRecord(
        name=name,
        title=name,
        definition=name,
        source=name,
        examples=(),
        aliases=aliases,
        kernel=model.kernel,
        parameter_kind=parameters,
        since=None,
    )


@pytest.fixture
def probes(monkeypatch):
    """Records that together have every type of argument, and each way to have a cutoff or none."""
    monkeypatch.setattr(registry, "_field", dict(registry._field))
    monkeypatch.setattr(registry, "_aliases", dict(registry._aliases))
    probe = a_record(
        "Probe",
        Arguments(
            Argument("whole", INT, 3, "a whole number", lowest=1, highest=9),
            Argument("real", REAL, 0.5, "a number", lowest=0.0, highest=1.0),
            Argument("kind", TEXT, "plain", "one of two", choices=("plain", "it's")),
            Argument("strict", BOOL, False, "yes or no"),
            GAIN_ARGUMENT,
            DISCOUNT_ARGUMENT,
            REL_ARGUMENT,
            JUDGED_ONLY_ARGUMENT,
            at="cutoff",
        ),
        aliases=("probe", "Prober"),
    )
    points = a_record("Points", Arguments(at="recall", at_required=True))
    whole = a_record("Whole", NO_PARAMETERS)
    needs = a_record(
        "Needs",
        Arguments(Argument("most", INT, None, "has to be given", lowest=1), GAIN_ARGUMENT),
    )
    for record in (probe, points, whole, needs):
        registry.register(record)
    return probe, points, whole, needs


# What a text comes to

SAME_TEXT = [
    "nDCG@10",
    "nDCG",
    "AP(rel=2)@100",
    "AP(rel=2, judged_only=True)",
    "nDCG(gain='exp2')@20",
    "nDCG(gain={1: 3, 2: 9.5})@20",
    "nDCG(discount=('jk', 2))@20",
    "RBP(p=0.95)",
    "IPrec@0.2",
    "RR@10",
    "P@5",
    "R(rel=3)@1000",
    "Rprec",
    "nDCG(gain=('binary', 2))@20",
    "SetP(relative=True)",
    "SetF(beta=2)",
    "NumRet(rel=1)",
    # trec_eval's
    "map",
    "ndcg",
    "ndcg_cut_10",
    "P_5",
    "recall_1000",
    "iprec_at_recall_0.10",
    "ndcg_1=1,2=3.5",
    "utility_1,-1,0,0",
    "Rprec_mult_0.20",
    "rbp_p=0.5",
    "gm_map",
    "num_q",
    "relstring",
]


@pytest.mark.parametrize("text", SAME_TEXT)
def test_a_measure_prints_as_it_parses(text):
    assert str(parse(text)) == repr(parse(text)) == text


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("MRR@10", "RR@10"),
        ("mrr@10", "RR@10"),
        ("mrr", "RR"),
        ("MAP", "AP"),
        ("map@100", "AP@100"),
        ("ndcg@10", "nDCG@10"),
        ("NDCG@10", "nDCG@10"),
        ("recall@100", "R@100"),
        ("hit_rate@5", "Success@5"),
        ("precision@5", "P@5"),
        (" nDCG ( gain = 'exp2' , ) @ 20 ", "nDCG(gain='exp2')@20"),
        ('nDCG(gain="exp2")@20', "nDCG(gain='exp2')@20"),
        ("nDCG()@20", "nDCG@20"),
        ("nDCG(gain={2:9,1:3,})@20", "nDCG(gain={1: 3, 2: 9})@20"),
        ("nDCG(discount=('jk',2.0,))", "nDCG(discount=('jk', 2))"),
        ("RBP(p=.95)", "RBP(p=0.95)"),
        ("RBP(p=9.5e-1)", "RBP(p=0.95)"),
        ("RBP(rel=2, p=0.5)", "RBP(p=0.5, rel=2)"),
        ("AP(judged_only=False)", "AP"),
        ("AP(rel=1)", "AP(rel=1)"),  # an evaluation at level 2 tells them apart
        ("IPrec@0.20", "IPrec@0.2"),
        ("IPrec@1.0", "IPrec@1"),
        # ir_measures' words
        ("nDCG(dcg='exp-log2')@20", "nDCG(gain='exp2', discount='log2')@20"),
        ("nDCG(dcg='log2')", "nDCG(gain='linear', discount='log2')"),
        ("nDCG(dcg='log2', gains={1: 3})@5", "nDCG(gain={1: 3}, discount='log2')@5"),
        ("SDCG(dcg='log2', min_rel=0, max_rel=3)@5", "SDCG(max_rel=3)@5"),
        ("SetRelP(rel=2)", "SetP(rel=2, relative=True)"),
        ("SetRelP", "SetP(relative=True)"),
        ("SetRelP(relative=False)", "SetP"),
        ("alpha-nDCG@10", "alpha_nDCG@10"),
        ("ERR-IA@20", "ERR_IA@20"),
        ("MAP-IA", "AP_IA"),
        ("nDCG(gains={1: 3, 2: 9})@20", "nDCG(gain={1: 3, 2: 9})@20"),
        # trec_eval's
        ("P.5", "P_5"),
        (" P. 5 ", "P_5"),
        ("iprec_at_recall.0.1", "iprec_at_recall_0.10"),
        ("iprec_at_recall.0.125", "iprec_at_recall.0.125"),  # its printed name says 0.12
        ("utility. 1,-1, 0,0", "utility_1,-1,0,0"),
    ],
)
def test_names_and_arguments_come_out_in_one_way(text, printed):
    assert str(parse(text)) == printed
    assert parse(printed) == parse(text)


def test_one_text_of_trec_eval_may_stand_for_several():
    assert list(map(str, parse_all("P.10,5"))) == ["P_5", "P_10"]
    assert list(map(str, parse_all("P"))) == [f"P_{cutoff}" for cutoff in (5, 10, 15, 20, 30, 100, 200, 500, 1000)]
    official = [asked.name for asked in names.request(["official"], "10.0").measures]
    assert list(map(str, parse_all("official"))) == official
    assert "Rprec" in official


def test_every_measure_is_asked_for_once_in_the_order_given():
    ndcg = parse("nDCG@10")
    assert parse_all(["P.5,10", ndcg, "ndcg@10", "P_5", "AP"]) == (*parse_all("P.5,10"), ndcg, parse("AP"))
    assert parse_all(ndcg) == (ndcg,)
    assert parse_all([]) == ()
    assert parse(ndcg) is ndcg


def test_a_name_of_the_field_and_of_trec_eval_is_one_measure():
    assert parse("Rprec") in parse_all("official")
    assert str(parse("Rprec")(rel=2)) == "Rprec(rel=2)"


def test_settings_are_what_the_text_says():
    assert parse("AP@100").parameters.cutoff == 100
    assert parse("AP").parameters.cutoff is None
    assert parse("AP(rel=1)").parameters.level == 1
    assert parse("AP").parameters.level is None
    assert parse("AP(judged_only=True)").parameters.condensed
    assert parse("nDCG(gain={1: 3})").parameters.gain == {1: 3}
    assert parse("nDCG(discount=('jk', 2))").parameters.discount == ("jk", 2)
    assert parse("RBP(p=0.95)").parameters.reals[0] == 0.95
    assert parse("IPrec@0.2").parameters.reals == (0.2,)
    assert parse("iprec_at_recall.0.125").parameters.reals == (0.125,)
    assert parse("ndcg_cut_10").parameters.cutoff == 10
    assert parse("ndcg_cut_10").record is registry.find("ndcg_cut")
    assert parse("nDCG@10").title == registry.find_field("nDCG").title


# Measures as objects


def test_arguments_and_cutoff_make_another_measure():
    ap = parse("AP")
    assert str(ap(rel=2) @ 10) == str((ap @ 10)(rel=2)) == "AP(rel=2)@10"
    assert str((ap @ 10) @ 20) == "AP@20"
    assert str(ap(rel=2)(rel=3)) == "AP(rel=3)"
    assert str(parse("nDCG(gain='linear')@5")(dcg="exp-log2")) == "nDCG(gain='exp2', discount='log2')@5"
    assert str(parse("IPrec@0.2") @ 0.5) == "IPrec@0.5"
    assert str(ap) == "AP"
    assert ap.arguments == {} and ap(rel=2).arguments == {"rel": 2} and (ap @ 5).at == 5


def test_equal_measures_are_one_key():
    assert {parse("MRR@10"), parse("mrr@10"), parse("RR") @ 10} == {parse("RR@10")}
    assert parse("RR@10") != parse("RR@5")
    assert parse("RR@10") != "RR@10"
    assert parse("nDCG(gain={1: 1, 2: 2.0})") == parse("nDCG")(gain={2: 2, 1: 1.0})


def test_a_measure_cannot_be_changed():
    measure = parse("nDCG(gain={1: 3})@10")
    for change in (lambda: setattr(measure, "at", 5), lambda: delattr(measure, "at"), lambda: setattr(measure, "x", 1)):
        with pytest.raises(AttributeError, match=r"nDCG\(gain={1: 3}\)@10: a measure can't be changed"):
            change()
    measure.arguments["gain"][1] = 100
    assert str(measure) == "nDCG(gain={1: 3})@10" and measure.arguments == {"gain": {1: 3}}
    given_gain = {1: 3}
    made = parse("nDCG")(gain=given_gain)
    given_gain[1] = 100
    assert made.arguments == {"gain": {1: 3}} and made.parameters.gain == {1: 3}


@pytest.mark.parametrize("text", SAME_TEXT)
def test_a_measure_can_be_pickled_and_copied(text):
    measure = parse(text)
    for other in (pickle.loads(pickle.dumps(measure)), copy.copy(measure), copy.deepcopy(measure)):
        assert other == measure and hash(other) == hash(measure) and same_setting(other.parameters, measure.parameters)


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        (np.int64(2), "Probe(whole=2)"),
        (np.uint8(2), "Probe(whole=2)"),
        (np.array(2), "Probe(whole=2)"),
    ],
)
def test_whole_numbers_of_other_libraries(probes, value, printed):
    assert str(field_measure(probes[0])(whole=value)) == printed


def test_values_of_other_libraries(probes):
    probe = field_measure(probes[0])
    assert str(probe(real=np.float32(0.25))) == str(probe(real=Fraction(1, 4))) == "Probe(real=0.25)"
    assert str(probe(strict=np.bool_(True))) == "Probe(strict=True)"
    assert str(probe(gain={np.int64(2): np.float64(3.0)})) == "Probe(gain={2: 3})"
    assert str(probe(discount=["jk", np.float64(2.5)])) == "Probe(discount=('jk', 2.5))"
    assert str(probe @ np.int32(10)) == "Probe@10"


def test_what_changes_nothing_is_left_out(probes):
    assert str(parse("Probe(whole=3, real=0.5, kind='plain', strict=False, judged_only=False)@5")) == "Probe@5"
    assert str(parse("Probe(whole=4, real=0.5)")) == "Probe(whole=4)"


def test_what_has_to_be_given_stays(probes):
    assert str(parse("Needs(most=4)")) == "Needs(most=4)"
    assert str(parse("Needs(most=4)")(most=5, dcg="exp-log2")) == "Needs(most=5, gain='exp2')"
    with pytest.raises(ParameterError, match="^Needs: .*most"):
        parse("Needs")


def test_texts_are_quoted_so_that_they_come_back(probes):
    assert str(parse('probe(kind="it\'s")')) == r"Probe(kind='it\'s')"
    assert parse(r"Probe(kind='it\'s')").arguments == {"kind": "it's"}


# Every record with anything that it can carry


def values_of(argument: Argument) -> st.SearchStrategy:
    if argument.type == INT:
        lowest = -1000 if argument.lowest is None else int(argument.lowest)
        return st.integers(lowest, lowest + 1000 if argument.highest is None else int(argument.highest))
    if argument.type == REAL:
        floats = st.floats(argument.lowest, argument.highest, allow_nan=False, allow_infinity=False)
        return floats | st.just(float(argument.default or 1.0))
    if argument.type == TEXT:
        return st.sampled_from(argument.choices)
    if argument.type == BOOL:
        return st.booleans()
    if argument.type == GAIN:
        gains = st.integers(0, 50) | st.floats(0, 1e9)
        words = st.sampled_from(["linear", "exp2", "binary"]) | st.tuples(st.just("binary"), st.integers(0, 9))
        return words | st.dictionaries(st.integers(0, 9), gains, min_size=1)
    assert argument.type == DISCOUNT
    return st.sampled_from(["log2", "none"]) | st.tuples(st.just("jk"), st.floats(1.5, 100) | st.integers(2, 10))


@st.composite
def field_measures(draw: st.DrawFn, record: registry.MeasureRecord) -> tuple[Measure, object, dict[str, object]]:
    """A measure with a random cutoff and arguments, and those."""
    kind = arguments_of(record)
    chosen = draw(st.sets(st.sampled_from([one.name for one in kind.arguments]))) if kind.arguments else set()
    required = {one.name for one in kind.arguments if one.default is None}
    values = {one.name: draw(values_of(one)) for one in kind.arguments if one.name in chosen | required}
    at = None
    if kind.at is not None and (kind.at_required or draw(st.booleans())):
        at = draw(st.integers(1, 10**6) if kind.at == "cutoff" else st.floats(0, 1))
    try:
        return field_measure(record, at, values), at, values
    except ParameterError:  # values that each are right and don't go together
        assume(False)
        raise


def assert_round_trip(measure: Measure) -> None:
    again = parse(str(measure))
    assert again == measure and hash(again) == hash(measure) and str(again) == str(measure)
    assert same_setting(again.parameters, measure.parameters)


@pytest.mark.parametrize("record", FIELD, ids=lambda record: record.name)
@settings(max_examples=30)
@given(data=st.data())
def test_every_measure_of_the_field_comes_back(record, data):
    measure, at, values = data.draw(field_measures(record))
    assert_round_trip(measure)
    assert same_setting(measure.parameters, arguments_of(record).read(at, values))


def test_every_type_of_argument_comes_back(probes):
    @given(data=st.data())
    def check(data):
        record = data.draw(st.sampled_from(probes))
        measure, at, values = data.draw(field_measures(record))
        assert_round_trip(measure)
        assert same_setting(measure.parameters, arguments_of(record).read(at, values))

    check()


@pytest.mark.parametrize("record", FIELD, ids=lambda record: record.name)
def test_every_alias_is_the_measure(record):
    argument = {"cutoff": "@10", "recall": "@0.5", None: ""}[arguments_of(record).at]
    given_ones = ", ".join(
        f"{one.name}=3" for one in arguments_of(record).arguments if one.default is None and one.type in (INT, REAL)
    )
    for alias in record.aliases:
        assert str(parse(f"{alias}({given_ones}){argument}")).startswith(record.name)


@pytest.mark.parametrize("record", TREC_EVAL, ids=lambda record: record.name)
def test_every_measure_of_trec_eval_comes_back(record):
    measures = parse_all(record.name)
    assert [one.parameters.suffix for one in measures] == [one.suffix for one in record.parameter_kind.defaults()]
    for measure in measures:
        assert_round_trip(measure)


NUMBERS = st.floats(-1e6, 1e6, allow_nan=False).map(lambda number: f"{number:g}") | st.integers(0, 100).map(str)
TEXTS = {
    Cutoffs: st.sets(st.integers(1, 10**6), min_size=1).map(lambda cutoffs: ",".join(map(str, cutoffs))),
    RealCutoffs: st.sets(st.floats(0, 2), min_size=1).map(lambda numbers: ",".join(map(repr, numbers))),
    Reals: st.lists(NUMBERS, min_size=4, max_size=4).map(",".join),
    Pairs: st.dictionaries(st.integers(0, 9), NUMBERS, min_size=1).map(
        lambda pairs: ",".join(f"{grade}={gain}" for grade, gain in pairs.items())
    ),
}
PARAMETERISED = [record for record in TREC_EVAL if type(record.parameter_kind) in TEXTS]


@given(data=st.data())
def test_measures_of_trec_eval_come_back_with_their_parameters(data):
    record = data.draw(st.sampled_from(PARAMETERISED))
    text = data.draw(TEXTS[type(record.parameter_kind)])
    if getattr(record.parameter_kind, "fixed", False):
        text = ",".join(text.split(",")[: len(record.parameter_kind.numbers)])
    measures = parse_all(f"{record.name}.{text}")
    assert measures
    for measure in measures:
        assert_round_trip(measure)
        assert measure.record is record


PIECES = st.sampled_from(
    [*"()@=,{}:'\"\\. ", "nDCG", "AP", "P", "P_5", "ndcg_cut", "rel", "gain", "exp2", "dcg", "1", "-2", "0.5", "1e999"]
    + ["True", "nan", "9" * 30, "jk", "official", "é", "\0", "\udc80", "٣"]
)


@given(st.lists(PIECES, max_size=12).map("".join) | st.text(max_size=20))
def test_any_text_is_a_measure_or_one_of_two_errors(text):
    try:
        measures = parse_all(text)
    except (UnknownMeasureError, ParameterError) as error:
        assert str(error)
        return
    for measure in measures:
        assert_round_trip(measure)


# Errors

CARRIED = "{}: a name of trec_eval carries its parameters itself, it takes no {} besides"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nDGC@10", "unknown measure 'nDGC'; did you mean nDCG"),
        ("NDCGG", "unknown measure 'NDCGG'; did you mean nDCG"),
        ("Succes@5", "unknown measure 'Succes'; did you mean Success"),
        ("ndgc_cut_10", "unknown measure 'ndgc_cut_10'; did you mean ndcg_cut"),
        ("oficial", "unknown measure 'oficial'; did you mean official?"),
        ("xyzzyx", "unknown measure 'xyzzyx'; no name is near it"),
        ("xyzzyx(rel=2)", "unknown measure 'xyzzyx'; no name is near it"),
        ("(rel=2)", "unknown measure ''; no name is near it"),
        ("", "expected a measure's name, found ''"),
        ("  ", "expected a measure's name, found '  '"),
        ("P.", "unknown measure 'P.'; did you mean P"),
    ],
)
def test_unknown_names(text, message):
    with pytest.raises(UnknownMeasureError) as caught:
        parse(text)
    assert str(caught.value).startswith(message)


def test_names_that_a_release_lacks():
    assert str(parse("unj_5")) == "unj_5"
    with pytest.raises(UnknownMeasureError, match=r"^unknown measure 'unj_5': trec_eval 9.0.8 lacks it, 10.0 has it$"):
        parse("unj_5", release="9.0.8")
    assert str(parse("nDCG@10", release="9.0.8")) == "nDCG@10"
    assert len(parse_all("all_trec", release="9.0.8")) < len(parse_all("all_trec"))


@pytest.mark.parametrize(
    ("item", "found"),
    [
        (5, "5 (int)"),
        (None, "None (NoneType)"),
        (b"AP", "b'AP' (bytes)"),
        ([["AP"]], "['AP'] (list)"),
        (["AP", 7], "7 (int)"),
    ],
)
def test_what_is_no_measure(item, found):
    with pytest.raises(UnknownMeasureError) as caught:
        parse_all(item)
    assert str(caught.value) == f"expected a measure or its text, found {found}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("official", "'official': expected one measure, found 30 (runid, num_q, num_ret, ...)"),
        ("P.5,10", "'P.5,10': expected one measure, found 2 (P_5, P_10)"),
        ("AP(rel=2", "'AP(rel=2': expected ',' or ')' at character 9, found the end"),
        ("AP(rel 2)", "'AP(rel 2)': expected '=' at character 8, found '2)'"),
        ("AP(2)", "'AP(2)': expected the name of an argument at character 4, found '2)'"),
        ("AP(", "'AP(': expected the name of an argument at character 4, found the end"),
        ("AP(,)", "'AP(,)': expected the name of an argument at character 4, found ',)'"),
        ("AP(rel=)", "'AP(rel=)': expected a value (a text needs quotes) at character 8, found ')'"),
        ("nDCG(gain=exp2)", "'nDCG(gain=exp2)': expected a value (a text needs quotes) at character 11, found 'exp2)'"),
        ("AP(rel=0x2)", "'AP(rel=0x2)': expected a value (a text needs quotes) at character 8, found '0x2)'"),
        ("AP(rel=1_0)", "'AP(rel=1_0)': expected a value (a text needs quotes) at character 8, found '1_0)'"),
        ("AP(rel=٣)", "'AP(rel=٣)': expected a value (a text needs quotes) at character 8, found '٣)'"),
        ("AP(rel=nan)", "'AP(rel=nan)': expected a finite number at character 8, found 'nan)'"),
        ("AP(rel=1e999)", "'AP(rel=1e999)': expected a finite number at character 8, found '1e999)'"),
        ("AP(rel=9999999999999999999)", "AP: rel: expected a whole number of at most 64 bits, found a greater one"),
        ("nDCG(gain='exp2)", "'nDCG(gain='exp2)': expected the closing ' at character 17, found the end"),
        ("nDCG(gain='exp2\\", "'nDCG(gain='exp2\\': expected the closing ' at character 17, found the end"),
        ("nDCG(gain={1 3})", "'nDCG(gain={1 3})': expected ':' at character 14, found '3})'"),
        ("nDCG(gain={1.5: 3})", "'nDCG(gain={1.5: 3})': expected a whole number at character 12, found '1.5: 3})'"),
        ("nDCG(gain={a: 3})", "'nDCG(gain={a: 3})': expected a grade at character 12, found 'a: 3})'"),
        ("nDCG(gain={1: x})", "'nDCG(gain={1: x})': expected a gain at character 15, found 'x})'"),
        ("nDCG(gain={1: 3 2: 4})", "'nDCG(gain={1: 3 2: 4})': expected ',' or '}' at character 17, found '2: 4})'"),
        ("nDCG(gain={1: 3, 1: 4})", "'nDCG(gain={1: 3, 1: 4})': expected each grade once, found 1 twice"),
        ("nDCG(discount=('jk' 2))", "'nDCG(discount=('jk' 2))': expected ',' or ')' at character 21, found '2))'"),
        ("AP(rel=2, rel=3)", "'AP(rel=2, rel=3)': expected each argument once, found rel twice"),
        ("AP(rel=2)10", "'AP(rel=2)10': expected '@' or the end at character 10, found '10'"),
        ("AP@", "'AP@': expected a number at character 4, found the end"),
        ("AP@ten", "'AP@ten': expected a number at character 4, found 'ten'"),
        ("P@5,10", "'P@5,10': expected the end at character 4, found ',10'"),
        ("AP@5@10", "'AP@5@10': expected the end at character 5, found '@10'"),
        (
            "ndcg_cut@10",
            "'ndcg_cut@10': 'ndcg_cut' is a name of trec_eval, which carries its parameters itself: "
            "behind a dot (name.5,10) or an underscore (name_10)",
        ),
        (
            "P_5(rel=2)",
            "'P_5(rel=2)': 'P_5' is a name of trec_eval, which carries its parameters itself: "
            "behind a dot (name.5,10) or an underscore (name_10)",
        ),
        ("nDCG(dcg='ln')", "nDCG: dcg: expected 'log2' or 'exp-log2' (here gain='exp2'), found 'ln'"),
        ("nDCG(dcg=2)", "nDCG: dcg: expected 'log2' or 'exp-log2' (here gain='exp2'), found 2"),
        ("nDCG(gains={1: 2}, dcg='exp-log2')", "nDCG: dcg: expected gain once, found it in another argument too"),
        ("SDCG(dcg='exp-log2')@5", "SDCG: dcg: expected 'log2', found 'exp-log2'"),
        ("AP(dcg='log2')", "AP: expected rel, judged_only or denominator, found argument 'dcg'"),
        # trec_eval's parameters
        ("P.0", "P: negative cutoff: expected whole numbers from 1, found '0'"),
        ("P_5,5", "P: duplicate cutoffs: expected different numbers, found '5,5'"),
        ("P.5x", "'P.5x': trec_eval reads only a part of this: P: '5x' is not a whole number, read as 5"),
        ("ndcg_cut.1=1,2=3", "'ndcg_cut.1=1,2=3': trec_eval reads only a part of this: ndcg_cut: '1=1' is not a"),
        ("map.5", "'map.5': trec_eval reads only a part of this: map: it takes no parameters, '5' has no effect"),
        ("official.5", "'official.5': trec_eval reads only a part of this: official: a nickname takes no"),
        ("utility.1,2", "utility: expected 4 numbers, found '1,2'"),
    ],
)  # fmt: skip
def test_what_a_measure_cannot_carry(text, message):
    with pytest.raises(ParameterError) as caught:
        parse(text)
    assert str(caught.value).startswith(message)


# Every name of ir_measures, with every parameter.
IR_MEASURES = """
    Accuracy(rel=2)@3; AP(rel=2, judged_only=True)@100; MAP; BPM(T=1.0, min_rel=0, max_rel=3)@10; Bpref(rel=2); BPref;
    Compat(p=.95, normalize=False); ERR@20; ERR; ERR_IA(rel=1, judged_only=True)@5; nERR_IA(rel=1, judged_only=True)@5;
    alpha_DCG(rel=1, alpha=.5, judged_only=False)@10; α_DCG@10; alpha_nDCG(rel=1, alpha=.5)@10; α_nDCG(alpha=.9);
    NRBP(rel=1, alpha=.5, beta=.5); nNRBP(rel=2, alpha=.3, beta=.4); AP_IA(rel=1, judged_only=True); MAP_IA;
    P_IA(rel=2, judged_only=True)@5; StRecall(rel=1)@20; infAP(rel=2); INST(T=1.0, min_rel=0, max_rel=3);
    INSQ(T=2.0, min_rel=0, max_rel=3); IPrec(rel=1, judged_only=True)@0.5; Judged@10; Judged;
    nDCG(dcg='log2', gains={0:1,1:3}, judged_only=True)@10; NDCG(dcg="exp-log2"); NERR8(min_rel=0, max_rel=3)@10;
    NERR9(min_rel=0, max_rel=3)@10; NERR10(p=.9, min_rel=0, max_rel=3); NERR11(T=1.0, min_rel=0, max_rel=3); NumQ;
    NumRel(rel=1); NumRet(rel=2); NumRet; NumRelRet; P(rel=2, judged_only=True)@5; Precision@5;
    R(rel=2, judged_only=True)@5; Recall@1000; RBP(p=.8, rel=1)@10; Rprec(rel=2, judged_only=True); RPrec;
    RR(rel=2, judged_only=True); MRR@10; SDCG(dcg='log2', min_rel=0, max_rel=3)@10;
    SetP(rel=2, relative=True, judged_only=True); SetRelP(rel=2); SetR(rel=2); SetF(rel=2, beta=2.0, judged_only=True);
    SetAP(rel=2, judged_only=True); Success(rel=2, judged_only=True)@10
"""


@pytest.mark.parametrize("text", [text.strip() for text in IR_MEASURES.split(";")])
def test_ir_measures_texts_are_read(text):
    measure = parse(text)
    assert parse(str(measure)) == measure
    assert (measure.at is not None) == ("@" in text)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda m: m(whole=0), "Probe: whole: expected a whole number from 1 to 9, found 0"),
        (lambda m: m(whole=2.5), "Probe: whole: expected a whole number from 1 to 9, found 2.5"),
        (lambda m: m(real=1.5), "Probe: real: expected a number from 0"),
        (lambda m: m(real=float("inf")), "Probe: real: expected a finite number, found inf"),
        (lambda m: m(real="a"), "Probe: real: expected a number from 0"),
        (lambda m: m(kind="other"), "Probe: kind: expected "),
        (lambda m: m(strict=1), "Probe: strict: expected "),
        (lambda m: m(whole=None), "Probe: whole: expected a number, text, mapping or tuple, found None"),
        (lambda m: m(whole=np.arange(3)), "Probe: whole: expected a number, text, mapping or tuple, "),
        (lambda m: m(whole=2**63), "Probe: whole: expected a whole number of at most 64 bits, found a greater one"),
        (lambda m: m(gain="quadratic"), "Probe: gain: expected "),
        (lambda m: m(discount=("jk", 0.5)), "Probe: discount: expected "),
        (lambda m: m(rel=-1), "Probe: rel: expected a whole number from 0, found -1"),
        (
            lambda m: m(hole=2),
            "Probe: expected whole, real, kind, strict, gain, discount, rel or judged_only, found argument 'hole'; "
            "did you mean whole?",
        ),
        (lambda m: m @ 0, "Probe: "),
        (lambda m: m @ 2.5, "Probe: "),
        (lambda m: m @ "5", "Probe: "),
        (lambda m: parse("Points"), "Points: "),
        (lambda m: parse("Points@1.5"), "Points: "),
        (lambda m: parse("Whole@5"), "Whole: "),
        (lambda m: parse("Whole(rel=1)"), "Whole: expected no arguments, found argument 'rel'"),
        (lambda m: parse("ndcg_cut_10") @ 5, CARRIED.format("ndcg_cut_10", "cutoff")),
        (lambda m: parse("map")(rel=2), CARRIED.format("map", "arguments")),
    ],
)  # fmt: skip
def test_arguments_out_of_their_range(probes, make, message):
    with pytest.raises(ParameterError) as caught:
        make(field_measure(probes[0]))
    assert str(caught.value).startswith(message)


def test_arguments_have_names(probes):
    with pytest.raises(TypeError):
        field_measure(probes[0])(2)


def test_a_record_of_trec_eval_is_none_of_the_field():
    with pytest.raises(TypeError, match="expected a measure by the field's name, found <measure map> of trec_eval"):
        field_measure(registry.find("map"))


# Names in lower case


@pytest.mark.parametrize("record", list(registry.field_measures()), ids=lambda record: record.name)
def test_names_in_lower_case(record):
    if record.function is not None:
        return
    at = {"cutoff": "@5", None: ""}.get(getattr(record.parameter_kind, "at", None), "@0.1")
    measure = treckon.parse(f"{record.name.lower()}{at or '()'}")
    assert measure.record is record
    assert str(measure) == record.name + at


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("ndcg@10", "nDCG@10"), ("mrr@10", "RR@10"), ("map@100", "AP@100"), ("recall@100", "R@100"),
        ("hit_rate@5", "Success@5"), ("precision@5", "P@5"), ("ap@10", "AP@10"), ("p@10", "P@10"), ("f1@3", "F@3"),
        ("inst(T=2)", "INST(T=2)"), ("sdcg@3", "SDCG@3"), ("r_cap@3", "R_cap@3"), ("u", "U"),
    ],
)  # fmt: skip
def test_usual_forms_in_lower_case(text, name):
    assert str(treckon.parse(text)) == name


def test_names_of_trec_eval_go_before_names_in_lower_case():
    assert "set_P" in map(str, treckon.parse_all("set"))
    assert str(treckon.parse("map")) == "map"
    assert str(treckon.parse("ndcg")) == "ndcg"
