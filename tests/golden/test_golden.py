"""The recorded cases of trec_fixtures: standard output and exit status of both releases, byte for byte."""

import gzip
import json
import os
import re
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from comparing import assert_same_output
from treckon.cli.trec_eval import main

FIXTURES = Path(__file__).resolve().parents[2] / "trec_fixtures"
RELEASES = ("9.0.8", "10.0")

# What stands in the manifest in place of a number of docs/differences.md where the reference died of a signal.
CRASH = "crash of the reference"


class Row(NamedTuple):
    """One command line in one release, and what the reference did with it."""

    case: str
    arguments: list[str]
    release: str
    status: int
    stdout: bytes
    departs: str | None

    def __str__(self) -> str:
        return f"{self.case} [{self.release}] {' '.join(self.arguments)}"

    @property
    def command(self) -> list[str]:
        return ["--compat", self.release, *self.arguments]

    @property
    def folder(self) -> Path:
        return FIXTURES / self.case


def recorded_rows() -> list[Row]:
    with gzip.open(FIXTURES / "manifest.jsonl.gz", "rt", encoding="utf-8") as manifest:
        records: list[dict[str, Any]] = [json.loads(line) for line in manifest]
    return [
        Row(
            record["case"],
            record["argv"],
            release,
            record[release]["status"],
            record[release]["stdout"].encode(),
            record[release].get("departs"),
        )
        for record in records
        for release in RELEASES
    ]


def status_of_departure(row: Row) -> int:
    """The exit status that docs/differences.md promises for a row in which we do not follow the reference."""
    if row.departs == "D2":
        return 0 if "-c" in row.arguments else 7
    if row.departs == "D8" or (row.departs == CRASH and row.case == "options"):
        return 1  # -l and -M that are no numbers, or negative ones
    if row.departs == "D9":
        return 2  # a NaN score
    return 0


def parameters(rows: list[Row]) -> list[Any]:
    return [pytest.param(row, id=str(row)) for row in rows]


ROWS = recorded_rows()
FOLLOWED = [row for row in ROWS if row.departs is None]
DEPARTED = [row for row in ROWS if row.departs is not None]


def assert_orderly(status: int, stdout: bytes, stderr: bytes) -> None:
    """Whatever the input: an error says something, and says it on standard error alone."""
    assert b"Traceback" not in stderr
    if status != 0:
        assert not stdout
        assert stderr.strip()


def assert_as_recorded(row: Row, status: int, stdout: bytes, stderr: bytes) -> None:
    assert status == row.status, stderr.decode(errors="replace")
    assert_same_output(row.stdout, stdout)
    assert_orderly(status, stdout, stderr)


@pytest.mark.parametrize("row", parameters(FOLLOWED))
def test_prints_what_the_reference_prints(row, trec_eval):
    assert_as_recorded(row, *trec_eval(*row.command, folder=row.folder))


@pytest.mark.parametrize("row", parameters(DEPARTED))
def test_departs_as_documented(row, trec_eval):
    status, stdout, stderr = trec_eval(*row.command, folder=row.folder)
    assert status == status_of_departure(row), stderr.decode(errors="replace")
    assert_orderly(status, stdout, stderr)
    assert not re.search(rb"\b(nan|inf)\b", stdout, re.IGNORECASE)


@pytest.mark.parametrize("row", parameters(FOLLOWED[::25]))
def test_prints_the_same_as_a_process(row):
    environment = {name: value for name, value in os.environ.items() if name != "TRECKON_COMPAT"}
    finished = subprocess.run(
        [sys.executable, "-m", "treckon", "trec_eval", *row.command],
        cwd=row.folder,
        env=environment,
        capture_output=True,
        stdin=subprocess.DEVNULL,
    )
    assert_as_recorded(row, finished.returncode, finished.stdout, finished.stderr)


def test_the_console_script_is_the_command():
    (script,) = entry_points(group="console_scripts", name="trec_eval")
    assert script.load() is main


def test_the_manifest_and_the_folders_name_the_same_cases():
    assert {row.case for row in ROWS} | {"task"} == {path.name for path in FIXTURES.iterdir() if path.is_dir()}
    assert len(ROWS) == 2 * 551


def test_inputs_have_arrived_byte_for_byte():
    """A checkout that converts line ends or encodings would make these cases equal to the plain one."""
    assert (FIXTURES / "fmt_crlf/r.txt").read_bytes().count(b"\r\n") == 5
    assert (FIXTURES / "fmt_bom/q.txt").read_bytes().startswith(b"\xef\xbb\xbf")
    assert b"\xe9" in (FIXTURES / "fmt_latin1/r.txt").read_bytes()
    assert not (FIXTURES / "fmt_no_final_newline/r.txt").read_bytes().endswith(b"\n")
