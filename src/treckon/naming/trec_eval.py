"""Text to measures with their parameters, and measures to printed names."""

from __future__ import annotations

import treckon.measures  # noqa: F401  (fills the registry)
from treckon.errors import EvaluationError, ParameterError, UnknownMeasureError, shortened
from treckon.measures import registry
from treckon.naming.releases import NICKNAMES, PRINT_ORDER
from treckon.releases import RELEASE_9, RELEASE_10

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from treckon.measures.parameters import Parameters
    from treckon.measures.registry import MeasureRecord


class RequestedMeasure:
    """One printed name: a measure with its parameters."""

    __slots__ = ("name", "parameters", "record")

    def __init__(self, record: MeasureRecord, parameters: Parameters) -> None:
        self.record = record
        self.parameters = parameters
        self.name = record.name + parameters.suffix

    def __repr__(self) -> str:
        return self.name


class Request:
    """What the texts of a request stand for.

    measures: the printed names, in trec_eval's order
    warnings: sentences about parameters that were read only in part
    """

    __slots__ = ("measures", "warnings")

    def __init__(self, measures: tuple[RequestedMeasure, ...], warnings: tuple[str, ...]) -> None:
        self.measures = measures
        self.warnings = warnings


def all_in_order() -> list[MeasureRecord]:
    """Every measure: trec_eval's in the order in which it prints them, then the others."""
    known = [measure for name in PRINT_ORDER if (measure := registry.find(name)) is not None]
    return known + list(registry.field_measures())


def _find(name: str, release: str) -> MeasureRecord | None:
    """The measure of that name, if that release of trec_eval has it."""
    measure = registry.find(name)
    if measure is None or (measure.since == RELEASE_10 and release == RELEASE_9):
        return None
    return measure


def _split(text: str, release: str) -> tuple[str, str | None]:
    """Name and parameters of ``P.5,10``, or of the printed form ``P_5,10``."""
    name, dot, parameters = text.partition(".")
    if name in NICKNAMES or _find(name, release) is not None:
        if dot and not parameters:
            expected = "expected parameters behind the dot, found none"
            raise UnknownMeasureError(f"illegal measure '{shortened(name)}': {expected}")
        return name, parameters if dot else None
    at = text.find("_")
    while at > 0:
        measure, parameters = _find(text[:at], release), text[at + 1 :]
        if measure is not None and measure.parameter_kind.follows_underscore(parameters):
            return text[:at], parameters
        at = text.find("_", at + 1)
    raise UnknownMeasureError(f"illegal measure '{shortened(name)}'")


def request(texts: Iterable[str], release: str) -> Request:
    """The measures that trec_eval prints for these arguments of ``-m``, in its order.

    Raises UnknownMeasureError for a name that the release lacks. Of several texts for one measure, the first that
    carries parameters decides. Parameters are read by `parse_parameters`.
    """
    texts_of: dict[str, str | None] = {}
    ignored = []
    for text in texts:
        name, own = _split(text, release)
        if name in NICKNAMES:
            if own is not None:
                ignored.append(f"{name}: a nickname takes no parameters, '{shortened(own)}' has no effect")
            for member in NICKNAMES[name]:
                if _find(member, release) is not None:
                    texts_of.setdefault(member, None)
        elif texts_of.get(name) is None:
            texts_of[name] = own
    measures: list[RequestedMeasure] = []
    for name in PRINT_ORDER:
        if name in texts_of:
            record = registry.find(name)
            assert record is not None  # _split and the nicknames only let measures through
            read, warnings = parse_parameters(record, texts_of[name], release)
            measures.extend(RequestedMeasure(record, parameters) for parameters in read)
            ignored.extend(warnings)
    return Request(tuple(measures), tuple(ignored))


def parse_parameters(
    measure: MeasureRecord, text: str | None, release: str
) -> tuple[tuple[Parameters, ...], tuple[str, ...]]:
    """Parameters of a measure's parameter text, and sentences about what was read only in part.

    Raises ParameterError where the text can't be read, EvaluationError where the measure can't be computed with it.
    """
    if text is None:
        return measure.parameter_kind.defaults(), ()
    try:
        parsed = measure.parameter_kind.parse(text, release)
    except (ParameterError, EvaluationError) as error:
        raise type(error)(f"{measure.name}: {error}") from None
    return parsed.parameters, tuple(f"{measure.name}: {warning}" for warning in parsed.warnings)
