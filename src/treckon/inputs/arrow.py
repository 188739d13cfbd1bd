"""Reads what a library hands over through Arrow's C data interface, without any library for it.

The structs and the formats are those of "The Arrow C data interface" and "The Arrow C stream interface",
https://arrow.apache.org/docs/format/CDataInterface.html and CStreamInterface.html. Only what can be an id or a number
is read. All that is read is copied: the producer's memory is given back before the reader returns.
"""

from __future__ import annotations

import ctypes
import os
import struct
from array import array
from ctypes import POINTER, c_char_p, c_int, c_int64, c_void_p
from fractions import Fraction

from treckon.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    Column = list[Any] | array[Any]


class _Schema(ctypes.Structure):
    pass


class _Array(ctypes.Structure):
    pass


class _Stream(ctypes.Structure):
    pass


_Schema._fields_ = [
    ("format", c_char_p),
    ("name", c_char_p),
    ("metadata", c_void_p),
    ("flags", c_int64),
    ("n_children", c_int64),
    ("children", POINTER(POINTER(_Schema))),
    ("dictionary", POINTER(_Schema)),
    ("release", ctypes.CFUNCTYPE(None, POINTER(_Schema))),
    ("private_data", c_void_p),
]
_Array._fields_ = [
    ("length", c_int64),
    ("null_count", c_int64),
    ("offset", c_int64),
    ("n_buffers", c_int64),
    ("n_children", c_int64),
    ("buffers", POINTER(c_void_p)),
    ("children", POINTER(POINTER(_Array))),
    ("dictionary", POINTER(_Array)),
    ("release", ctypes.CFUNCTYPE(None, POINTER(_Array))),
    ("private_data", c_void_p),
]
_Stream._fields_ = [
    ("get_schema", ctypes.CFUNCTYPE(c_int, POINTER(_Stream), POINTER(_Schema))),
    ("get_next", ctypes.CFUNCTYPE(c_int, POINTER(_Stream), POINTER(_Array))),
    ("get_last_error", ctypes.CFUNCTYPE(c_char_p, POINTER(_Stream))),
    ("release", ctypes.CFUNCTYPE(None, POINTER(_Stream))),
    ("private_data", c_void_p),
]

#: Formats of numbers that an `array` can hold as they are, with its typecodes.
_NUMBERS = {"c": "b", "C": "B", "s": "h", "S": "H", "i": "i", "I": "I", "l": "q", "L": "Q", "f": "f", "g": "d"}


class Table:
    """The columns of anything with ``__arrow_c_stream__`` or ``__arrow_c_array__``, which is asked once.

    names: of the columns; None where it is one column
    """

    def __init__(self, producer: Any, name: str) -> None:
        self._name = name
        self._capsules: object  # what owns the structs
        self._stream: _Stream | None = None
        if hasattr(producer, "__arrow_c_stream__"):
            self._capsules = capsule = producer.__arrow_c_stream__()
            self._stream = _struct(capsule, b"arrow_array_stream", _Stream)
            self._schema = _Schema()
            self._call(self._stream.get_schema, self._schema)
        else:
            self._capsules = schema, one = producer.__arrow_c_array__()
            self._schema = _struct(schema, b"arrow_schema", _Schema)
            self._array = _struct(one, b"arrow_array", _Array)
        self.names: list[str] | None = None
        if self._schema.format == b"+s":
            children = self._schema.children
            self.names = [_text(children[i].contents.name) for i in range(self._schema.n_children)]

    def close(self) -> None:
        """Gives back what belongs to the producer; capsules do so for what is theirs."""
        if self._stream is not None and self._schema.release:
            self._schema.release(self._schema)

    def columns(self, wanted: Sequence[int]) -> list[Column]:
        """The columns of these numbers. Raises InputError for columns of types that hold no ids or numbers."""
        columns: list[Column] = [[] for _ in wanted]
        readers = [_reader(self._schema.children[i].contents, self._name) for i in wanted]
        for batch in self._batches():
            for n, (i, read) in enumerate(zip(wanted, readers, strict=True)):
                child = batch.children[i].contents
                items = read(child, batch.offset + child.offset, batch.length)
                columns[n] = _joined(columns[n], _with_nulls(items, batch, batch.offset))
        return columns

    def column(self) -> Column:
        """The one column that this is."""
        column: Column = []
        read = _reader(self._schema, self._name)
        for batch in self._batches():
            column = _joined(column, read(batch, batch.offset, batch.length))
        return column

    def _batches(self) -> Iterator[_Array]:
        if self._stream is None:
            yield self._array
            return
        while True:
            batch = _Array()
            self._call(self._stream.get_next, batch)
            if not batch.release:  # the end
                return
            try:
                yield batch
            finally:
                batch.release(batch)

    def _call(self, function: Callable[..., int], result: object) -> None:
        assert self._stream is not None
        if code := function(self._stream, result):
            reason = self._stream.get_last_error(self._stream)
            why = _text(reason) if reason else os.strerror(code)
            raise InputError(self._name, f"cannot read the Arrow stream: {why}")


def read_column(producer: object, name: str) -> Column:
    """A library's column as a list, or as an array where it is of numbers and none is missing. Raises InputError."""
    table = Table(producer, name)
    try:
        return table.column()
    finally:
        table.close()


def _struct(capsule: object, capsule_name: bytes, struct_type: type[Any]) -> Any:
    address = ctypes.PYFUNCTYPE(c_void_p, ctypes.py_object, c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))
    return struct_type.from_address(address(capsule, capsule_name))


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _joined(column: Column, more: Column) -> Column:
    """Both in one; `column` is used up."""
    if len(column) == 0:
        return more
    if isinstance(column, array) and not isinstance(more, array):  # the first batch with missing items
        column = column.tolist()
    column.extend(more)
    return column


def _reader(schema: _Schema, name: str) -> Callable[[_Array, int, int], Column]:
    """What reads `length` items of a column from `offset` on."""
    column_format = schema.format.decode("ascii")
    if schema.dictionary:
        read_keys = _plain_reader(column_format, name)
        read_words = _reader(schema.dictionary.contents, name)

        def read(one: _Array, offset: int, length: int) -> Column:
            dictionary = one.dictionary.contents
            words = read_words(dictionary, dictionary.offset, dictionary.length)
            keys = _with_nulls(read_keys(one, offset, length), one, offset)
            return [None if key is None else words[key] for key in keys]

        return read
    read_plain = _plain_reader(column_format, name)
    return lambda one, offset, length: _with_nulls(read_plain(one, offset, length), one, offset)


def _with_nulls(items: Column, one: _Array, offset: int) -> Column:
    """The items that stand in an array from `offset` on, None where the array says that one is missing."""
    if one.null_count and one.n_buffers and one.buffers[0]:
        there = _bits(one.buffers[0], offset, len(items))
        return [item if it_is else None for item, it_is in zip(items, there, strict=True)]
    return items


def _plain_reader(column_format: str, name: str) -> Callable[[_Array, int, int], Column]:
    """The reader of a format, which knows nothing of missing items."""
    if column_format in _NUMBERS:
        typecode = _NUMBERS[column_format]

        def numbers(one: _Array, offset: int, length: int) -> Column:
            size = array(typecode).itemsize
            return array(typecode, _bytes(one.buffers[1], offset * size, length * size))

        return numbers
    if column_format == "e":
        return lambda one, offset, length: list(
            struct.unpack(f"{length}e", _bytes(one.buffers[1], offset * 2, length * 2))
        )
    if column_format == "b":
        return lambda one, offset, length: _bits(one.buffers[1], offset, length) if length else []
    if column_format == "n":
        return lambda one, offset, length: [None] * length
    if column_format in ("u", "z", "U", "Z"):
        return lambda one, offset, length: _strings(one, offset, length, "i" if column_format in "uz" else "q")
    if column_format in ("vu", "vz"):
        return _views
    if column_format.startswith("d:"):
        return _decimals(column_format)
    raise InputError(name, f"expected columns of text or numbers, found one of Arrow's format '{column_format}'")


def _bytes(address: int | None, offset: int, length: int) -> bytes:
    return ctypes.string_at(address + offset, length) if address and length else b""


def _bits(address: int, offset: int, length: int) -> list[bool]:
    first = offset // 8
    bits = int.from_bytes(_bytes(address, first, (offset + length + 7) // 8 - first), "little") >> offset % 8
    return [digit == "1" for digit in f"{bits:0{length}b}"[::-1][:length]]


def _strings(one: _Array, offset: int, length: int, typecode: str) -> list[str]:
    size = array(typecode).itemsize
    ends = array(typecode, _bytes(one.buffers[1], offset * size, (length + 1) * size))
    if length == 0:
        return []
    data = _bytes(one.buffers[2], ends[0], ends[-1] - ends[0])
    bounds = [end - ends[0] for end in ends] if ends[0] else ends.tolist()
    slices = map(slice, bounds, bounds[1:])
    if data.isascii():  # decoded at once
        return list(map(data.decode("ascii").__getitem__, slices))
    return list(map(_text, map(data.__getitem__, slices)))


def _views(one: _Array, offset: int, length: int) -> list[str]:
    views = _bytes(one.buffers[1], offset * 16, length * 16)
    items = []
    for n, (size, _, buffer, begin) in enumerate(struct.iter_unpack("=i4sii", views)):
        if size <= 12:  # short ones stand in the view
            at = 16 * n
            items.append(_text(views[at + 4 : at + 4 + size]))
        else:
            items.append(_text(_bytes(one.buffers[2 + buffer], begin, size)))
    return items


def _decimals(column_format: str) -> Callable[[_Array, int, int], Column]:
    _, scale, *bits = map(int, column_format[2:].split(","))
    size = (bits[0] if bits else 128) // 8

    def read(one: _Array, offset: int, length: int) -> Column:
        data = _bytes(one.buffers[1], offset * size, length * size)
        return [
            Fraction(int.from_bytes(data[at : at + size], "little", signed=True)) / Fraction(10) ** scale
            for at in range(0, len(data), size)
        ]

    return read
