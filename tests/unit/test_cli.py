"""The command `treckon` as such: which commands it has, how each may end, the options that several share."""

import argparse
import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import treckon
from treckon import Conventions, __version__
from treckon.cli import measures, output
from treckon.cli.main import COMMANDS, Parser, main
from treckon.cli.options import add_conventions, add_formats, add_inputs, add_measures, check_output, conventions_of
from treckon.errors import EvaluationError
from treckon.evaluation.conventions import OPTIONS

posix = pytest.mark.skipif(os.name != "posix", reason="devices and signals of POSIX")


# ---- Commands


def test_the_help_lists_every_command(treckon):
    status, shown, messages = treckon("--help")
    assert (status, messages) == (0, b"")
    for name, summary in COMMANDS.items():
        assert re.search(rf"^  {name} +{re.escape(summary)}$", shown.decode(), re.MULTILINE)


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "trec_eval"])
def test_every_command_is_complete_and_has_examples(name, treckon):
    module, summary = import_module(f"treckon.cli.{name}"), COMMANDS[name]
    assert summary[0].islower(), "a phrase, not a sentence"
    assert not summary.endswith(".")
    assert f"treckon {name}" in module.EXAMPLES
    status, shown, messages = treckon(name, "--help")
    assert (status, messages) == (0, b"")
    assert shown.decode().startswith(f"usage: treckon {name} [options] ")
    assert summary in shown.decode()
    assert shown.decode().endswith(module.EXAMPLES)


@pytest.mark.parametrize(
    "line",
    [
        line
        for name in COMMANDS
        if name != "trec_eval"
        for line in re.findall(r"treckon [a-z]+ .*", import_module(f"treckon.cli.{name}").EXAMPLES)
    ],
)
def test_examples_of_the_help_can_be_read(line):
    """Their arguments are among the command's. What follows three blanks is a comment."""
    name, *arguments = re.split(r"   |[|>]", line.removeprefix("treckon "))[0].split()
    parser = Parser(prog=name)
    import_module(f"treckon.cli.{name}").add_arguments(parser)
    parser.parse_intermixed_args([one.strip("'\"") for one in arguments])


@pytest.mark.parametrize("flag", ["-V", "--version"])
def test_version(flag, treckon):
    assert treckon(flag) == (0, f"treckon {__version__}\n".encode(), b"")


def test_trec_eval_is_a_command_of_it(treckon, tmp_path):
    (tmp_path / "q").write_text("q1 0 a 1\n")
    (tmp_path / "r").write_text("q1 Q0 a 1 0.5 tag\n")
    found = treckon("trec_eval", "-m", "map", "q", "r", folder=tmp_path)
    assert found == (0, b"map                   \tall\t1.0000\n", b"")


@pytest.mark.parametrize("arguments", [[], ["measure"], ["frobnicate"]])
def test_no_command(arguments, treckon):
    status, shown, messages = treckon(*arguments)
    assert (status, shown) == (2, b"")
    expected = {
        "": f"treckon: expected a command: {', '.join(COMMANDS)} (see treckon --help)\n",
        "measure": "treckon: unknown command 'measure'; did you mean measures? (treckon --help lists them)\n",
        "frobnicate": "treckon: unknown command 'frobnicate' (treckon --help lists them)\n",
    }
    assert messages.decode() == expected["".join(arguments)]


def test_arguments_that_are_not_there(treckon):
    status, shown, messages = treckon("measures", "--frobnicate")
    assert (status, shown) == (2, b"")
    assert messages.startswith(b"treckon measures: ")
    assert messages.endswith(b" (see treckon measures --help)\n")
    assert messages.count(b"\n") == 1


def test_options_are_not_shortened(treckon):
    assert treckon("measures", "--form", "json")[0] == 2


def test_names_may_stand_behind_two_dashes(treckon):
    assert treckon("measures", "--", "AP") == treckon("measures", "AP")


@pytest.mark.parametrize(
    ("error", "status", "message"),
    [
        (EvaluationError("run: it can't be"), 2, "treckon measures: run: it can't be\n"),
        (ImportError("it needs scipy: pip install 'treckon[stats]'"), 2,
         "treckon measures: it needs scipy: pip install 'treckon[stats]'\n"),
        (MemoryError(), 2, "treckon measures: out of memory\n"),
        (OSError(5, "it fails", "file"), 2, "treckon measures: file: it fails\n"),
        (OSError("it fails"), 2, "treckon measures: it fails\n"),
        (BrokenPipeError(), 2, ""),
        (KeyboardInterrupt(), 130, ""),
    ],
)  # fmt: skip
def test_how_a_command_fails(error, status, message, treckon, monkeypatch):
    def fail(arguments):
        raise error

    monkeypatch.setattr(measures, "run", fail)
    assert treckon("measures") == (status, b"", message.encode())


def test_what_is_no_error_of_ours_is_not_hidden(monkeypatch):
    monkeypatch.setattr(measures, "run", lambda arguments: {}["missing"])
    with pytest.raises(KeyError):
        main(["measures"])


def test_the_status_is_the_commands(treckon, monkeypatch):
    monkeypatch.setattr(measures, "run", lambda arguments: 1)
    assert treckon("measures") == (1, b"", b"")


SLOW = ["asyncio", "hypothesis", "logging", "numpy", "pandas", "rich", "scipy"]


def imported(code, *arguments, folder=None):
    """Which modules of SLOW, and whether others than `code` expects, are there after a run of it."""
    code = (
        f"import sys; sys.path.insert(0, {str(Path(treckon.__file__).resolve().parents[1])!r})\n{code}\n"
        f"sys.stderr.write(repr([name for name in {SLOW} if name in sys.modules]))"
    )
    call = [sys.executable, "-S", "-E", "-c", code, *arguments]
    finished = subprocess.run(call, cwd=folder, capture_output=True, timeout=60)
    assert finished.returncode == 0
    return finished.stderr.decode().rpartition("\n")[2]


@pytest.mark.parametrize(
    "arguments",
    [
        "--help", "measures", "measures --format json", "eval --help", "eval q r", "eval q r -q --format json",
        "eval q r r --ties random --format latex", "convert run r r.json", "trec_eval q r",
    ],
)  # fmt: skip
def test_nothing_slow_is_imported_for_text(arguments, tmp_path):
    (tmp_path / "q").write_text("q1 0 a 1\nq1 0 b 0\n")
    (tmp_path / "r").write_text("q1 Q0 b 1 0.5 tag\nq1 Q0 a 2 0.5 tag\nq1 Q0 c 3 0.1 tag\n")
    run = "from treckon.cli.main import main; main(sys.argv[1:])"
    assert imported(run, *arguments.split(), folder=tmp_path) == "[]"


# ---- Options


def parsed(add, *arguments):
    parser = Parser(prog="treckon test")
    add(parser)
    return parser.parse_intermixed_args(arguments)


def refused(add, *arguments):
    with pytest.raises(ValueError, match=r"\(see treckon test --help\)") as caught:
        parsed(add, *arguments)
    return str(caught.value)


def test_measures_go_in_place_of_the_default():
    def add(parser):
        add_measures(parser, ["a", "b"])

    assert parsed(add).measures == ["a", "b"]
    assert parsed(add, "-m", "x").measures == ["x"]
    assert parsed(add, "-m", "x", "--measure", "y").measures == ["x", "y"]
    assert parsed(add, "-m", "a", "-m", "b").measures == ["a", "b"]
    assert parsed(add).measures == ["a", "b"]


def test_no_convention_is_given_by_default():
    assert conventions_of(parsed(add_conventions)) == {}


def test_every_convention_has_an_option_with_its_meaning():
    parser = argparse.ArgumentParser()
    add_conventions(parser)
    actions = {action.dest.removeprefix("convention_"): action for action in parser._actions[::-1]}
    for name in OPTIONS:
        assert actions[name].help, name


@pytest.mark.parametrize(
    ("name", "value"), [(name, choice) for name, option in OPTIONS.items() for choice in option.choices]
)
def test_every_word_of_a_convention_is_taken(name, value):
    assert conventions_of(parsed(add_conventions, "--" + name.replace("_", "-"), value)) == {name: value}


@pytest.mark.parametrize(
    ("arguments", "given"),
    [
        ("--level 2", {"level": 2}),
        ("-l 2 -M 10", {"level": 2, "depth": 10}),
        ("--depth 10 --ties-seed 7 --ties-samples 50", {"depth": 10, "seed": 7, "samples": 50}),
        ("--ignore-self", {"ignore_self": True}),
        ("--ties-seed 18446744073709551615", {"seed": 2**64 - 1}),
        ("--compat 9.0.8", {"compat": "9.0.8"}),
        ("-c -J", {"missing": "zero", "unjudged": "condensed"}),
        ("--gain linear", {"gain": "linear"}),
        ("--gain binary", {"gain": "binary"}),
        ("--gain binary:2", {"gain": ("binary", 2)}),
        ("--gain 0=0,1=0.5,2=3", {"gain": {0: 0.0, 1: 0.5, 2: 3.0}}),
        ("--discount none", {"discount": "none"}),
        ("--discount jk:2", {"discount": ("jk", 2.0)}),
    ],
)
def test_conventions_are_read(arguments, given):
    found = conventions_of(parsed(add_conventions, *arguments.split()))
    assert found == given
    Conventions(**found)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--level two", "expected a whole number, found 'two'"),
        ("--depth 1e3", "expected a whole number, found '1e3'"),
        ("--gain cubic", "expected linear, exp2, binary:GRADE or GRADE=GAIN,GRADE=GAIN, found 'cubic'"),
        ("--gain binary:x", "expected linear, exp2, binary:GRADE or GRADE=GAIN,GRADE=GAIN, found 'binary:x'"),
        ("--gain=-1=0", "expected linear, exp2, binary:GRADE or GRADE=GAIN,GRADE=GAIN, found '-1=0'"),
        ("--gain 1=x", "expected linear, exp2, binary:GRADE or GRADE=GAIN,GRADE=GAIN, found '1=x'"),
        ("--gain 1=1,1=2", "expected linear, exp2, binary:GRADE or GRADE=GAIN,GRADE=GAIN, found '1=1,1=2'"),
        ("--discount ln", "expected log2, none or jk:BASE, found 'ln'"),
        ("--discount jk:x", "expected log2, none or jk:BASE, found 'jk:x'"),
        ("--ties coin", "--ties"),
        ("--compat 8.1", "--compat"),
    ],
)
def test_conventions_that_cannot_be(arguments, message):
    assert message in refused(add_conventions, *arguments.split())


def test_inputs():
    found = parsed(add_inputs)
    assert (found.qrels_format, found.run_format, found.threads) == (None, None, 0)
    found = parsed(add_inputs, "--qrels-format", "prefs", "--run-format", "msmarco", "--threads", "2")
    assert (found.qrels_format, found.run_format, found.threads) == ("prefs", "msmarco", 2)
    assert "expected a whole number from 0, found '-1'" in refused(add_inputs, "--threads=-1")
    assert "--run-format" in refused(add_inputs, "--run-format", "prefs")


def test_formats():
    found = parsed(add_formats)
    assert (found.format, found.digits, found.output, found.quiet) == (None, 4, None, False)
    found = parsed(add_formats, "--format", "latex", "--digits", "0", "-o", "f", "--quiet")
    assert (found.format, found.digits, found.output, found.quiet) == ("latex", 0, "f", True)
    assert "expected a whole number from 0 to 17, found '18'" in refused(add_formats, "--digits", "18")
    assert "--format" in refused(add_formats, "--format", "html")


# ---- Output


def test_output_goes_to_a_file_as_a_whole(treckon, tmp_path):
    assert treckon("measures", "-o", "list.tsv", folder=tmp_path) == (0, b"", b"")
    assert (tmp_path / "list.tsv").read_bytes() == treckon("measures", "-o", "-", folder=tmp_path).stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == ["list.tsv"]


def test_an_error_leaves_the_file_as_it_was(treckon, tmp_path, monkeypatch):
    (tmp_path / "list.tsv").write_text("before")
    assert treckon("measures", "frobnicate", "-o", "list.tsv", folder=tmp_path).status == 2

    def full(source, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    assert treckon("measures", "-o", "list.tsv", folder=tmp_path) == (
        2, b"", b"treckon measures: list.tsv: cannot write it: No space left on device\n",
    )  # fmt: skip
    assert [path.name for path in tmp_path.iterdir()] == ["list.tsv"]
    assert (tmp_path / "list.tsv").read_text() == "before"


@pytest.fixture
def inputs(tmp_path):
    """A folder with a file of each kind that the commands read."""
    for name, text in {
        "q": "q1 0 a 1\n",
        "r": "q1 Q0 a 1 0.5 tag\n",
        "s": "q1 Q0 b 1 0.5 tag\n",
        "printed": "map all 1.0\n",
        "clusters": "q1 c\n",
        "ids": "a\n",
        "gate.toml": "[measures.AP]\nminimum = 0\n",
        "runs/one": "q1 Q0 a 1 0.5 tag\n",
        "runs/two.json": '{"q1": {"a": 1}}\n',
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def texts(folder):
    return {str(path): path.read_text() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("command", "own"),
    [
        ("eval q r s", "q r s"),
        ("compare q r s --cluster clusters", "q r s clusters"),
        ("leaderboard q r s", "q r s"),
        ("leaderboard q runs", "q runs/one runs/two.json runs/new"),
        ("check r --topics q --docids ids", "r q ids"),
        ("check r --qrels q", "r q"),
        ("gate gate.toml q r --baseline s", "gate.toml q r s"),
        ("crosscheck q r printed", "q r printed"),
    ],
)
def test_output_takes_no_inputs_place(command, own, treckon, inputs):
    before = texts(inputs)
    for path in own.split():
        for spelt in (path, f"./{path}", str(inputs / path)):
            status, shown, messages = treckon(*command.split(), "-o", spelt, folder=inputs)
            message = f"treckon {command.split()[0]}: --output: expected a file of its own, found '{spelt}'\n"
            assert (status, shown, messages.decode()) == (2, b"", message)
    assert texts(inputs) == before
    assert treckon(*command.split(), "-o", "new", folder=inputs).status in (0, 1)


@posix
def test_output_takes_no_inputs_place_through_a_link(treckon, inputs):
    (inputs / "link").symlink_to("r")
    before = texts(inputs)
    assert treckon("eval", "q", "r", "-o", "link", folder=inputs).status == 2
    assert treckon("eval", "q", "link", "-o", "r", folder=inputs).status == 2
    assert texts(inputs) == before


def test_hidden_files_of_a_folder_are_no_inputs(treckon, inputs):
    assert treckon("leaderboard", "q", "runs", "-o", "runs/.board", folder=inputs).status == 0
    assert treckon("leaderboard", "q", "runs", "-o", "runs/.board", folder=inputs).status == 0


@posix
def test_what_is_no_file_may_be_read_and_written(tmp_path):
    """As `/dev/stdin` and `/dev/stdout` of a terminal are."""
    check_output("/dev/null", ["/dev/null"])
    check_output("-", ["-"])
    check_output(None, [None])


def test_a_dash_is_standard_output_also_on_a_terminal(monkeypatch):
    monkeypatch.setattr(output, "is_terminal", lambda stream: True)
    assert output.chosen_format(parsed(add_formats)) == "table"
    assert output.chosen_format(parsed(add_formats, "-o", "-")) == "table"
    assert output.chosen_format(parsed(add_formats, "-o", "file")) == "tsv"


def test_output_that_cannot_be_written(treckon, tmp_path, monkeypatch):
    for path, reason in (
        ("none/list", "No such file or directory"),
        (".", "Is a directory"),
        ("a\0b", "a path has no NUL"),
    ):
        named = path.replace("\0", "\\x00")
        status, shown, messages = treckon("measures", "-o", path, folder=tmp_path)
        assert (status, shown) == (2, b"")
        assert messages.startswith(f"treckon measures: {named}: cannot write it: {reason}".encode())
    message = b"treckon measures: output: expected a path, found empty text\n"
    assert treckon("measures", "-o", "", folder=tmp_path) == (2, b"", message)
    monkeypatch.setattr(sys, "stdout", None)
    assert treckon("measures") == (2, b"", b"treckon measures: standard output: cannot write it: it is closed\n")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_a_full_disk(tmp_path):
    with open("/dev/full", "wb") as full:
        finished = subprocess.run(
            [sys.executable, "-m", "treckon", "measures"], stdout=full, stderr=subprocess.PIPE, timeout=60
        )
    assert finished.returncode == 2
    assert finished.stderr == b"treckon measures: standard output: cannot write it: No space left on device\n"


@posix
def test_a_reader_that_has_seen_enough():
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as closed:
        call = [sys.executable, "-m", "treckon", "measures"]
        finished = subprocess.run(call, stdout=closed, stderr=subprocess.PIPE, timeout=60)
    assert (finished.returncode, finished.stderr) == (0, b"")


def test_bytes_of_files_come_out_as_they_were(capfdbinary):
    output.write("caf\udce9 ü\n")
    assert capfdbinary.readouterr().out == b"caf\xe9 \xc3\xbc\n"


class Terminal:
    """A standard output at which a person looks."""

    def __init__(self, stream):
        self.buffer = stream.buffer

    def isatty(self):
        return True


def test_a_terminal_gets_a_table_and_a_pipe_tsv(treckon, monkeypatch, capfdbinary):
    assert treckon("measures").stdout.startswith(b"measure\twhat it is\t")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr(sys, "stdout", Terminal(sys.stdout))
    shown = treckon("measures").stdout.decode()
    assert "─" * 90 in shown
    assert "\t" not in shown
    assert max(len(re.sub(r"\x1b\[[0-9;]*m", "", line)) for line in shown.split("\n")) <= 100
    assert treckon("measures", "--format", "tsv").stdout.startswith(b"measure\twhat it is\t")


def test_notes_are_said_in_the_commands_name(capfdbinary):
    arguments = argparse.Namespace(command="measures", quiet=False)
    output.say(arguments, "note: it is so")
    arguments.quiet = True
    output.say(arguments, "note: it is not said")
    assert capfdbinary.readouterr().err == b"treckon measures: note: it is so\n"


def test_messages_do_nothing_to_a_terminal(capfdbinary):
    output.tell("an\x1b[31m id\r\x9b,\tone\n")
    assert capfdbinary.readouterr().err == b"an\\x1b[31m id\\r\\x9b,\tone\n"


def test_a_closed_standard_error_is_no_error(monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    assert main(["frobnicate"]) == 2


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("eval", ["-", "-"]), ("compare", ["-", "run", "-"]), ("leaderboard", ["-", "-"]),
        ("check", ["-", "--topics", "-"]), ("check", ["-", "--qrels", "-"]), ("check", ["-", "--docids", "-"]),
        ("gate", ["-", "-", "run"]), ("crosscheck", ["qrels", "-", "-"]), ("convert", ["pastes", "-", "-", "-"]),
    ],
)  # fmt: skip
def test_standard_input_is_one_file(command, arguments, treckon):
    message = f"treckon {command}: standard input: expected one file from it, found '-' more than once\n"
    assert treckon(command, *arguments) == (2, b"", message.encode())
