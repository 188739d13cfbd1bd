"""What tests of every kind share: the command run in this process, and hypothesis without a clock."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import settings

from treckon.cli import main as treckon_command
from treckon.cli import trec_eval as command

# Speed is measured in benchmarks/, never by a test's deadline.
settings.register_profile("treckon", deadline=None)
settings.load_profile("treckon")


class Finished(NamedTuple):
    """What a command left behind."""

    status: int
    stdout: bytes
    stderr: bytes


@pytest.fixture
def trec_eval(capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Finished]:
    """`trec_eval(*arguments, folder=...)`: the command's exit status and output, without a process of its own."""
    monkeypatch.delenv("TRECKON_COMPAT", raising=False)
    monkeypatch.delenv("POSIXLY_CORRECT", raising=False)

    def run(*arguments: str, folder: Path | None = None) -> Finished:
        if folder is not None:
            monkeypatch.chdir(folder)
        status = command.main(list(arguments))
        return Finished(status, *capfdbinary.readouterr())

    return run


@pytest.fixture
def treckon(capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Finished]:
    """`treckon(command, *arguments, folder=...)`: its exit status and output, without a process of its own."""
    monkeypatch.delenv("TRECKON_COMPAT", raising=False)

    def run(*arguments: str, folder: Path | None = None) -> Finished:
        if folder is not None:
            monkeypatch.chdir(folder)
        status = treckon_command.main(list(arguments))
        return Finished(status, *capfdbinary.readouterr())

    return run
