"""What comes in: runs, judgements and what goes with them, from files, pipes and Python's data.

`as_run` and `as_qrels` take anything a user may have; `write_run` and `write_qrels` write it.
"""

from __future__ import annotations

from treckon.lazy import public_names

__all__ = [
    "QRELS",
    "RUN",
    "Columns",
    "Rows",
    "as_pair",
    "as_qrels",
    "as_run",
    "as_run_or_rows",
    "plain_documents",
    "plain_mapping",
    "write_qrels",
    "write_run",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from treckon.inputs.columns import Columns
    from treckon.inputs.forms import as_pair, as_qrels, as_run, as_run_or_rows
    from treckon.inputs.tables import Rows
    from treckon.inputs.values import QRELS, RUN, plain_documents, plain_mapping
    from treckon.inputs.writing import write_qrels, write_run

# Imported when they are first used: the command trec_eval reads files, and needs none of them.
_HOMES = {
    "QRELS": "treckon.inputs.values",
    "RUN": "treckon.inputs.values",
    "Columns": "treckon.inputs.columns",
    "Rows": "treckon.inputs.tables",
    "as_pair": "treckon.inputs.forms",
    "as_qrels": "treckon.inputs.forms",
    "as_run": "treckon.inputs.forms",
    "as_run_or_rows": "treckon.inputs.forms",
    "plain_documents": "treckon.inputs.values",
    "plain_mapping": "treckon.inputs.values",
    "write_qrels": "treckon.inputs.writing",
    "write_run": "treckon.inputs.writing",
}

__getattr__, __dir__ = public_names("treckon.inputs", _HOMES)
