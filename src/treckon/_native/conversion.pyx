"""Ids, scores and grades from Python objects to bytes and numbers; judgements in dicts."""

from cpython.dict cimport PyDict_Next
from cpython.long cimport PyLong_AsLong, PyLong_AsLongAndOverflow, PyLong_Check
from cpython.object cimport PyObject
from cpython.unicode cimport PyUnicode_CheckExact
from libc.stdint cimport int32_t
from libc.string cimport memchr

from treckon._native.judged_tables cimport add_judged
from treckon._native.lines cimport hash_key
from treckon._native.qrels cimport QrelsBuilder, id_text_of
from treckon._native.scan cimport tk_hash

from treckon.errors import InputError, in_short, in_short_with_type
from treckon.scalars import Refused, grade_of, id_of, score_of


cpdef bytes id_bytes(object key, str place="id"):
    """The bytes of an id: of text its UTF-8, of a whole number its decimal text. Raises InputError."""
    if isinstance(key, str):
        try:
            return (<str> key).encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            return (<str> key).encode("utf-8", "surrogatepass")
    if isinstance(key, bytes):
        return bytes(key)  # of a subclass, such as NumPy's: the bytes alone
    try:
        return id_of(key).encode("utf-8", "surrogateescape")
    except Refused as problem:
        raise problem.at(place) from None


cdef bint has_nul(object text) except -1:
    # Whether there is a NUL in text. Raises UnicodeEncodeError for text that has no UTF-8.
    cdef Py_ssize_t length = 0
    cdef const void *characters
    if PyUnicode_IS_COMPACT_ASCII(text):
        characters = PyUnicode_1BYTE_DATA(text)
        length = PyUnicode_GET_LENGTH(text)
    else:
        characters = PyUnicode_AsUTF8AndSize(text, &length)
    return memchr(characters, 0, length) != NULL


cdef double score_at(object value, str place) except? -1.0:
    # A score. Raises InputError with the place.
    try:
        return score_of(value)
    except Refused as problem:
        raise problem.at(place) from None


cdef int32_t grade_at(object value, str place) except? -1:
    # A grade. Raises InputError with the place.
    try:
        return grade_of(value)
    except Refused as problem:
        raise problem.at(place) from None


cdef int refuse_odd_id(object key, str place) except -1:
    # Raises InputError for an id that isn't text, has no UTF-8, or has a NUL.
    if not isinstance(key, str):
        raise InputError(place, f"expected text as id, found {type(key).__name__}")
    try:
        if has_nul(str(key)):
            raise InputError(place, "expected an id without NUL, found one")
    except UnicodeEncodeError:
        raise InputError(place, "expected an id that can be written as UTF-8, found a lone surrogate") from None
    return 0


def id_text(object key):
    """The text of an id as `treckon` prints it: of bytes their UTF-8, of a whole number its decimal text."""
    return id_text_of(id_bytes(key, "id"))


cdef bint add_plain(QrelsBuilder builder, bytes qid, bytes group, dict documents) except -1:
    # Adds judgements whose ids are text and whose grades are whole numbers of Python. False: some are not, or an id has
    # a NUL or no UTF-8, or a grade not 32 bits, and nothing was added.
    cdef PyObject *key = NULL
    cdef PyObject *value = NULL
    cdef Py_ssize_t position = 0, length = 0
    cdef const char *docno
    cdef long grade
    cdef int overflow = 0
    while PyDict_Next(documents, &position, &key, &value):
        if not PyUnicode_CheckExact(<object> key) or not PyLong_Check(<object> value):
            return False
        grade = PyLong_AsLongAndOverflow(<object> value, &overflow)
        if overflow or not -2147483648 <= grade <= 2147483647:
            return False
        try:
            if has_nul(<object> key):
                return False
        except UnicodeEncodeError:
            return False
    builder.begin(qid, group)
    position = 0
    while PyDict_Next(documents, &position, &key, &value):
        docno = PyUnicode_AsUTF8AndSize(<object> key, &length)
        add_judged(
            &builder.builder, tk_hash(docno, length, hash_key()), docno, length, <int32_t> PyLong_AsLong(<object> value)
        )
    if builder.builder.out_of_memory:
        raise MemoryError
    return True


def add_plain_mapping(QrelsBuilder builder not None, mapping):
    """Adds judgements {query id: {document id: grade}}, dicts whose ids are text and whose grades are Python's int.

    Returns the ids of queries that have something else in them (or an id with a NUL or without UTF-8, or a grade beyond
    32 bits): their judgements are not added.
    """
    others = []
    for qid, documents in mapping.items():
        query = qid.encode("utf-8", "replace") if isinstance(qid, str) else b"\0"
        if b"\0" in query or type(documents) is not dict or query.decode() != qid:
            others.append(qid)
        elif not add_plain(builder, query, b"", documents):
            others.append(qid)
    return others


def add_mapping(QrelsBuilder builder not None, mapping, group=""):
    """Adds judgements {query id: {document id: grade}} to a builder, those of a group where there are groups.

    Raises InputError with query and document for an id or grade of the wrong type.
    """
    for qid, documents in mapping.items():
        query = id_bytes(qid, "qrels")
        group_id = b"" if group == "" else id_bytes(group, f"qrels: query {in_short(qid)}")
        if type(documents) is dict and add_plain(builder, query, group_id, documents):
            continue
        place = f"qrels: query {in_short(qid)}"
        if not hasattr(documents, "items"):
            raise InputError(place, f"expected documents with grades, found {in_short_with_type(documents)}")
        builder.begin(query, group_id)
        for docno, grade in documents.items():
            builder.add(
                query, id_bytes(docno, place),
                grade if type(grade) is int and -2 ** 31 <= grade < 2 ** 31
                else grade_at(grade, f"{place}, document {in_short(docno)}"),
            )
