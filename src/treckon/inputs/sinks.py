"""Where bytes go: to a stream, until it has taken all of them, or to a file that is there as a whole or as it was."""

from __future__ import annotations

import errno
import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

#: Small parts are written together, so many bytes at a time.
_BLOCK_SIZE = 1 << 20
#: No call is given more bytes: systems refuse, or take a part of, what has 2 GiB.
_LARGEST_WRITE = 1 << 30
_WRITING = os.O_WRONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


def write_all(fd: int, parts: Iterable[bytes]) -> None:
    """Writes all the bytes to an open file, however few it takes at a time, and waits where it takes none at once.

    Raises OSError.
    """
    pending: list[bytes] = []
    size = 0
    for part in parts:
        pending.append(part)
        size += len(part)
        if size >= _BLOCK_SIZE:
            _write_block(fd, b"".join(pending))
            pending, size = [], 0
    _write_block(fd, b"".join(pending))


def _write_block(fd: int, block: bytes) -> None:
    rest = memoryview(block)
    while rest:
        try:
            n_written = os.write(fd, rest[:_LARGEST_WRITE])
        except BlockingIOError:
            _wait(fd)
            continue
        if n_written == 0:  # no system should; the loop would have no end
            raise OSError(None, "it takes no bytes")
        rest = rest[n_written:]


def _wait(fd: int) -> None:
    """Waits until a non-blocking stream takes bytes again, or has lost its reader."""
    import select

    poll = select.poll()
    poll.register(fd, select.POLLOUT)
    poll.poll()


def write_whole(parts: Iterable[bytes], path: str | bytes | os.PathLike[Any]) -> None:
    """Writes a file such that readers see it as it was or as it is to be, never a part, and an error leaves it be.

    A stream (a pipe, a device, /dev/stdout, /dev/fd/N) can't be put in place: it is written to when all parts are
    there. A file that is replaced keeps its mode, and its owner where that may be; a link stays one, to the new file.

    Raises OSError, also where the file is read-only.
    """
    path = os.fsdecode(path)
    fd = _descriptor(path)
    if fd is not None:
        write_all(fd, list(parts))
        return
    try:
        before: os.stat_result | None = os.stat(path)
    except FileNotFoundError:
        before = None
    if before is None or stat.S_ISREG(before.st_mode):
        _replace(parts, os.path.realpath(path), before)
        return
    parts = list(parts)
    fd = os.open(path, _WRITING)
    try:
        write_all(fd, parts)
    finally:
        os.close(fd)


def _descriptor(path: str) -> int | None:
    """The number of the open file that /dev/stdout, /dev/fd/N or a link to one of them stands for; else None."""
    for _ in range(40):  # links to links, of which there may be circles
        folder, name = os.path.split(path)
        if name.isdecimal() and os.path.lexists(path) and os.path.realpath(folder) == os.path.realpath("/dev/fd"):
            return int(name)
        try:
            path = os.path.join(folder, os.readlink(path))
        except OSError:
            return None
    return None


def _replace(parts: Iterable[bytes], path: str, before: os.stat_result | None) -> None:
    """Puts a new file in the place of the one of before, or where there was none."""
    mode = 0o666 if before is None else stat.S_IMODE(before.st_mode)
    # The superuser may write whatever the mode says; who took away everybody's right to it meant them too.
    if before is not None and not (mode & 0o222 and os.access(path, os.W_OK)):
        raise PermissionError(errno.EACCES, "it is read-only", path)
    beside = os.path.join(os.path.dirname(path), f".treckon-{os.urandom(8).hex()}")
    with _RemovedWhenEnded(beside):
        try:
            fd = os.open(beside, _WRITING | os.O_CREAT | os.O_EXCL, mode)
            try:
                write_all(fd, parts)
            finally:
                os.close(fd)
            if before is not None:
                _keep_owner(beside, before)
                os.chmod(beside, mode)
            os.replace(beside, path)
        except BaseException as error:
            _remove(beside)
            if isinstance(error, OSError) and error.filename == beside:  # of a name that nobody has chosen
                raise OSError(error.errno, error.strerror, path) from None
            raise


def _keep_owner(path: str, before: os.stat_result) -> None:
    own = os.stat(path)
    if (own.st_uid, own.st_gid) != (before.st_uid, before.st_gid):
        try:
            os.chown(path, before.st_uid, before.st_gid)
        except OSError:  # it takes a superuser to give files away
            pass


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass


class _RemovedWhenEnded:
    """Within it, a signal that ends the process removes a file first, if it is there.

    What is ignored (as by nohup), or has a handler already, stays as it is.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._handled: list[int] = []

    def __enter__(self) -> None:
        import signal

        for name in ("SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is signal.SIG_DFL:
                try:
                    signal.signal(number, self._end)
                except ValueError:  # another thread than the main one, which alone may do this
                    return
                self._handled.append(number)

    def _end(self, number: int, _: object) -> None:
        import signal

        _remove(self._path)
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    def __exit__(self, *_: object) -> None:
        import signal

        for number in self._handled:
            signal.signal(number, signal.SIG_DFL)
