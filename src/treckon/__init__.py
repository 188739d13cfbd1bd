"""treckon: scores ranked retrieval runs against relevance judgements."""

__version__ = "0.1.0"
