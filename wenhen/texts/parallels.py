"""List the passages that texts share, for scholars, and write them as CSV or TEI.

No case is opened, and nothing is stored.
"""

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from itertools import islice
from typing import Final, NamedTuple
from xml.etree import ElementTree as ET

from matcher.alignment.edits import EditKind, list_edits
from matcher.alignment.local_alignment import AlignedPassage
from matcher.alignment.parallels import find_parallels, find_repetitions
from matcher.model import Passage
from matcher.retrieval.character_grams import GramTable, character_grams
from wenhen.context.use_cases import Product
from wenhen.fingerprints.reading import TextReading
from wenhen.kit.text import replace_illegal_xml
from wenhen.reports.columns import escape_formula

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


CSV_COLUMNS: Final = (
    "number",
    "first_id",
    "first_title",
    "first_start",
    "first_end",
    "second_id",
    "second_title",
    "second_start",
    "second_end",
    "letters",
    "similarity",
    "first_aligned",
    "second_aligned",
)
_PADDING: Final = "＿"  # in a cell where the other side has a character
_TEI: Final = "http://www.tei-c.org/ns/1.0"
_XML_ID: Final = "{http://www.w3.org/XML/1998/namespace}id"


def csv_lines(parallels: Iterable[Parallel]) -> Iterator[str]:
    """Yield the lines of a CSV file, the heading first. The cells of both texts have the same length."""
    yield _csv_line(CSV_COLUMNS)
    for number, parallel in enumerate(parallels, 1):
        first, second = aligned_texts(parallel)
        yield _csv_line(
            (
                number,
                escape_formula(parallel.first_id),
                escape_formula(parallel.first_title),
                parallel.first_start,
                parallel.first_end,
                escape_formula(parallel.second_id),
                escape_formula(parallel.second_title),
                parallel.second_start,
                parallel.second_end,
                parallel.letters,
                f"{parallel.similarity:.4f}",
                escape_formula(first),
                escape_formula(second),
            )
        )


def aligned_texts(parallel: Parallel) -> tuple[str, str]:
    """Return both texts, padded where one side has no character, so that corresponding runs are aligned."""
    first = second = ""
    for run in parallel.runs:
        width = max(len(run.first), len(run.second))
        first += run.first.ljust(width, _PADDING)
        second += run.second.ljust(width, _PADDING)
    return first, second


def _csv_line(cells: Iterable[object]) -> str:
    line = StringIO()
    csv.writer(line, lineterminator="").writerow(cells)
    return line.getvalue()


def tei_document(parallels: Iterable[Parallel], shortest: int) -> str:
    """Return a TEI document: the texts as witnesses, and each parallel with readings where these differ."""
    ET.register_namespace("", _TEI)
    root = ET.Element(f"{{{_TEI}}}TEI")
    file = _child(_child(root, "teiHeader"), "fileDesc")
    _child(_child(file, "titleStmt"), "title").text = f"Parallels of {shortest} letters and more"
    _child(_child(file, "publicationStmt"), "p").text = "Made by wenhen parallels"
    witnesses = _child(_child(file, "sourceDesc"), "listWit")
    body = _child(_child(root, "text"), "body")
    keys: dict[str, str] = {}
    for number, parallel in enumerate(parallels, 1):
        sides = ((parallel.first_id, parallel.first_title), (parallel.second_id, parallel.second_title))
        for id, title in sides:
            if id not in keys:
                keys[id] = f"t{len(keys) + 1}"
                witness = _child(witnesses, "witness", **{_XML_ID: keys[id], "n": id})
                witness.text = title
        _add_parallel(body, number, parallel, f"#{keys[parallel.first_id]}", f"#{keys[parallel.second_id]}")
    return replace_illegal_xml(ET.tostring(root, encoding="unicode", xml_declaration=True))


def _add_parallel(body: ET.Element, number: int, parallel: Parallel, first: str, second: str) -> None:
    div = _child(body, "div", type="parallel", **{_XML_ID: f"p{number}"})
    places = ((first, parallel.first_start, parallel.first_end), (second, parallel.second_start, parallel.second_end))
    for witness, start, end in places:
        _child(_child(div, "p"), "ref", target=witness, n=f"{start}-{end}")
    div.tail = "\n"
    block = _child(div, "ab")
    last: ET.Element | None = None
    for run in parallel.runs:
        if run.kind is EditKind.SAME:
            if last is None:
                block.text = (block.text or "") + run.first
            else:
                last.tail = (last.tail or "") + run.first
            continue
        last = _child(block, "app", type=run.kind)
        for witness, text in ((first, run.first), (second, run.second)):
            _child(last, "rdg", wit=witness).text = text


def _child(parent: ET.Element, name: str, **attributes: str) -> ET.Element:
    return ET.SubElement(parent, f"{{{_TEI}}}{name}", attributes)
