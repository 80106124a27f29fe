"""List the typed edits of a passage, run by run."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache, lru_cache
from itertools import pairwise, zip_longest

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein

from fingerprinter.alphabet import LETTER_CODES, Initials, code_points
from fingerprinter.initials.to_initials import to_initials
from fingerprinter.normalize.reading_order import reading_order
from matcher.alignment.agreement import is_same_sound, is_variant
from matcher.alignment.chaining import select_explaining
from matcher.alignment.information_content import block_weights, cumulative_information
from matcher.alignment.seed_and_extend import find_blocks
from matcher.model import Change, Passage

_MIN_MOVED_SCORE = 16  # score: eight letters that were moved together

TextReader = Callable[[str], Initials]


class EditKind(StrEnum):
    """What became of a run of the work."""

    SAME = "same"
    SAME_SOUND = "same_sound"  # another character of the same reading, or its pinyin
    VARIANT = "variant"  # its form in the other script, by another standard, in another width or case
    REPLACED = "replaced"
    INSERTED = "inserted"  # the page has it alone
    DELETED = "deleted"  # the work has it alone


@dataclass(frozen=True, slots=True)
class Edit:
    """One run, in code points of both texts, ends exclusive; the side that has nothing has an empty range."""

    kind: EditKind
    page_start: int
    page_end: int
    work_start: int
    work_end: int


@dataclass(frozen=True, slots=True)
class _Unit:
    """A letter with all that it stands for, or a character that has none. token: equal where the units agree."""

    start: int
    end: int
    token: int


def list_edits(page_text: str, work_text: str, passage: Passage) -> list[Edit]:
    """The runs of a passage in the order of the page; together they cover both of its sides once.

    What was moved is compared with the place that it came from, and so is each character of what is written backwards.
    """
    written = page_text[passage.page_start : passage.page_end]
    order = reading_order(code_points(written))
    if order is None:
        return _join_runs(_passage_runs(page_text, work_text, passage))
    read = "".join(written[place] for place in order)
    runs = _passage_runs(read, work_text, replace(passage, page_start=0, page_end=len(read)))
    return _join_runs(iter(_restore_order(runs, order, passage.page_start)))


@lru_cache(maxsize=128)
def list_edits_between(page: str, work: str) -> tuple[Edit, ...]:
    """The runs of two stretches that answer each other; kept, as a case looked at once is soon looked at again."""
    if page == work:
        return (Edit(EditKind.SAME, 0, len(page), 0, len(work)),) if page else ()
    whole = Passage(
        page_start=0,
        page_end=len(page),
        work_start=0,
        work_end=len(work),
        similarity=0.0,
        change=Change.REWRITTEN,  # neither is looked at
    )
    return tuple(list_edits(page, work, whole))


def _passage_runs(page_text: str, work_text: str, passage: Passage) -> Iterator[Edit]:
    # A passage that is one piece, as most are, is not read a second time.
    read = cache(to_initials)
    for page_from, page_to, work_from, work_to in _cut_pieces(page_text, work_text, passage, read):
        page, work = _text_units(page_text, page_from, page_to, read), _text_units(work_text, work_from, work_to, read)
        yield from _compare_units(page_text, page, work_text, work, (page_from, work_from))


def _restore_order(runs: Iterable[Edit], order: NDArray[np.int64], start: int) -> list[Edit]:
    """The runs of a text that was put in order, where they stand in the text as it is; `start` is added."""
    places = (order + start).tolist()
    moved = []
    for run in runs:
        mine = places[run.page_start : run.page_end]
        around = max(places[max(0, run.page_start - 1) : run.page_start + 1])
        first, last = (min(mine), max(mine) + 1) if mine else (around, around)
        moved.append(replace(run, page_start=first, page_end=last))
    return sorted(moved, key=lambda run: (run.page_start, run.page_end))


def _text_units(text: str, start: int, end: int, read: TextReader) -> list[_Unit]:
    letters = read(text[start:end])
    units: list[_Unit] = []
    at = 0
    bounds = zip(letters.starts.tolist(), letters.ends.tolist(), letters.codes.tolist(), strict=True)
    for first, last, code in bounds:
        units.extend(_Unit(start + i, start + i + 1, LETTER_CODES + ord(text[start + i])) for i in range(at, first))
        if first >= at:  # several letters of one ligature share a place; the first one stands for it
            units.append(_Unit(start + first, start + last, code))
            at = last
    units.extend(_Unit(start + i, start + i + 1, LETTER_CODES + ord(text[start + i])) for i in range(at, end - start))
    return units


def _cut_pieces(page_text: str, work_text: str, passage: Passage, read: TextReader) -> list[tuple[int, int, int, int]]:
    """Cut a passage where its order was changed: pieces of the page in its order, each with its part of the work."""
    page = read(page_text[passage.page_start : passage.page_end])
    work = read(work_text[passage.work_start : passage.work_end])
    blocks = find_blocks(page.codes, work.codes, _MIN_MOVED_SCORE)
    page_told, work_told = cumulative_information(page.codes), cumulative_information(work.codes)
    kept = select_explaining(blocks, block_weights(blocks, page_told), page_told, work_told)
    rank = {
        block: place for place, block in enumerate(kept[np.argsort(blocks.work_start[kept], kind="stable")].tolist())
    }
    page_order = kept[np.argsort(blocks.page_start[kept], kind="stable")].tolist()
    heads = [block for before, block in pairwise([None, *page_order]) if rank.get(before, -2) + 1 != rank[block]]
    page_starts = {block: passage.page_start + int(page.starts[blocks.page_start[block]]) for block in heads}
    work_starts = {block: passage.work_start + int(work.starts[blocks.work_start[block]]) for block in heads}
    page_parts = _cut_parts(page_starts, passage.page_start, passage.page_end)
    work_parts = _cut_parts(work_starts, passage.work_start, passage.work_end)
    return [(*page_parts[block], *work_parts[block]) for block in page_parts]


def _cut_parts(starts: dict[int, int], first: int, last: int) -> dict[int, tuple[int, int]]:
    """Cut [first, last) at the starts, the least of which counts as `first`; -1 names the whole if there are none."""
    names = sorted(starts, key=lambda name: starts[name]) or [-1]
    cuts = [first, *(starts[name] for name in names[1:]), last]
    return dict(zip(names, pairwise(cuts), strict=True))


def _compare_units(
    page_text: str, page: list[_Unit], work_text: str, work: list[_Unit], at: tuple[int, int]
) -> Iterator[Edit]:
    """Single units compared in order; `at` is where the piece begins on either side."""
    page_at, work_at = at
    for step in Levenshtein.opcodes([unit.token for unit in page], [unit.token for unit in work]):
        changed = zip_longest(page[step.src_start : step.src_end], work[step.dest_start : step.dest_end])
        for mine, theirs in changed:
            page_end = mine.end if mine else page_at
            work_end = theirs.end if theirs else work_at
            if not mine:
                kind = EditKind.DELETED
            elif not theirs:
                kind = EditKind.INSERTED
            else:
                kind = _edit_kind(page_text[mine.start : mine.end], work_text[theirs.start : theirs.end])
            yield Edit(kind, page_at, page_end, work_at, work_end)
            page_at, work_at = page_end, work_end


def _edit_kind(mine: str, theirs: str) -> EditKind:
    if mine == theirs:
        return EditKind.SAME
    if is_variant(mine, theirs):
        return EditKind.VARIANT
    if is_same_sound(mine, theirs):
        return EditKind.SAME_SOUND
    return EditKind.REPLACED


def _join_runs(runs: Iterator[Edit]) -> list[Edit]:
    """Neighbours of one kind as one run."""
    joined: list[Edit] = []
    for run in runs:
        last = joined[-1] if joined else None
        if last and last.kind is run.kind and (last.page_end, last.work_end) == (run.page_start, run.work_start):
            joined[-1] = Edit(run.kind, last.page_start, run.page_end, last.work_start, run.work_end)
        else:
            joined.append(run)
    return joined
