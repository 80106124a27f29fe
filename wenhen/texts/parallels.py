"""List the passages that texts share, for scholars. No case is opened, and nothing is stored."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, NamedTuple

from matcher.alignment.edits import EditKind, list_edits
from matcher.alignment.local_alignment import AlignedPassage
from matcher.alignment.parallels import find_parallels, find_repetitions
from matcher.model import Passage
from matcher.retrieval.character_grams import GramTable, character_grams
from wenhen.fingerprints.reading import TextReading
from wenhen.product.context import Product

_WORKS_PER_BATCH: Final = 200

ProgressCallback = Callable[[int, int], None]


class ComparedText(NamedTuple):
    """A text with its id and title."""

    id: str
    title: str
    reading: TextReading


@dataclass(frozen=True, slots=True)
class AlignedRun:
    """A pair of corresponding runs; one of them may be empty. kind: kind of edit, as on the case screen."""

    kind: EditKind
    first: str
    second: str


@dataclass(frozen=True, slots=True)
class Parallel:
    """A passage that two texts share, or that one text repeats. Offsets are in code points, ends exclusive."""

    first_id: str
    first_title: str
    second_id: str
    second_title: str
    first_start: int
    first_end: int
    second_start: int
    second_end: int
    letters: int  # letters that are the same or variants of each other
    similarity: float
    first_text: str
    second_text: str
    runs: tuple[AlignedRun, ...]


def find_parallels_among(texts: Sequence[ComparedText], shortest: int) -> Iterator[Parallel]:
    """Yield the parallels of each of these texts with itself and with those behind it."""
    grams = [character_grams(text.reading.text, text.reading.letters) for text in texts]
    table = GramTable(grams)
    for place, text in enumerate(texts):
        yield from _repetitions(text, shortest)
        for other, _ in sorted(table.sharing(grams[place])):
            if other > place:
                yield from _parallels(text, texts[other], shortest)


def find_parallels_with_library(
    product: Product, texts: Sequence[ComparedText], shortest: int, progress: ProgressCallback
) -> Iterator[Parallel]:
    """Yield the parallels of these texts with every work and common text of the library, work by work."""
    table = GramTable(character_grams(text.reading.text, text.reading.letters) for text in texts)
    works, ids, done = product.store.works, product.store.works.ids(), 0
    total = works.count() + works.count_common()
    while batch := list(islice(ids, _WORKS_PER_BATCH)):
        records = [work for work in works.many(batch).values() if work.removed_at is None]
        contents = product.store.blobs.get_texts([work.text_digest for work in records])
        for work in records:
            reading = TextReading(contents[work.text_digest])
            other = ComparedText(work.id, work.title, reading)
            for place, _ in sorted(table.sharing(character_grams(reading.text, reading.letters))):
                yield from _parallels(texts[place], other, shortest)
        done += len(batch)
        progress(done, max(done, total))


def _parallels(text: ComparedText, other: ComparedText, shortest: int) -> Iterator[Parallel]:
    mine, theirs = text.reading, other.reading
    for aligned in find_parallels(mine.text, mine.letters, theirs.text, theirs.letters, shortest):
        yield _make_parallel(text, other, aligned)


def _repetitions(text: ComparedText, shortest: int) -> Iterator[Parallel]:
    for aligned in find_repetitions(text.reading.text, text.reading.letters, shortest):
        yield _make_parallel(text, text, aligned)


def _make_parallel(text: ComparedText, other: ComparedText, aligned: AlignedPassage) -> Parallel:
    passage, mine, theirs = aligned.passage, text.reading.text, other.reading.text
    return Parallel(
        first_id=text.id,
        first_title=text.title,
        second_id=other.id,
        second_title=other.title,
        first_start=passage.page_start,
        first_end=passage.page_end,
        second_start=passage.work_start,
        second_end=passage.work_end,
        letters=aligned.same_letters,
        similarity=passage.similarity,
        first_text=mine[passage.page_start : passage.page_end],
        second_text=theirs[passage.work_start : passage.work_end],
        runs=tuple(_aligned_runs(mine, theirs, passage)),
    )


def _aligned_runs(text: str, other: str, passage: Passage) -> Iterator[AlignedRun]:
    for edit in list_edits(text, other, passage):
        yield AlignedRun(edit.kind, text[edit.page_start : edit.page_end], other[edit.work_start : edit.work_end])
