"""Part of the oracle: run, judgement and z-score files as plain dictionaries (spec 01, section 3).

Only well-formed input is expected; ids stay bytes, because every order is the order of bytes.
"""

import re
import struct

# What C's strtod and strtol read from the start of a field (spec 01, 3.2 and 3.4).
REAL = re.compile(
    rb"[+-]?(?:0x(?:[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)(?:p[+-]?[0-9]+)?"
    rb"|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?|inf(?:inity)?|nan)",
    re.IGNORECASE,
)
INTEGER = re.compile(rb"[ \t]*([+-]?[0-9]+)")


def real(field: bytes) -> float:
    """The number at the start of a field, 0 without one."""
    found = REAL.match(field.lstrip())
    if found is None:
        return 0.0
    text = found.group()
    number = float.fromhex(text.decode()) if b"x" in text.lower() else float(text)
    if number != number:
        raise ValueError("not a number")
    return number


def integer(field: bytes) -> int:
    """The integer at the start of a field, 0 without one."""
    found = INTEGER.match(field)
    return int(found.group(1)) if found else 0


def stored(number: float, release: str) -> float:
    """A score or preference level as the release keeps it: 32 bits in 9.0.8, 64 bits in 10.0 (spec 02, 1.1 and 7.1)."""
    if release != "9.0.8":
        return number
    try:
        return struct.unpack("f", struct.pack("f", number))[0]
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")


def records(data: bytes, comments: bool = False, indented_comments: bool = False) -> list[list[bytes]]:
    """The fields of each line; blank lines, comments and a byte-order mark are left out (D10, D11)."""
    found = []
    for line in data.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        start = line.lstrip() if indented_comments else line
        if line.split() and not (comments and start.startswith(b"#")):
            found.append(line.split())
    return found


Run = dict[bytes, list[tuple[bytes, float]]]  # query -> (docno, score) as listed


def read_run(data: bytes, release: str) -> tuple[Run, bytes]:
    """The run, and its id: the sixth field of the last line."""
    run: Run = {}
    run_id = b""
    for fields in records(data, comments=release == "10.0", indented_comments=True):
        query, _, docno, _, score, run_id = fields[:6]
        run.setdefault(query, []).append((docno, stored(real(score), release)))
    return run, run_id


def read_qrels(data: bytes, release: str) -> dict[bytes, dict[bytes, int]]:
    """query -> docno -> grade"""
    qrels: dict[bytes, dict[bytes, int]] = {}
    for query, _, docno, grade in records(data, comments=release == "10.0"):
        qrels.setdefault(query, {})[docno] = integer(grade)
    return qrels


def read_qrels_jg(data: bytes, release: str) -> dict[bytes, dict[bytes, dict[bytes, int]]]:
    """query -> judgement group -> docno -> grade"""
    qrels: dict[bytes, dict[bytes, dict[bytes, int]]] = {}
    for query, group, docno, grade in records(data, comments=release == "10.0"):
        qrels.setdefault(query, {}).setdefault(group, {})[docno] = integer(grade)
    return qrels


Levels = dict[bytes, dict[bytes, list[tuple[bytes, float]]]]  # judgement group -> sub-group -> (docno, level) as listed


def read_prefs(data: bytes, release: str, subgroups: bool = True) -> dict[bytes, Levels]:
    """query -> judgement group -> sub-group -> (docno, level); without sub-groups each group has one, b''."""
    prefs: dict[bytes, Levels] = {}
    for fields in records(data, comments=release == "10.0"):
        query, group, *subgroup, docno, level = fields
        lines = prefs.setdefault(query, {}).setdefault(group, {}).setdefault(subgroup[0] if subgroups else b"", [])
        lines.append((docno, stored(real(level), release)))
    return prefs


def read_zscores(data: bytes) -> dict[tuple[bytes, str], tuple[float, float]]:
    """(query, printed name of the measure) -> (mean, standard deviation)"""
    return {(query, name.decode()): (real(mean), real(dev)) for query, name, mean, dev in records(data)}
