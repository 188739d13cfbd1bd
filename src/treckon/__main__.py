"""``python -m treckon COMMAND``."""

from __future__ import annotations

import sys


def main() -> int:
    """Runs the command that the first argument names."""
    from treckon.cli import trec_eval  # noqa: PLC0415

    if sys.argv[1:2] == ["trec_eval"]:
        return trec_eval.main(sys.argv[2:])
    sys.stderr.write("Usage: python -m treckon trec_eval [options] qrels run\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
