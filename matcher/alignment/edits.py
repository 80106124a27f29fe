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
from matcher.alignment.seed_and_extend import block_weights, cumulative_information, find_blocks
from matcher.model import Change, Passage

_MIN_MOVED_SCORE = 16  # score of eight initials that moved together

TextReader = Callable[[str], Initials]


class EditKind(StrEnum):
    """What happened to a run of the work."""

    SAME = "same"
    SAME_SOUND = "same_sound"  # another character of the same sound, or pinyin
    VARIANT = "variant"  # the character in another script, standard, width or case
    REPLACED = "replaced"
    INSERTED = "inserted"  # only the page has it
    DELETED = "deleted"  # only the work has it
    SPACE = "space"  # white space that differs, which is no change


@dataclass(frozen=True, slots=True)
class Edit:
    """One run, in code points of both texts, ends exclusive. A side without text has an empty range."""

    kind: EditKind
    page_start: int
    page_end: int
    work_start: int
    work_end: int


@dataclass(frozen=True, slots=True)
class _Unit:
    """An initial with all characters behind it, or a character without an initial. Equal tokens agree."""

    start: int
    end: int
    token: int


def list_edits(page_text: str, work_text: str, passage: Passage) -> list[Edit]:
    """List the runs of a passage in the order of the page. Together they cover both sides once.

    Moved text is compared with its original place, and so is each character of text that is written backwards.
    """
    page_part = page_text[passage.page_start : passage.page_end]
    order = reading_order(code_points(page_part))
    if order is None:
        return _join_runs(_passage_runs(page_text, work_text, passage))
    read = "".join(page_part[offset] for offset in order)
    runs = _passage_runs(read, work_text, replace(passage, page_start=0, page_end=len(read)))
    return _join_runs(iter(_restore_order(runs, order, passage.page_start)))


@lru_cache(maxsize=128)
def list_edits_between(page: str, work: str) -> tuple[Edit, ...]:
    """List the runs of two parts that correspond. Results are cached, as cases are viewed again soon."""
    if page == work:
        return (Edit(EditKind.SAME, 0, len(page), 0, len(work)),) if page else ()
    whole = Passage(
        page_start=0,
        page_end=len(page),
        work_start=0,
        work_end=len(work),
        similarity=0.0,
        change=Change.REWRITTEN,  # similarity and change are not read
    )
    return tuple(list_edits(page, work, whole))


def _passage_runs(page_text: str, work_text: str, passage: Passage) -> Iterator[Edit]:
    # Cached, as most passages are one piece that would be read twice.
    reader = cache(to_initials)
    for page_from, page_to, work_from, work_to in _cut_pieces(page_text, work_text, passage, reader):
        page, work = (
            _text_units(page_text, page_from, page_to, reader),
            _text_units(work_text, work_from, work_to, reader),
        )
        yield from _compare_units(page_text, page, work_text, work, (page_from, work_from))


def _restore_order(runs: Iterable[Edit], order: NDArray[np.int64], start: int) -> list[Edit]:
    """Return the runs of a reordered text at their offsets in the original text, plus `start`."""
    offsets = (order + start).tolist()
    restored = []
    for run in runs:
        own = offsets[run.page_start : run.page_end]
        before = max(offsets[max(0, run.page_start - 1) : run.page_start + 1])
        first, last = (min(own), max(own) + 1) if own else (before, before)
        restored.append(replace(run, page_start=first, page_end=last))
    return sorted(restored, key=lambda run: (run.page_start, run.page_end))


def _text_units(text: str, start: int, end: int, read: TextReader) -> list[_Unit]:
    initials = read(text[start:end])
    units: list[_Unit] = []
    offset = 0
    bounds = zip(initials.starts.tolist(), initials.ends.tolist(), initials.codes.tolist(), strict=True)
    for first, last, code in bounds:
        units.extend(_Unit(start + i, start + i + 1, LETTER_CODES + ord(text[start + i])) for i in range(offset, first))
        if first >= offset:  # initials of one ligature share a span, and the first represents it
            units.append(_Unit(start + first, start + last, code))
            offset = last
    units.extend(
        _Unit(start + i, start + i + 1, LETTER_CODES + ord(text[start + i])) for i in range(offset, end - start)
    )
    return units


def _cut_pieces(page_text: str, work_text: str, passage: Passage, read: TextReader) -> list[tuple[int, int, int, int]]:
    """Cut a passage where its order changed: pieces in the order of the page, each with its part of the work."""
    page = read(page_text[passage.page_start : passage.page_end])
    work = read(work_text[passage.work_start : passage.work_end])
    blocks = find_blocks(page.codes, work.codes, _MIN_MOVED_SCORE)
    page_info, work_info = cumulative_information(page.codes), cumulative_information(work.codes)
    selected = select_explaining(blocks, block_weights(blocks, page_info), page_info, work_info)
    rank = {
        block: position
        for position, block in enumerate(selected[np.argsort(blocks.work_start[selected], kind="stable")].tolist())
    }
    page_order = selected[np.argsort(blocks.page_start[selected], kind="stable")].tolist()
    heads = [block for before, block in pairwise([None, *page_order]) if rank.get(before, -2) + 1 != rank[block]]
    page_starts = {block: passage.page_start + int(page.starts[blocks.page_start[block]]) for block in heads}
    work_starts = {block: passage.work_start + int(work.starts[blocks.work_start[block]]) for block in heads}
    page_parts = _cut_parts(page_starts, passage.page_start, passage.page_end)
    work_parts = _cut_parts(work_starts, passage.work_start, passage.work_end)
    return [(*page_parts[block], *work_parts[block]) for block in page_parts]


def _cut_parts(starts: dict[int, int], first: int, last: int) -> dict[int, tuple[int, int]]:
    """Cut [first, last) at the starts. The least start counts as `first`. Without starts, -1 names the whole."""
    names = sorted(starts, key=lambda name: starts[name]) or [-1]
    cuts = [first, *(starts[name] for name in names[1:]), last]
    return dict(zip(names, pairwise(cuts), strict=True))


def _compare_units(
    page_text: str, page: list[_Unit], work_text: str, work: list[_Unit], starts: tuple[int, int]
) -> Iterator[Edit]:
    """Compare single units in order. starts: offsets of the piece in the page and in the work.

    White space is compared with nothing: a run of its own stands for what either side has of it.
    """
    page_at, work_at = starts
    page_last, work_last = (units[-1].end if units else place for units, place in ((page, page_at), (work, work_at)))
    page = [unit for unit in page if not page_text[unit.start : unit.end].isspace()]
    work = [unit for unit in work if not work_text[unit.start : unit.end].isspace()]
    for step in Levenshtein.opcodes([unit.token for unit in page], [unit.token for unit in work]):
        changed = zip_longest(page[step.src_start : step.src_end], work[step.dest_start : step.dest_end])
        for mine, theirs in changed:
            spaces = (page_at, mine.start if mine else page_at, work_at, theirs.start if theirs else work_at)
            yield from _space_runs(page_text, work_text, *spaces)
            _, page_at, _, work_at = spaces
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
    yield from _space_runs(page_text, work_text, page_at, page_last, work_at, work_last)


def _space_runs(
    page_text: str, work_text: str, page_start: int, page_end: int, work_start: int, work_end: int
) -> Iterator[Edit]:
    mine, theirs = page_text[page_start:page_end], work_text[work_start:work_end]
    if mine or theirs:
        kind = EditKind.SAME if mine == theirs else EditKind.SPACE
        yield Edit(kind, page_start, page_end, work_start, work_end)


def _edit_kind(mine: str, theirs: str) -> EditKind:
    if mine == theirs:
        return EditKind.SAME
    if is_variant(mine, theirs):
        return EditKind.VARIANT
    if is_same_sound(mine, theirs):
        return EditKind.SAME_SOUND
    return EditKind.REPLACED


def _join_runs(runs: Iterator[Edit]) -> list[Edit]:
    """Merge neighbouring runs of one kind."""
    joined: list[Edit] = []
    for run in runs:
        last = joined[-1] if joined else None
        if last and last.kind is run.kind and (last.page_end, last.work_end) == (run.page_start, run.work_start):
            joined[-1] = Edit(run.kind, last.page_start, run.page_end, last.work_start, run.work_end)
        else:
            joined.append(run)
    return joined
