"""All of the output arrives, or a message and a status say that it doesn't; a file is whole or as it was.

Streams that take little at a time, stop and go on, don't block, lose their reader or are full; files that are
read-only, inputs by another name, links; signals while a file is written.
"""

import errno
import io
import os
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from contextlib import redirect_stderr, redirect_stdout

import pytest

from treckon.cli import output
from treckon.cli.main import main
from treckon.inputs import sinks

pytestmark = pytest.mark.skipif(os.name != "posix", reason="pipes, modes and signals of POSIX")
fifo = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
by_number = pytest.mark.skipif(not os.path.exists("/dev/fd/1"), reason="no /dev/fd here")
full = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
buffering = pytest.mark.parametrize("unbuffered", ["", "1"], ids=["buffered", "unbuffered"])

N_QUERIES = 8000
QUERIES = sorted(map(str, range(N_QUERIES)))  # in the order in which trec_eval prints them
#: More than a pipe holds, and than the limit of a file below.
PER_QUERY = "".join(f"map                   \t{query}\t1.0000\n" for query in QUERIES).encode()
LIMIT = 1 << 16

COMMANDS = {
    "trec_eval": ["trec_eval", "-q", "-n", "-m", "map", "qrels", "run"],
    "eval": ["eval", "qrels", "run", "-q", "-n", "-m", "AP", "--quiet"],
    "convert": ["convert", "run", "run", "-", "--quiet"],
}
every_command = pytest.mark.parametrize("command", COMMANDS)
#: What each says, and its status, where its output can't be written.
REFUSAL = {
    "trec_eval": (1, "trec_eval: cannot write standard output: {}\n"),
    "eval": (2, "treckon eval: standard output: cannot write it: {}\n"),
    "convert": (2, "treckon convert: standard output: cannot write it: {}\n"),
}


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    (folder / "qrels").write_text("".join(f"{query} 0 d 1\n" for query in QUERIES))
    (folder / "run").write_text("".join(f"{query} Q0 d 1 1.0 treckon\n" for query in QUERIES))
    return folder


@pytest.fixture(scope="module")
def expected(data):
    """What each command prints, by its name; the file that it is redirected to takes it at once."""
    printed = {}
    for name, arguments in COMMANDS.items():
        with open(data / f"{name}.out", "wb") as file:
            subprocess.run(call(*arguments), cwd=data, stdout=file, check=True, timeout=60)
        printed[name] = (data / f"{name}.out").read_bytes()
    return printed


@pytest.fixture
def folder(data, tmp_path):
    """A folder of a test's own, with these files."""
    for name in ("qrels", "run"):
        (tmp_path / name).write_bytes((data / name).read_bytes())
    return tmp_path


def call(*arguments):
    return [sys.executable, "-m", "treckon", *arguments]


def environment(unbuffered=""):
    return {**os.environ, "PYTHONUNBUFFERED": unbuffered}


def hidden(folder):
    return [path.name for path in folder.iterdir() if path.name.startswith(".")]


# ---- Streams


def test_what_is_expected_is_all_there(expected):
    assert expected["trec_eval"] == PER_QUERY
    assert expected["eval"].count(b"\n") == N_QUERIES + 1
    assert expected["convert"].count(b"\n") == N_QUERIES
    assert min(map(len, expected.values())) > LIMIT


class Slow(threading.Thread):
    """Reads a pipe a little at a time, and stops now and then."""

    def __init__(self, fd, size):
        super().__init__()
        self.fd, self.size, self.read = fd, size, b""

    def run(self):
        while data := os.read(self.fd, self.size):
            if len(self.read) // 5000 != (len(self.read) + len(data)) // 5000:
                time.sleep(0.002)
            self.read += data
        os.close(self.fd)


@pytest.mark.parametrize("blocking", [True, False])
@pytest.mark.parametrize(("size", "length"), [(1, 100_000), (4096, 3_000_000), (1 << 20, 3_000_000)])
def test_a_pipe_that_stops_and_goes_on_gets_everything(size, length, blocking):
    reading, writing = os.pipe()
    os.set_blocking(writing, blocking)
    reader = Slow(reading, size)
    reader.start()
    parts = [b"%d\n" % i for i in range(length // 14)] + [b"x" * (length // 2)]
    sinks.write_all(writing, parts)
    os.close(writing)
    reader.join()
    assert reader.read == b"".join(parts)


@every_command
@buffering
@pytest.mark.parametrize("blocking", [True, False])
def test_commands_wait_for_a_pipe(command, unbuffered, blocking, data, expected):
    reading, writing = os.pipe()
    os.set_blocking(writing, blocking)
    process = subprocess.Popen(
        call(*COMMANDS[command]), cwd=data, env=environment(unbuffered), stdout=writing, stderr=subprocess.PIPE
    )
    os.close(writing)
    time.sleep(0.3)  # it is full by now, most likely
    reader = Slow(reading, 3000)
    reader.start()
    assert process.communicate(timeout=60)[1] == b""
    reader.join()
    assert (process.returncode, reader.read) == (0, expected[command])


@every_command
@buffering
def test_a_reader_that_leaves_is_no_error(command, unbuffered, data):
    for blocking in (True, False):
        reading, writing = os.pipe()
        os.set_blocking(writing, blocking)
        process = subprocess.Popen(
            call(*COMMANDS[command]), cwd=data, env=environment(unbuffered), stdout=writing, stderr=subprocess.PIPE
        )
        os.close(writing)
        assert os.read(reading, 10)
        os.close(reading)
        assert process.communicate(timeout=60)[1] == b""
        assert process.returncode == 0


@every_command
@buffering
@full
def test_a_full_device_is_an_error(command, unbuffered, data):
    with open("/dev/full", "wb") as device:
        finished = subprocess.run(
            call(*COMMANDS[command]),
            cwd=data, env=environment(unbuffered), stdout=device, stderr=subprocess.PIPE, timeout=60,
        )  # fmt: skip
    status, message = REFUSAL[command]
    assert (finished.returncode, finished.stderr.decode()) == (status, message.format("No space left on device"))


def limited():
    """Files that end in the middle, as on a disk that is full by then."""
    import resource

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT, LIMIT))


@every_command
@buffering
def test_a_disk_that_is_full_in_the_middle_is_an_error(command, unbuffered, folder):
    with open(folder / "out", "wb") as file:
        finished = subprocess.run(
            call(*COMMANDS[command]), cwd=folder, env=environment(unbuffered), stdout=file, stderr=subprocess.PIPE,
            preexec_fn=limited, timeout=60,
        )  # fmt: skip
    status, message = REFUSAL[command]
    assert (finished.returncode, finished.stderr.decode()) == (status, message.format("File too large"))
    assert (folder / "out").stat().st_size == LIMIT


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_messages_wait_too(unbuffered, data):
    """Standard error that doesn't block and is full: the message comes when there is room, and the status is ours."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    with pytest.raises(BlockingIOError):
        while True:
            os.write(writing, b" " * 4096)
    process = subprocess.Popen(
        call("trec_eval", "-m", "none", "qrels", "run"), cwd=data, env=environment(unbuffered), stderr=writing
    )
    os.close(writing)
    time.sleep(0.3)
    reader = Slow(reading, 4096)
    reader.start()
    assert process.wait(timeout=60) == 1
    reader.join()
    assert reader.read.strip(b" ").startswith(b"trec_eval: illegal measure 'none'")


def test_a_stream_that_takes_nothing_is_an_error(monkeypatch):
    monkeypatch.setattr(os, "write", lambda fd, data: 0)
    with pytest.raises(OSError) as raised:
        sinks.write_all(1, [b"a"])
    assert raised.value.strerror == "it takes no bytes"


def test_no_call_is_given_too_much(monkeypatch):
    monkeypatch.setattr(sinks, "_LARGEST_WRITE", 10)
    monkeypatch.setattr(sinks, "_BLOCK_SIZE", 25)
    sizes, written = [], []

    def write(fd, data):
        sizes.append(len(data))
        written.append(bytes(data[:7]))
        return len(written[-1])

    monkeypatch.setattr(os, "write", write)
    sinks.write_all(1, [b"abcdefghi"] * 5)
    assert b"".join(written) == b"abcdefghi" * 5
    assert max(sizes) == 10
    assert sinks._LARGEST_WRITE < 1 << 31


def test_a_program_may_collect_what_is_written():
    for stream in (io.StringIO(), io.TextIOWrapper(io.BytesIO(), "utf-8")):
        with redirect_stdout(stream):
            assert main(["--version"]) == 0
        stream.seek(0)
        assert stream.read().startswith("treckon ")
        said = io.StringIO()
        with redirect_stderr(said):
            output.tell("caf\udce9 \x1b\n")
        assert said.getvalue() == "caf\\udce9 \\x1b\n"


def test_output_follows_what_was_printed_before(capfdbinary):
    sys.stdout.write("before ")
    output.write("after")
    assert capfdbinary.readouterr().out == b"before after"


# ---- Streams in place of a file


def write_into(path, folder, **more):
    """`eval -o PATH` in a process of its own."""
    return subprocess.run(
        call(*COMMANDS["eval"], "--format", "tsv", "-o", path), cwd=folder, timeout=60, stderr=subprocess.PIPE, **more
    )


@by_number
@pytest.mark.parametrize("path", ["/dev/stdout", "/dev/fd/1", "link"])
def test_standard_output_by_its_path(path, folder, expected):
    (folder / "link").symlink_to("/dev/stdout")
    finished = write_into(path, folder, stdout=subprocess.PIPE)
    assert (finished.returncode, finished.stdout, finished.stderr) == (0, expected["eval"], b"")
    assert (folder / "link").is_symlink()
    with open(folder / "log", "ab") as log:  # `>> log`
        log.write(b"before\n")
        log.flush()
        assert write_into(path, folder, stdout=log).returncode == 0
    assert (folder / "log").read_bytes() == b"before\n" + expected["eval"]
    assert hidden(folder) == []


@by_number
def test_a_process_substitution(folder, expected):
    """`-o >(cat)` is /dev/fd/N of a pipe."""
    reading, writing = os.pipe()
    reader = Slow(reading, 3000)
    reader.start()
    finished = write_into(f"/dev/fd/{writing}", folder, pass_fds=[writing])
    os.close(writing)
    reader.join()
    assert (finished.returncode, finished.stderr, reader.read) == (0, b"", expected["eval"])


@by_number
def test_a_socket_by_its_path():
    """Such as standard output under a service manager: its path can't be opened."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        sinks.write_whole([b"some", b"thing"], f"/dev/fd/{theirs.fileno()}")
        assert ours.recv(100) == b"something"


@by_number
def test_a_number_that_is_no_open_file(folder):
    finished = write_into("/dev/fd/98765", folder)
    message = b"treckon eval: /dev/fd/98765: cannot write it: No such file or directory\n"
    assert (finished.returncode, finished.stderr) == (2, message)


@by_number
def test_a_reader_of_such_a_stream_that_leaves_is_no_error(folder):
    reading, writing = os.pipe()
    os.close(reading)
    finished = write_into("/dev/stdout", folder, stdout=writing)
    os.close(writing)
    assert (finished.returncode, finished.stderr) == (0, b"")


@fifo
def test_a_named_pipe(folder, expected):
    os.mkfifo(folder / "pipe")
    process = subprocess.Popen(call(*COMMANDS["eval"], "-o", "pipe"), cwd=folder, stderr=subprocess.PIPE)
    received = (folder / "pipe").read_bytes()
    assert process.communicate(timeout=60)[1] == b""
    assert (process.returncode, received) == (0, expected["eval"])
    assert stat.S_ISFIFO((folder / "pipe").stat().st_mode)


@fifo
def test_streams_get_nothing_before_all_is_there(tmp_path):
    os.mkfifo(tmp_path / "pipe")

    def parts():
        yield b"a"
        raise ValueError("the second part fails")

    reading, writing = os.pipe()
    for path in (tmp_path / "pipe", f"/dev/fd/{writing}"):  # opening the first would wait for a reader
        with pytest.raises(ValueError, match="the second part fails"):
            sinks.write_whole(parts(), path)
    os.close(writing)
    assert os.read(reading, 10) == b""
    os.close(reading)


@full
def test_a_full_device_by_its_path(treckon):
    message = b"treckon measures: /dev/full: cannot write it: No space left on device\n"
    assert treckon("measures", "-o", "/dev/full") == (2, b"", message)


# ---- Files


def test_a_file_keeps_its_mode_and_a_link_its_place(treckon, tmp_path):
    (tmp_path / "real").mkdir()
    file = tmp_path / "real" / "file"
    file.write_text("before")
    file.chmod(0o640)
    (tmp_path / "link").symlink_to("real/file")
    assert treckon("--version", folder=tmp_path).status == 0
    assert treckon("measures", "-o", "link", folder=tmp_path) == (0, b"", b"")
    assert os.readlink(tmp_path / "link") == "real/file"
    assert file.read_bytes() == treckon("measures").stdout
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "link", "real"]


def test_a_link_to_nothing_makes_the_file(tmp_path):
    (tmp_path / "link").symlink_to("new")
    sinks.write_whole([b"a"], tmp_path / "link")
    assert (tmp_path / "new").read_bytes() == b"a"
    (tmp_path / "circle").symlink_to("circle")
    with pytest.raises(OSError) as raised:
        sinks.write_whole([b"a"], tmp_path / "circle")
    assert raised.value.errno == errno.ELOOP


def test_a_new_file_has_the_mode_that_the_process_says(tmp_path):
    before = os.umask(0o027)
    try:
        sinks.write_whole([b"a"], tmp_path / "new")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only a superuser gives files away")
def test_a_file_keeps_its_owner(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("before")
    os.chown(tmp_path / "file", 12345, 23456)
    sinks.write_whole([b"a"], tmp_path / "file")
    status = (tmp_path / "file").stat()
    assert (status.st_uid, status.st_gid) == (12345, 23456)

    def refuse(*_):
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "chown", refuse)
    sinks.write_whole([b"b"], tmp_path / "file")
    assert (tmp_path / "file").read_bytes() == b"b"


@pytest.mark.parametrize("through", ["file", "link"])
def test_a_read_only_file_is_refused(through, treckon, tmp_path):
    (tmp_path / "file").write_text("before")
    (tmp_path / "file").chmod(0o444)
    (tmp_path / "link").symlink_to("file")
    message = f"treckon measures: {through}: cannot write it: it is read-only\n".encode()
    assert treckon("measures", "-o", through, folder=tmp_path) == (2, b"", message)
    assert (tmp_path / "file").read_text() == "before"
    assert hidden(tmp_path) == []


@pytest.mark.parametrize("command", ["eval", "convert"])
def test_a_full_disk_leaves_the_file_as_it_was(command, folder):
    (folder / "out").write_text("before")
    arguments = COMMANDS[command]
    arguments = [*arguments, "-o", "out"] if command == "eval" else ["convert", "run", "run", "out"]
    finished = subprocess.run(call(*arguments), cwd=folder, stderr=subprocess.PIPE, preexec_fn=limited, timeout=60)
    message = f"treckon {command}: out: cannot write it: File too large\n"
    assert (finished.returncode, finished.stderr.decode()) == (2, message)
    assert (folder / "out").read_text() == "before"
    assert hidden(folder) == []


# ---- Inputs by another name


@pytest.fixture
def named(folder):
    """The run by further names, and a folder with it."""
    (folder / "symbolic").symlink_to("run")
    os.link(folder / "run", folder / "hard")
    (folder / "runs").mkdir()
    (folder / "runs" / "a").symlink_to("../run")
    return folder


@pytest.mark.parametrize("name", ["symbolic", "hard"])
@pytest.mark.parametrize(
    ("arguments", "option"),
    [
        ("convert run run {}", "OUTPUT"),
        ("convert run ./run {}", "OUTPUT"),
        ("convert run {} run", "OUTPUT"),
        ("convert pastes qrels run {}", "OUTPUT"),
        ("eval qrels run -o {}", "--output"),
        ("eval qrels {} -o run", "--output"),
        ("leaderboard qrels runs -o {}", "--output"),
        ("leaderboard qrels runs --scores-json {}", "--scores-json"),
        ("gate gate.toml qrels run --junit {}", "--junit"),
    ],
)
def test_no_output_takes_an_inputs_place(arguments, option, name, treckon, named):
    before = (named / "run").read_bytes()
    call = arguments.format(name).split()
    target = "run" if call[-1] == "run" else name
    message = f"treckon {call[0]}: {option}: expected a file of its own, found '{target}'\n".encode()
    assert treckon(*call, folder=named) == (2, b"", message)
    assert (named / "run").read_bytes() == before
    assert (named / "symbolic").is_symlink() and (named / "hard").samefile(named / "run")


@by_number
def test_nor_by_its_number(named, treckon):
    before = (named / "run").read_bytes()
    with open(named / "run", "ab") as file:
        path = f"/dev/fd/{file.fileno()}"
        message = f"treckon eval: --output: expected a file of its own, found '{path}'\n".encode()
        assert treckon("eval", "qrels", "run", "-o", path, folder=named) == (2, b"", message)
    assert (named / "run").read_bytes() == before


@by_number
def test_nor_that_of_standard_input(named):
    before = (named / "run").read_bytes()
    for arguments, option in (("convert run - hard", "OUTPUT"), ("eval qrels - -o hard", "--output")):
        with open(named / "run", "rb") as file:
            finished = subprocess.run(call(*arguments.split()), cwd=named, stdin=file, capture_output=True, timeout=60)
        message = f"treckon {arguments.split()[0]}: {option}: expected a file of its own, found 'hard'\n".encode()
        assert (finished.returncode, finished.stdout, finished.stderr) == (2, b"", message)
    assert (named / "run").read_bytes() == before


def test_a_file_may_become_itself_by_its_own_name(treckon, named):
    assert treckon("convert", "run", "run", "./run", "--to", "json", folder=named).status == 0
    assert (named / "run").read_bytes().startswith(b'{\n"0": {"d": 1.0}')


# ---- Signals


ENDING = """
import os, signal, sys
from treckon.inputs import sinks

def parts():
    yield b"half" * 1000000
    print(*(name for name in os.listdir() if name.startswith(".treckon-")), flush=True)
    {middle}
    yield b"other half"

sinks.write_whole(parts(), "out")
"""


def ended(folder, middle, send=None, **more):
    """A process that writes "out"; in the middle of it, it does `middle`, and gets a signal. Its status and file."""
    (folder / "out").write_text("before")
    process = subprocess.Popen(
        [sys.executable, "-c", ENDING.format(middle=middle)], cwd=folder, stdout=subprocess.PIPE, **more
    )
    beside = process.stdout.readline().decode().strip()
    assert beside.startswith(".treckon-")
    if send is not None:
        process.send_signal(send)
    process.communicate(timeout=60)
    assert hidden(folder) == []
    return process.returncode, (folder / "out").read_bytes()


WHOLE = b"half" * 1000000 + b"other half"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP], ids=["SIGTERM", "SIGHUP"])
def test_a_signal_leaves_no_half_file_and_no_other(number, tmp_path):
    assert ended(tmp_path, "signal.pause()", number) == (-number, b"before")


def test_a_signal_that_is_ignored_stays_so(tmp_path):
    """nohup."""
    middle = f"os.kill(os.getpid(), {int(signal.SIGHUP)})"
    ignoring = {"preexec_fn": lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)}
    assert ended(tmp_path, middle, **ignoring) == (0, WHOLE)


def test_a_programs_own_handler_stays(tmp_path):
    number, calls = signal.SIGTERM, []
    before = signal.signal(number, lambda *_: calls.append("own"))
    try:
        sinks.write_whole((signal.raise_signal(number) or part for part in [b"a", b"b"]), tmp_path / "out")
        assert calls == ["own", "own"]
    finally:
        signal.signal(number, before)
    assert (tmp_path / "out").read_bytes() == b"ab"


def test_handlers_are_as_before(tmp_path):
    numbers = signal.SIGTERM, signal.SIGHUP
    before = [signal.signal(number, signal.SIG_DFL) for number in numbers]
    try:
        sinks.write_whole([b"a"], tmp_path / "out")
        assert [signal.getsignal(number) for number in numbers] == [signal.SIG_DFL] * 2
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


def test_another_thread_may_write(tmp_path):
    thread = threading.Thread(target=sinks.write_whole, args=([b"a"], tmp_path / "out"))
    thread.start()
    thread.join()
    assert (tmp_path / "out").read_bytes() == b"a"


def test_an_interrupt_leaves_the_file_as_it_was(tmp_path):
    (tmp_path / "out").write_text("before")

    def parts():
        yield b"a" * (1 << 21)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sinks.write_whole(parts(), tmp_path / "out")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("out", "before")]
