"""``python -m treckon COMMAND``: the command ``treckon``."""

from __future__ import annotations

import sys

from treckon.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
