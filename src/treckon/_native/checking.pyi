from collections.abc import Sequence
from typing import Any

from treckon._native.file_scans import FileScan
from treckon._native.line_formats import LineFormat
from treckon._native.qrels import Qrels

class Checker(FileScan):
    def __new__(
        cls,
        format: LineFormat,
        limit: int,
        *,
        depth: int | None = None,
        cutoffs: Sequence[int] = (),
        tag: bytes | None = None,
        judged: Qrels | None = None,
        documents: Qrels | None = None,
        previous: Checker | None = None,
    ) -> Checker: ...
    @property
    def scattered(self) -> bool: ...
    def meets(self, other: Checker) -> bool: ...
    @property
    def counts(self) -> tuple[int, int, int]: ...
    @property
    def tag(self) -> bytes | None: ...
    @property
    def ties(self) -> tuple[int, int, list[int]]: ...
    @property
    def judged(self) -> tuple[int, int, int, list[float]]: ...
    def queries(self) -> list[tuple[bytes, int, int]]: ...
    def findings(self) -> dict[str, tuple[int, list[Any]]]: ...
