"""Align two texts: find all passages that they share, in any order."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from fingerprinter.alphabet import Initials, code_points
from matcher.alignment.agreement import (
    Agreement,
    Gaps,
    chance_ends,
    count_sameness,
    degree_of_change,
    find_gaps,
    measure_agreement,
    settle_ends,
)
from matcher.alignment.aligned_span import AlignedSpan
from matcher.alignment.chaining import chain_interrupted, select_explaining
from matcher.alignment.fragment_extension import extend_passage, mark_taken
from matcher.alignment.gap_filling import MIN_INTERRUPTED_BLOCKS, fill_gaps
from matcher.alignment.information_content import Floats, block_weights, cumulative_information
from matcher.alignment.passage_segmentation import MIN_PASSAGE_WEIGHT, gather_spans, is_same_document, join_touching
from matcher.alignment.seed_and_extend import Blocks, concatenate_blocks, find_blocks
from matcher.alignment.word_reordering import find_scattered_blocks
from matcher.model import Passage

_MIN_BLOCK_SCORE = 16  # score of the smallest block: eight letters
_MIN_TAKEN_SHARE = (
    0.6  # share of the work's stretch that agrees, from which its shreds are looked for: it was no rewriting
)
_MIN_HAN_INFORMATION = 0.57  # of a letter on average, where Han letters and Latin ones tell the same in all
_MIN_SAME_CHARACTER_SHARE = (
    0.9  # share of the letters that are the same characters, from which another one is no disguise
)

_CACHED_TEXTS = 2  # texts whose code points are kept at hand

_SENTENCE_ENDS = [*map(ord, "。！？!?\n")]


@dataclass(frozen=True, slots=True)
class AlignedPassage:
    """A passage and what was counted in it.

    weight: letters that agree less what differences cost, a Latin letter or digit counting less than a Han one.
    letters: of the side that has fewer. agreeing, exact: letters of the page that agree, and those of them that are
    the same character. longest_run: characters without a change. han: whether Han characters tell most
    of it, not Latin words. out_of_order: whether the page has it backwards or in columns. agreed: i32[k, 2], letters
    that agree, of the page and of the work. backing: weight of all passages where the texts are versions of one
    document, else its own.
    """

    passage: Passage
    weight: float
    letters: int
    agreeing: int
    exact: int
    longest_run: int
    han: bool
    out_of_order: bool = False
    agreed: NDArray[np.int32] = field(default_factory=lambda: np.empty((0, 2), np.int32), repr=False, compare=False)
    backing: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class _TextSide:
    """One of the two texts: as it is, its letters, and the code point of each letter."""

    text: str
    letters: Initials
    points: NDArray[np.uint32]
    told: NDArray[np.float64]  # of the letters before each place
    shreds: NDArray[np.bool_]  # letters that lie in shreds of passages
    whole: Initials  # all letters, if not all are looked at
    kept: NDArray[np.int64] | None  # where the letters stand among all, if not all are looked at

    @classmethod
    def of(
        cls, text: str, whole: Initials, letters: Initials, told: NDArray[np.float64], kept: NDArray[np.int64] | None
    ) -> "_TextSide":
        return cls(text, letters, _initial_points(text, letters), told, np.zeros(len(letters), np.bool_), whole, kept)

    def count(self, start: int, end: int) -> int:
        """Letters of [start, end), those between them that are not looked at too."""
        return end - start if self.kept is None else int(self.kept[end - 1] - self.kept[start]) + 1

    def among_all(self, agreed: NDArray[np.int32]) -> NDArray[np.int32]:
        """Pairs of letters, this side's counted among all of the text."""
        if self.kept is None:
            return agreed
        return np.stack((self.kept[agreed[:, 0]].astype(np.int32), agreed[:, 1]), axis=1)

    def gaps(self, span: tuple[int, int], agreed: NDArray[np.int32]) -> Gaps:
        """What of a passage that covers this span was not copied. agreed: the letters that agree."""
        shreds = self.shreds
        if self.kept is not None:
            shreds = np.zeros(len(self.whole), np.bool_)
            shreds[self.kept] = self.shreds
            agreed = self.kept[agreed].astype(np.int32)
        return find_gaps(self.whole, shreds, agreed, span)

    def descends(self, start: int, end: int) -> NDArray[np.bool_]:
        """Which letters of [start, end), the last one left out, stand behind the next one: bool[end - start - 1]."""
        return np.diff(self.letters.starts[start:end].astype(np.int64)) < 0

    def unbroken(self, start: int, length: int) -> tuple[int, int]:
        """The longest part of some letters that follow each other on the page: its start and length."""
        if self.letters.in_order and self.kept is None:
            return start, length
        apart = self.descends(start, start + length)
        if self.kept is not None:
            apart |= np.diff(self.kept[start : start + length]) > 1
        bounds = np.concatenate(([0], np.flatnonzero(apart) + 1, [length]))
        longest = int(np.diff(bounds).argmax())
        return start + int(bounds[longest]), int(bounds[longest + 1] - bounds[longest])


@lru_cache(maxsize=_CACHED_TEXTS)
def _initial_points(text: str, letters: Initials) -> NDArray[np.uint32]:
    """The code point of each letter; a page is compared with one work after the other, and more than once with some."""
    return code_points(text)[letters.starts]


def _sentence_breaks(text: str, letters: Initials) -> NDArray[np.bool_]:
    """bool[n + 1]: whether a sentence ends before each letter."""
    ends = np.isin(code_points(text), _SENTENCE_ENDS)
    before = np.concatenate(([0], np.cumsum(ends)))
    return np.concatenate(([True], np.diff(before[letters.starts]) > 0, [True]))


def align_texts(
    page_text: str, page: Initials, work_text: str, work: Initials, *, kept: NDArray[np.int64] | None = None
) -> list[AlignedPassage]:
    """The passages that two texts share, in the order of the page. Time grows with the sum of their lengths.

    kept: the places of the page's letters that are looked at, if not all; the others count as put in where they stand
    in a passage.
    """
    looked_at = page if kept is None else page.only(kept)
    return _align_blocks(page_text, page, looked_at, work_text, work, _cached_blocks(looked_at, work), kept)


def align_scattered(
    page_text: str, page: Initials, work_text: str, work: Initials, plain: list[AlignedPassage]
) -> list[AlignedPassage]:
    """The same with passages whose words changed places or were replaced one by one.

    plain: what `align_texts` found of the two; it is returned where no words are scattered beside it.
    """
    scattered = find_scattered_blocks(_initial_points(page_text, page), _initial_points(work_text, work))
    if not len(scattered.score):
        return plain
    alone = _cached_blocks(page, work)
    blocks = concatenate_blocks(alone, scattered)
    if _has_same_explanation(alone, blocks, cumulative_information(page.codes), cumulative_information(work.codes)):
        return plain
    return _align_blocks(page_text, page, page, work_text, work, blocks, None)


@lru_cache(maxsize=_CACHED_TEXTS)
def _cached_blocks(page: Initials, work: Initials) -> Blocks:
    """The blocks of two texts, which are wanted again where words may be scattered."""
    return find_blocks(page.codes, work.codes, _MIN_BLOCK_SCORE)


def _has_same_explanation(some: Blocks, more: Blocks, page_told: Floats, work_told: Floats) -> bool:
    """Whether all that counts of some blocks and others behind them are those that count of the some: what
    `gather_spans` and all after it look at. So it is where the words of a passage only stand where it has them.
    """
    kept = [select_explaining(one, block_weights(one, page_told), page_told, work_told) for one in (some, more)]
    return np.array_equal(kept[0], kept[1])


def _align_blocks(
    page_text: str,
    whole: Initials,
    page: Initials,
    work_text: str,
    work: Initials,
    blocks: Blocks,
    kept: NDArray[np.int64] | None,
) -> list[AlignedPassage]:
    """What the blocks of two texts amount to. whole: all letters of the page; page: those that are looked at."""
    if not len(blocks.score):
        return []
    page_told, work_told = cumulative_information(page.codes), cumulative_information(work.codes)
    found = gather_spans(blocks, page.codes, page_told, work_told)
    if (
        sum(len(one.blocks) for one in found) >= MIN_INTERRUPTED_BLOCKS
        and sum(one.weight for one in found) >= MIN_PASSAGE_WEIGHT
    ):
        known = _select_blocks(blocks, [number for one in found for number in one.blocks])
        lesser = fill_gaps(
            page.codes, _initial_points(page_text, page), work.codes, _initial_points(work_text, work), known
        )
        if len(lesser.score):
            blocks = concatenate_blocks(known, lesser)
            found = gather_spans(blocks, page.codes, page_told, work_told)
    if len(found) > 1:
        found = chain_interrupted(
            found, blocks, page_told, work_told, cache(partial(_sentence_breaks, work_text, work))
        )
    found = [one for one in found if one.weight >= MIN_PASSAGE_WEIGHT]
    if not found:
        return []
    sides = (
        _TextSide.of(page_text, whole, page, page_told, kept),
        _TextSide.of(work_text, work, work, work_told, None),
    )
    found = join_touching(_extend_spans(*sides, blocks, found))
    together = sum(one.weight for one in found) if is_same_document(found, page_told, work_told) else 0.0
    return [_make_passage(*sides, blocks, one, together) for one in found]


def _select_blocks(blocks: Blocks, numbers: Sequence[int]) -> Blocks:
    chosen = np.array(numbers)
    return Blocks(*(column[chosen] for column in blocks))


def _extend_spans(page: _TextSide, work: _TextSide, blocks: Blocks, found: list[AlignedSpan]) -> list[AlignedSpan]:
    """The stretches with their shreds, where most of the work's stretch was taken over."""
    kept = _select_blocks(blocks, [number for one in found for number in one.blocks])
    page_taken = mark_taken(len(page.letters), kept.page_start, kept.page_end)
    work_taken = mark_taken(len(work.letters), kept.work_start, kept.work_end)
    wider = []
    for one in found:
        if one.weight >= _MIN_TAKEN_SHARE * (work.told[one.work_end] - work.told[one.work_start]):
            sides = (page.letters.codes, page.points, page_taken, work.letters.codes, work.points, work_taken)
            bounds = extend_passage(*sides, one.bounds, page.shreds, work.shreds)
            wider.append(AlignedSpan(*bounds, one.weight, one.covered, one.blocks))
        else:
            wider.append(one)
    return wider


def _make_passage(
    page: _TextSide, work: _TextSide, blocks: Blocks, stretch: AlignedSpan, together: float
) -> AlignedPassage:
    inside = _select_blocks(blocks, stretch.blocks)
    counted = measure_agreement(page.letters.codes, page.points, work.letters.codes, work.points, inside)
    agreeing, exact = len(counted.agreed), len(counted.agreed) - len(counted.others)
    page_start, page_end, work_start, work_end = stretch.bounds
    if exact >= _MIN_SAME_CHARACTER_SHARE * agreeing:
        page_start, page_end, work_start, work_end = _trim_span(
            page, work, inside, (page_start, page_end, work_start, work_end)
        )
    page_letters, work_letters = page.count(page_start, page_end), work_end - work_start
    similarity = min(1.0, 2 * agreeing / (page_letters + work_letters))
    same, variant, sound = (count / max(1, agreeing) * similarity for count in count_sameness(agreeing, counted.others))
    # What was put in or left out changes a text less than what was put in its place.
    kept = agreeing / min(page_letters, work_letters)
    out_of_order = not page.letters.in_order and bool(page.descends(page_start, page_end).any())
    page_span, work_span = settle_ends(
        page.text, page.letters.span(page_start, page_end), work.text, work.letters.span(work_start, work_end)
    )
    passage = Passage(
        page_start=page_span[0],
        page_end=page_span[1],
        work_start=work_span[0],
        work_end=work_span[1],
        similarity=similarity,
        change=degree_of_change(similarity, kept, 0.0 if out_of_order else exact / max(1, agreeing)),
        same_characters=same,
        variants=variant,
        same_sound=sound,
        page_gaps=page.gaps(page_span, counted.agreed[:, 0]),
        work_gaps=work.gaps(work_span, counted.agreed[:, 1]),
    )
    return AlignedPassage(
        passage,
        stretch.weight,
        min(page_letters, work_letters),
        agreeing,
        exact,
        _longest_run(page, work, counted),
        _is_mostly_han(stretch.covered, inside),
        out_of_order,
        page.among_all(counted.agreed),
        max(together, stretch.weight),
    )


def _trim_span(
    page: _TextSide, work: _TextSide, blocks: Blocks, span: tuple[int, int, int, int]
) -> tuple[int, int, int, int]:
    """The span without the letters at its ends that agree by chance, where both its sides end with one block."""
    page_start, page_end, work_start, work_end = span
    for block in zip(*(column.tolist() for column in blocks[:4]), strict=True):
        starts, ends = block[::2] == (page_start, work_start), block[1::2] == (page_end, work_end)
        if not (starts or ends):
            continue
        first, last = chance_ends(page.points[block[0] : block[1]], work.points[block[2] : block[3]])
        if starts:
            span = (span[0] + first, span[1], span[2] + first, span[3])
        if ends:
            span = (span[0], span[1] - last, span[2], span[3] - last)
    return span


def _longest_run(page: _TextSide, work: _TextSide, counted: Agreement) -> int:
    """Characters in the longest run of letters that are the same: of the side that has fewer, as invisible marks that
    a page strews in, or spaces, are nothing that was copied.
    """
    longest = int(counted.longest.argmax())
    length = int(counted.longest[longest])
    if not length:
        return 0
    begin = int(counted.page_start[longest])
    on_page, length = page.unbroken(begin, length)
    in_work = int(counted.work_start[longest]) + on_page - begin
    page_span = page.letters.span(on_page, on_page + length)
    work_span = work.letters.span(in_work, in_work + length)
    spans = settle_ends(page.text, page_span, work.text, work_span)
    return min(end - start for start, end in spans)


def _is_mostly_han(covered: float, blocks: Blocks) -> bool:
    return bool(covered >= _MIN_HAN_INFORMATION * int(np.add.reduce(blocks.page_end - blocks.page_start)))
