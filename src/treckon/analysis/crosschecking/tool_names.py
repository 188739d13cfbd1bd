"""What other tools call their measures: their names to ours. History of others, so measures are named here."""

from __future__ import annotations

import re

from treckon.errors import TreckonError
from treckon.naming.syntax import Measure, parse

#: Labels of the row that stands for all queries, in lower case.
SUMMARY_LABELS = frozenset({"all", "amean", "mean", "average", "avg", "overall", "total", "all queries"})

#: Heads of columns, in lower case, that hold a run's name; gdeval's and ndeval's tables begin with the first two.
RUN_LABELS = frozenset({"runid", "run", "run_id", "runtag", "tag", "system", "model"})
TABLE_OF_PERL = ("runid", "topic")

#: Our measure that counts the documents retrieved.
N_RETRIEVED = "NumRet"

#: Names (lower case, without "@k") that our syntax does not know, with what they mean: the usual reading first.
#: "{at}" stands for "@k", or for nothing where the name has no cutoff.
_OTHERS: dict[str, tuple[str, ...]] = {
    # ranx
    "ndcg_burges": ("nDCG(gain='exp2'){at}",),
    "dcg_burges": ("DCG(gain='exp2'){at}",),
    "r-precision": ("Rprec",),
    # BEIR, MTEB; ir_measures has another Accuracy
    "accuracy": ("Success{at}", "Accuracy{at}"),
    "acc": ("Success{at}", "Accuracy{at}"),
    "top_k_accuracy": ("Success{at}",),
    "top_k_acc": ("Success{at}",),
    "cap_recall": ("R_cap{at}",),
    "recall_cap": ("R_cap{at}",),
    "capped_recall": ("R_cap{at}",),
    # RecBole, recommenders, cornac, rexmex, LightGBM
    "hit": ("Success{at}",),
    "hr": ("Success{at}",),
    "hitratio": ("Success{at}",),
    "hitrate": ("Success{at}",),
    "gauc": ("Accuracy",),
    "auroc": ("Accuracy",),
    "auc": ("Accuracy",),
    "average_precision": ("AP{at}",),
    "averageprecision": ("AP{at}",),
    "mean_average_precision": ("AP{at}",),
    "meanaverageprecision": ("AP{at}",),
    "avgprec": ("AP{at}",),
    "reciprocal_rank": ("RR{at}",),
    "reciprocalrank": ("RR{at}",),
    "mean_reciprocal_rank": ("RR{at}",),
    "meanreciprocalrank": ("RR{at}",),
    "normalized_discounted_cumulative_gain": ("nDCG{at}",),
    "normalizeddcg": ("nDCG{at}",),
    "prec": ("P{at}",),
    "rec": ("R{at}",),
    # scikit-learn, torchmetrics
    "ndcg_score": ("nDCG{at}",),
    "dcg_score": ("DCG{at}",),
    "average_precision_score": ("AP{at}",),
    "retrievalmap": ("AP{at}",),
    "retrievalmrr": ("RR{at}",),
    "retrievalprecision": ("P{at}",),
    "retrievalrecall": ("R{at}",),
    "retrievalhitrate": ("Success{at}",),
    "retrievalfallout": ("FallOut{at}",),
    "retrievalnormalizeddcg": ("nDCG{at}",),
    "retrievalrprecision": ("Rprec",),
    "retrievalauroc": ("Accuracy",),
    "fall_out": ("FallOut{at}",),
    "fallout": ("FallOut{at}",),
    # gdeval and ndeval
    "err": ("ERR{at}",),
    "err-ia": ("ERR_IA{at}",),
    "nerr-ia": ("nERR_IA{at}",),
    "alpha-dcg": ("alpha_DCG{at}",),
    "alpha-ndcg": ("alpha_nDCG{at}",),
    "map-ia": ("AP_IA",),
    "p-ia": ("P_IA{at}",),
    "strec": ("StRecall{at}",),
    # lower case of ours, where aliases lack it
    "p": ("P{at}",),
    "r": ("R{at}",),
    "ap": ("AP{at}",),
    "rr": ("RR{at}",),
    "ncrr": ("NCRR{at}",),
    "hits": ("Hits{at}",),
    "numq": ("NumQ",),
    "queriesranked": ("NumQ",),
}

#: Names of which one tool means something of its own.
_OF_TOOL: dict[str, dict[str, tuple[str, ...]]] = {
    "gdeval": {"ndcg": ("nDCG(gain='exp2'){at}",), "err": ("ERR(max_rel=4){at}",)},
    "ndeval": {"err-ia": ("ERR_IA(as_ndeval=True){at}",), "alpha-dcg": ("alpha_DCG(as_ndeval=True){at}",)},
}

_LEVEL = re.compile(r"^(?P<name>.+?)[-_.]?l(?P<level>\d+)$")
_AT = re.compile(r"^(?P<name>.+?)(?:@|_at_|_?@_?|_k=)(?P<at>\d+)$")
_UNDERSCORE = re.compile(r"^(?P<name>[a-z_-]*[a-z])[_-](?P<at>\d+)$")
_PERSISTENCE = re.compile(r"^rbp[._@]?(?P<p>0?\.\d+|\d{2})$")


def readings(name: str, tool: str = "") -> tuple[Measure, ...]:
    """What a name that a tool printed may mean, the usual reading first; nothing where it is no measure of ours.

    name: as printed: ``ndcg_cut_10``, ``NDCG@10``, ``hit_rate@5``, ``rbp.80``, ``nDCG(dcg='exp-log2')@20``
    tool: the format that the file has, where that tells the tool: gdeval's ndcg is not trec_eval's
    """
    written = "".join(name.split()) if "(" not in name else name.strip()
    bare, at = _split(written)
    known = _OF_TOOL.get(tool, {}).get(bare, ())
    if not known and len(_OTHERS.get(bare, ())) < 2 and (one := _parsed(written)) is not None:
        return (one,)
    texts = [text.replace("{at}", at) for text in known] if known else _translated(written, bare, at)
    return tuple(dict.fromkeys(one for text in texts if (one := _parsed(text)) is not None))


def _parsed(text: str) -> Measure | None:
    try:
        return parse(text)
    except TreckonError:
        return None


def _split(name: str) -> tuple[str, str]:
    """A name in lower case without its cutoff, and the cutoff as "@k" or ""."""
    match = _AT.match(name.lower()) or _UNDERSCORE.match(name.lower())
    return (match["name"].rstrip("_"), f"@{match['at']}") if match else (name.lower(), "")


def _translated(name: str, bare: str, at: str) -> list[str]:
    """Texts of ours for a name that our syntax does not know."""
    if persistence := _PERSISTENCE.match(name.lower()):
        number = persistence["p"]
        return [f"RBP(p={number if '.' in number else '0.' + number})"]
    if level := _LEVEL.match(bare):  # ranx: map-l2@100
        inner = readings(level["name"] + at)
        return [str(one(rel=int(level["level"]))) for one in inner if "rel" in one.record.arguments]
    return [text.replace("{at}", at) for text in _OTHERS.get(bare, (bare + "{at}",))]


def field_form(measure: Measure) -> Measure | None:
    """The measure by the field's name, whose arguments can be varied; None where the field has none."""
    record = measure.record
    if record.since is None:
        return measure
    name, parameters = record.field_name, measure.parameters
    if record.name == "set_F":  # it takes the square of beta
        return _parsed(f"SetF(beta={parameters.reals[0] ** 0.5!r})") if parameters.reals[0] >= 0.0 else None
    if name is None or parameters.reals or parameters.pairs or parameters.named:
        return None
    return _parsed(name if parameters.cutoff is None else f"{name}@{parameters.cutoff}")
