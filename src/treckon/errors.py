"""Every error that treckon raises on purpose. Each says where, what was expected and what was found."""

from __future__ import annotations


class TreckonError(ValueError):
    """Base of all errors of this package."""


class UnknownMeasureError(TreckonError):
    """A measure name that the registry (or the release asked for) does not have."""


class ParameterError(TreckonError):
    """A measure's parameter, or an option, that can't have this value."""


class InputError(TreckonError):
    """A file or value that can't be read: place, expectation, finding.

    ``place`` is ``file:line``, a file's name, or a query and document; it is the start of the message too.
    """

    def __init__(self, place: str, problem: str) -> None:
        super().__init__(f"{place}: {problem}")
        self.place = place


class EvaluationError(TreckonError):
    """Data that were read but can't be evaluated: duplicate documents, contradictions, a measure of another format."""


class NoQueriesError(TreckonError):
    """No query has both results and judgements."""
