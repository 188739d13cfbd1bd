from typing import Any

from treckon._native.file_scans import FileScan
from treckon._native.line_formats import LineFormat

class MappingReader(FileScan):
    mapping: dict[str, dict[str, Any]]
    duplicate: tuple[bytes, bytes] | None

    def __new__(cls, format: LineFormat, release_9: bool = False, strict: bool = False) -> MappingReader: ...
