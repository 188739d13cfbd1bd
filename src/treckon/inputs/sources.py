"""Where bytes come from: files, pipes, standard input, compressed or not. Whatever it is can be read twice."""

from __future__ import annotations

import os
import stat
import sys
from importlib import import_module

from treckon.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator
    from typing import IO, Any, Protocol

    class _Decompressor(Protocol):
        @property
        def eof(self) -> bool: ...
        @property
        def unused_data(self) -> bytes: ...
        @property
        def needs_input(self) -> bool: ...
        def decompress(self, data: bytes, max_length: int) -> bytes: ...


#: Bytes that are read or handed over at a time.
BLOCK_SIZE = 1 << 20
#: May begin a text, and is no part of it.
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
#: Bytes that a decompressor is given at a time: it copies those behind a stream's end, and there may be many streams.
_PIECE_SIZE = 1 << 16

_GZIP, _BZIP2, _XZ, _ZSTD = b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd"


class _GzipDecompressor:
    """zlib's with the methods that the other libraries' have."""

    def __init__(self) -> None:
        try:
            library = import_module("isal.isal_zlib")  # the extra "fast": twice zlib's speed
        except ImportError:
            library = import_module("zlib")
        self._zlib = library.decompressobj(wbits=31)
        self.needs_input = True

    @property
    def eof(self) -> bool:
        return bool(self._zlib.eof)

    @property
    def unused_data(self) -> bytes:
        return bytes(self._zlib.unused_data)

    def decompress(self, data: bytes, max_length: int) -> bytes:
        decompressed: bytes = self._zlib.decompress(self._zlib.unconsumed_tail + data, max_length)
        self.needs_input = len(decompressed) < max_length and not self._zlib.unconsumed_tail
        return decompressed


def _bzip2_decompressor() -> _Decompressor:
    from bz2 import BZ2Decompressor

    return BZ2Decompressor()


def _xz_decompressor() -> _Decompressor:
    from lzma import LZMADecompressor

    return LZMADecompressor()


class _ZstandardDecompressor:
    """zstandard's with the methods that the other libraries' have. It has no bound of its own for what comes out."""

    #: Bytes that it is given at a time. A block of up to 128 KiB takes 4 bytes or more, so this becomes 8 MiB at most.
    PIECE_SIZE = 256

    def __init__(self) -> None:
        self._stream = import_module("zstandard").ZstdDecompressor().decompressobj()
        self._rest = b""

    @property
    def eof(self) -> bool:
        return bool(self._stream.eof)

    @property
    def unused_data(self) -> bytes:
        return bytes(self._stream.unused_data) + self._rest

    @property
    def needs_input(self) -> bool:
        return not self._rest

    def decompress(self, data: bytes, max_length: int) -> bytes:
        data = self._rest + data
        parts, size, at = [], 0, 0
        while at < len(data) and size < max_length and not self._stream.eof:
            parts.append(self._stream.decompress(data[at : at + self.PIECE_SIZE]))
            size += len(parts[-1])
            at += self.PIECE_SIZE
        self._rest = data[at:]
        return b"".join(parts)


def _zstd_library() -> Any:
    """Python's own library (from 3.14 on), or the same for older ones (the extra "fast"), or zstandard."""
    for name in ("compression.zstd", "backports.zstd"):
        try:
            return import_module(name)
        except ImportError:
            pass
    return import_module("zstandard")


def _zstd_decompressor() -> _Decompressor:
    library = _zstd_library()
    if library.__name__ == "zstandard":
        return _ZstandardDecompressor()
    made: _Decompressor = library.ZstdDecompressor()
    return made


_DECOMPRESSORS: tuple[tuple[bytes, str, Callable[[], _Decompressor]], ...] = (
    (_GZIP, "gzip", _GzipDecompressor),
    (_BZIP2, "bzip2", _bzip2_decompressor),
    (_XZ, "xz", _xz_decompressor),
    (_ZSTD, "zstd", _zstd_decompressor),
)


class Source:
    """A file's bytes, decompressed, as often as they are needed.

    name:    how messages call it
    regular: whether it is a regular file, reading which never waits for another program
    plain:   (file descriptor, size) of an uncompressed regular file, which threads may read at any place; else None

    A pipe can be read once, so what comes out of it is also kept in a temporary file, in case it is needed again.
    """

    def __init__(self, path: str | bytes | os.PathLike[Any]) -> None:
        """Opens `path`; ``-`` is standard input. Raises InputError where that can't be read."""
        path = os.fspath(path)
        self.name = os.fsdecode(path)
        self._spool: IO[bytes] | None = None
        self._fd = -1
        try:
            if path in ("-", b"-"):
                self.name = "standard input"
                if sys.stdin is None:  # closed, and its number may be another file's by now
                    raise OSError(None, "it is closed")
                self._fd = os.dup(sys.stdin.fileno())
            elif "\0" in self.name:  # the interpreter's own words for it differ from release to release
                raise OSError(None, "a path has no NUL")
            else:
                self._fd = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0))
            self._examine()
        except (OSError, ValueError) as error:
            self.close()
            raise self.unreadable(getattr(error, "strerror", None) or str(error)) from None

    def _examine(self) -> None:
        """Finds out what was opened: its kind, its first bytes, its compression."""
        status = os.fstat(self._fd)
        if stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError(None, "it is a directory")
        # Where another program has read the beginning already, what is left is read as a stream.
        self.regular = stat.S_ISREG(status.st_mode) and os.lseek(self._fd, 0, os.SEEK_CUR) == 0
        if self.regular:
            self._start = os.read(self._fd, 6)
            os.lseek(self._fd, 0, os.SEEK_SET)
        else:
            self._start = self._read_start()
        if not self._start:
            raise OSError(None, "it is empty")
        compressions: Iterator[tuple[str, Callable[[], _Decompressor] | None]] = (
            (name, make) for magic, name, make in _DECOMPRESSORS if self._start.startswith(magic)
        )
        self._compression, self._make = next(compressions, ("", None))
        self.plain = (self._fd, status.st_size) if self.regular and self._make is None else None

    def _read_start(self) -> bytes:
        """The first bytes of a pipe: enough to know a compression by."""
        start = b""
        while len(start) < 6:
            block = os.read(self._fd, BLOCK_SIZE)
            if not block:
                break
            start += block
        return start

    def unreadable(self, reason: str) -> InputError:
        """The error that this can't be read."""
        return InputError(self.name, f"cannot read it: {reason}")

    def close(self) -> None:
        """Closes what is open. May be called twice."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
            if self._spool is not None:
                self._spool.close()

    def __enter__(self) -> Source:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def blocks(self) -> Generator[bytes]:
        """The bytes from the beginning, decompressed, up to BLOCK_SIZE at a time. Raises InputError."""
        raw = self._raw_blocks()
        return raw if self._make is None else self._decompressed(raw)

    def _raw_blocks(self) -> Generator[bytes]:
        try:
            if self.regular:
                os.lseek(self._fd, 0, os.SEEK_SET)
                while block := os.read(self._fd, BLOCK_SIZE):
                    yield block
            else:
                yield from self._spooled_blocks()
        except OSError as error:
            raise self.unreadable(error.strerror or str(error)) from None

    def _spooled_blocks(self) -> Generator[bytes]:
        """The bytes of a pipe: what was read before, out of the temporary file; then the rest, which goes there too."""
        if self._spool is None:
            from tempfile import TemporaryFile

            self._spool = TemporaryFile()  # noqa: SIM115  (closed by close())
            self._spool.write(self._start)
        spool = self._spool
        spool.seek(0)
        while block := spool.read(BLOCK_SIZE):
            yield block
        while block := os.read(self._fd, BLOCK_SIZE):
            spool.write(block)
            yield block

    def _decompressed(self, raw: Iterator[bytes]) -> Generator[bytes]:
        assert self._make is not None
        try:
            decompressor = self._make()
        except ImportError:
            raise self.unreadable("zstd needs the package backports.zstd: pip install 'treckon[fast]'") from None
        pending = b""
        try:
            for block in raw:
                for begin in range(0, len(block), _PIECE_SIZE):
                    pending += block[begin : begin + _PIECE_SIZE]
                    while pending:
                        if decompressor.eof:  # another stream follows the one that ended
                            if not pending.strip(b"\x00"):  # padding
                                break
                            decompressor = self._make()
                        yield from _outcome(decompressor, pending)
                        pending = decompressor.unused_data if decompressor.eof else b""
        except InputError:
            raise
        except Exception as error:  # each library has its own
            raise self.unreadable(f"damaged {self._compression} data: {error}") from None
        if not decompressor.eof:
            raise self.unreadable(f"the {self._compression} data end too early")

    def line_at(self, position: int) -> tuple[int, bytes]:
        """Number (from 1) and text of the line that begins at this position; reads the file again.

        Of a line longer than BLOCK_SIZE, perhaps only the beginning.
        """
        number, seen = 1, 0
        blocks = self.blocks()
        for block in blocks:
            if seen + len(block) <= position:
                number += block.count(b"\n")
                seen += len(block)
                continue
            inside = max(position - seen, 0)
            number += block.count(b"\n", 0, inside)
            line = block[inside:]
            # So much is enough for a message; what is no text may have no line's end.
            while b"\n" not in line and len(line) < BLOCK_SIZE and (more := next(blocks, b"")):
                line += more
            return number, line.partition(b"\n")[0]
        return number, b""

    def text_blocks(self) -> Iterator[bytes]:
        """The bytes of a text without its byte-order mark; reads the file again. Raises InputError for a NUL byte."""
        position, begun, pending = 0, False, b""
        for block in self.blocks():
            if (nul := block.find(b"\0")) >= 0:
                raise InputError(f"{self.name}:{self.line_at(position + nul)[0]}", "expected text, found a NUL byte")
            position += len(block)
            if not begun:
                pending += block
                if len(pending) < len(BYTE_ORDER_MARK):
                    continue
                begun, block = True, pending.removeprefix(BYTE_ORDER_MARK)
            yield block
        if not begun:
            yield pending

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """All lines of a text with their numbers (from 1) and without their ends, LF or CR LF; reads the file again.

        Raises InputError for a NUL byte.
        """
        rest, number = bytearray(), 0
        for block in self.text_blocks():
            *whole, last = block.split(b"\n")
            for line in whole:
                number += 1
                yield number, (bytes(rest + line) if rest else line).rstrip(b"\r")
                rest.clear()
            rest += last
        if rest:
            yield number + 1, bytes(rest).rstrip(b"\r")

    def text(self) -> bytes:
        """All of a text without its byte-order mark; reads the file again. Raises InputError for a NUL byte."""
        return b"".join(self.text_blocks())


def _outcome(decompressor: _Decompressor, data: bytes) -> Generator[bytes]:
    """What some bytes of a stream become, however much that is, a block at a time."""
    while True:
        if block := decompressor.decompress(data, BLOCK_SIZE):
            yield block
        data = b""
        if decompressor.eof or decompressor.needs_input:
            return


def prefetched(blocks: Iterator[bytes]) -> Generator[bytes]:
    """The same blocks, made by a thread ahead of the one that uses them, a few at a time."""
    import queue
    import threading

    ready: queue.Queue[bytes | BaseException | None] = queue.Queue(maxsize=4)
    stop = threading.Event()

    def put(item: bytes | BaseException | None) -> None:
        while not stop.is_set():
            try:
                return ready.put(item, timeout=0.1)
            except queue.Full:
                continue

    def work() -> None:
        try:
            for block in blocks:
                put(block)
                if stop.is_set():
                    return
            put(None)
        except BaseException as error:  # handed over to the thread that asked
            put(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        while (item := ready.get()) is not None:
            if isinstance(item, BaseException):
                raise item
            yield item
    finally:
        stop.set()
        thread.join()


def compressed(parts: Iterable[bytes], path: str | bytes | os.PathLike[Any]) -> Iterator[bytes]:
    """The parts as the name of the file says: compressed for .gz, .bz2, .xz and .zst, else as they are.

    The same bytes become the same file. Raises InputError where a library is missing.
    """
    name = os.fsdecode(path)
    make = next((make for suffix, make in _COMPRESSORS.items() if name.endswith(suffix)), None)
    if make is None:
        yield from parts
        return
    try:
        compressor = make()
    except ImportError:
        raise InputError(name, "zstd needs the package backports.zstd: pip install 'treckon[fast]'") from None
    for part in parts:
        yield compressor.compress(part)
    yield compressor.flush()


def _gzip_compressor() -> Any:
    from zlib import compressobj

    return compressobj(wbits=31)


def _bzip2_compressor() -> Any:
    from bz2 import BZ2Compressor

    return BZ2Compressor()


def _xz_compressor() -> Any:
    from lzma import LZMACompressor

    return LZMACompressor()


def _zstd_compressor() -> Any:
    library = _zstd_library()
    compressor = library.ZstdCompressor()
    return compressor.compressobj() if library.__name__ == "zstandard" else compressor


_COMPRESSORS: dict[str, Callable[[], Any]] = {
    ".gz": _gzip_compressor,
    ".bz2": _bzip2_compressor,
    ".xz": _xz_compressor,
    ".zst": _zstd_compressor,
}
#: What the names of compressed files end in.
COMPRESSED_SUFFIXES = tuple(_COMPRESSORS)
