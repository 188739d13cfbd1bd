"""Seeded test data in four shapes, as files, dicts and columns of integers.

A shape says how many queries, retrieved and judged documents there are and how ids and scores look.
`build` draws the data from a fixed seed; `files`, `as_dicts` and the `*_columns` functions present the same data.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

SEED = 1  # stands in the names of the files: raise it whenever the data that is drawn changes


def newswire(number: int) -> str:
    """A document id of the form used by TREC's newswire collections, such as `FBIS3-12345`."""
    return ("FBIS3-{}", "FBIS4-{}", "FT921-{}", "LA010189-{:04}")[number % 4].format(number // 4)


@dataclass(frozen=True)
class Shape:
    """How much data to draw, and what it looks like."""

    name: str
    queries: int
    depth: int  # retrieved documents a query
    judged: int  # judged documents a query
    collection: int  # document numbers are below this
    last_query: int  # query ids are drawn from 1 to this
    judged_retrieved: float  # chance that a judged document is retrieved
    scores: tuple[float, float]  # about, at the first and at the last rank
    tag: str
    graded: bool = False  # grades 0, 1 and 2; otherwise every judged document has grade 1
    document_id: Callable[[int], str] = str
    single: bool = False  # scores are float32 values, printed as Python prints them
    decimals: int | None = None  # digits after the point; None prints as many as the value needs


TINY = Shape(
    "tiny", 5, 10, 6, collection=1_000, last_query=99, judged_retrieved=0.7, scores=(20, 5),
    tag="tiny", graded=True, decimals=4,
)  # fmt: skip
ROBUST = Shape(
    "robust", 250, 1_000, 1_246, collection=528_155, last_query=700, judged_retrieved=0.37, scores=(11, 8),
    tag="bm25-k0.9-b0.4-rm3", graded=True, document_id=newswire, decimals=4,
)  # fmt: skip
MARCO = Shape(
    "marco", 6_980, 1_000, 2, collection=8_841_823, last_query=1_102_400, judged_retrieved=0.85, scores=(24, 11),
    tag="bm", single=True,
)  # fmt: skip
REC = Shape(
    "rec", 100_000, 100, 10, collection=9_999_999, last_query=999_999, judged_retrieved=0.3, scores=(0.98, 0.3),
    tag="als",
)  # fmt: skip
SHAPES = {shape.name: shape for shape in (TINY, ROBUST, MARCO, REC)}


class Data(NamedTuple):
    """One run and its judgements; row i of each array belongs to query_ids[i], documents stand in rank order."""

    query_ids: np.ndarray  # (queries,)
    documents: np.ndarray  # (queries, depth)
    scores: np.ndarray  # (queries, depth), falling; ties only where decimals are cut
    judged: np.ndarray  # (queries, judged)
    grades: np.ndarray  # (queries, judged)


class Files(NamedTuple):
    """Paths of one run and its judgements."""

    qrels: Path
    run: Path


def build(shape: Shape) -> Data:
    """Draw the data of a shape; the same shape gives the same data."""
    rng = np.random.default_rng([SEED, shape.queries, shape.depth])
    query_ids = 1 + rng.choice(shape.last_query, shape.queries, replace=False)
    numbers = np.stack(
        [rng.choice(shape.collection, shape.depth + shape.judged, replace=False) for _ in range(shape.queries)]
    )
    documents, judged = numbers[:, : shape.depth], numbers[:, shape.depth :].copy()
    ranks = _ranks_of_judged(rng, shape)
    hits = ranks < shape.depth
    judged[hits] = np.take_along_axis(documents, np.where(hits, ranks, 0), axis=1)[hits]
    return Data(query_ids, documents, _falling_scores(rng, shape), judged, _grades(rng, shape, ranks))


def _ranks_of_judged(rng: np.random.Generator, shape: Shape) -> np.ndarray:
    """Ranks, from 0, of the judged documents; `depth` for those that are not retrieved.

    Sampled without replacement with weight 1 / (rank + 2), by an exponential race: systems put judged documents first.
    """
    ranks = np.full((shape.queries, shape.judged), shape.depth)
    most = min(shape.judged, shape.depth)
    finish = rng.exponential(size=(shape.queries, shape.depth)) * (np.arange(shape.depth) + 2)
    first = np.argsort(finish, axis=1)[:, :most]
    retrieved = np.arange(most) < rng.binomial(most, shape.judged_retrieved, (shape.queries, 1))
    ranks[:, :most] = np.where(retrieved, first, shape.depth)
    return ranks


def _grades(rng: np.random.Generator, shape: Shape, ranks: np.ndarray) -> np.ndarray:
    if not shape.graded:
        return np.ones_like(ranks)
    chance = np.where(ranks < shape.depth, 0.6 / np.sqrt(1 + ranks / 5), 0.02)
    draw = rng.random(ranks.shape)
    return (draw < chance).astype(int) + (draw < chance / 5)


def _falling_scores(rng: np.random.Generator, shape: Shape) -> np.ndarray:
    """Steep at the first ranks and flat at the last, as scores of real systems are."""
    steps = rng.uniform(0.1, 1.9, (shape.queries, shape.depth)) / np.arange(1, shape.depth + 1)
    fall = np.cumsum(steps, axis=1)
    first, last = shape.scores
    scores = (first - (first - last) * fall / fall[:, -1:]) * rng.uniform(0.8, 1, (shape.queries, 1))
    if shape.single:
        return scores.astype(np.float32).astype(np.float64)
    return scores if shape.decimals is None else scores.round(shape.decimals)


def files(shape: Shape, folder: Path) -> Files:
    """The shape's files in the folder, written at the first call."""
    made = Files(folder / f"{shape.name}-{SEED}.qrels", folder / f"{shape.name}-{SEED}.run")
    if not all(path.exists() for path in made):
        folder.mkdir(parents=True, exist_ok=True)
        data = build(shape)
        _write(made.qrels, _qrels_text(shape, data))
        _write(made.run, _run_text(shape, data))
    return made


def runs(shape: Shape, folder: Path, count: int) -> tuple[Path, list[Path]]:
    """The shape's qrels and `count` different runs for them: the same documents in other orders."""
    paths = [folder / f"{shape.name}-{SEED}-{number}.run" for number in range(count)]
    if not all(path.exists() for path in paths):
        data = build(shape)
        for number, path in enumerate(paths):
            rng = np.random.default_rng([SEED, number])
            places = np.arange(1, shape.depth + 1) * rng.lognormal(sigma=0.5, size=data.documents.shape)
            documents = np.take_along_axis(data.documents, np.argsort(places, axis=1), axis=1)
            _write(path, _run_text(shape, data._replace(documents=documents)))
    return files(shape, folder).qrels, paths


def _run_text(shape: Shape, data: Data) -> Iterator[str]:
    ranks = range(1, shape.depth + 1)
    style = "" if shape.decimals is None else f".{shape.decimals}f"
    for query, documents, scores in zip(data.query_ids.tolist(), data.documents, data.scores, strict=True):
        names = map(shape.document_id, documents.tolist())
        yield "".join(
            [
                f"{query} Q0 {name} {rank} {score:{style}} {shape.tag}\n"
                for name, rank, score in zip(names, ranks, scores.tolist(), strict=True)
            ]
        )


def _qrels_text(shape: Shape, data: Data) -> Iterator[str]:
    """Judgements in the order of the query numbers, which is not the order of the run."""
    for row in np.argsort(data.query_ids):
        query = data.query_ids[row]
        names = map(shape.document_id, data.judged[row].tolist())
        yield "".join(
            [f"{query} 0 {name} {grade}\n" for name, grade in zip(names, data.grades[row].tolist(), strict=True)]
        )


def _write(path: Path, texts: Iterable[str]) -> None:
    """Write a file whole or not at all, so that an interrupted run leaves no half of one."""
    part = path.with_suffix(".part")
    with part.open("w", encoding="ascii", newline="\n") as file:
        file.writelines(texts)
    os.replace(part, path)


def as_dicts(shape: Shape, data: Data) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """(qrels, run), each a dict of dict, as a reader of the files would build them."""
    qrels, run = {}, {}
    for row, query in enumerate(data.query_ids.tolist()):
        judged, documents = (map(shape.document_id, ids[row].tolist()) for ids in (data.judged, data.documents))
        qrels[str(query)] = dict(zip(judged, data.grades[row].tolist(), strict=True))
        run[str(query)] = dict(zip(documents, data.scores[row].tolist(), strict=True))
    return qrels, run


def qrels_columns(data: Data) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Query ids, document ids and grades, one row a judgement."""
    return np.repeat(data.query_ids, data.judged.shape[1]), data.judged.ravel(), data.grades.ravel()


def run_columns(data: Data) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Query ids, document ids and scores, one row a retrieved document."""
    return np.repeat(data.query_ids, data.documents.shape[1]), data.documents.ravel(), data.scores.ravel()
