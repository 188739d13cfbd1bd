from treckon._native.file_scans import FileScan
from treckon._native.line_formats import LineFormat
from treckon._native.qrels import QrelsBuilder
from treckon._native.results import Results

class RunScan(FileScan):
    gathers: bool

    def __new__(
        cls,
        results: Results,
        format: LineFormat,
        strict: bool = False,
        order: str = "score",
        gather: bool = False,
    ) -> RunScan: ...
    def finish_gathering(self) -> None: ...
    @property
    def scattered(self) -> bool: ...
    @property
    def duplicate(self) -> tuple[int, bytes] | None: ...
    @property
    def unjudged(self) -> tuple[int, bytes, int] | None: ...
    @property
    def extra(self) -> tuple[set[int], bytes | None]: ...
    @property
    def n_own(self) -> int: ...
    @property
    def first_query(self) -> bytes | None: ...
    @property
    def tag(self) -> bytes | None: ...

class QrelsScan(FileScan):
    def __new__(
        cls, builder: QrelsBuilder, format: LineFormat, release_9: bool = False, strict: bool = False
    ) -> QrelsScan: ...
