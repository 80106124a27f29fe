"""Two texts compared closely: which passages they share, to the character, in any order."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from fingerprinter.letters import Letters
from fingerprinter.normalize.code_points import code_points
from matcher.alignment.agreement import Agreement, agreement
from matcher.alignment.blocks import Blocks, find_blocks, joined
from matcher.alignment.boundaries import chance_ends, settle_ends
from matcher.alignment.degree_of_change import change_of
from matcher.alignment.gaps import Gaps, gaps
from matcher.alignment.interrupted_passages import whole_again
from matcher.alignment.lesser_blocks import INTERRUPTED, lesser_blocks
from matcher.alignment.letter_weights import Floats, block_weights, told
from matcher.alignment.passages import LEAST, same_document, stretches, touching_joined
from matcher.alignment.reordered_words import scattered_blocks
from matcher.alignment.rival_blocks import explaining
from matcher.alignment.same_character import sameness
from matcher.alignment.shreds import taken, widen
from matcher.alignment.stretch import Stretch
from store.records import Passage

_LEAST_BLOCK = 16  # score of the smallest block: eight letters
_TAKEN_OVER = 0.6  # share of the work's stretch that agrees, from which its shreds are looked for: it was no rewriting
_HAN_TELLS = 0.57  # of a letter on average, where Han letters and Latin ones tell the same in all
_UNDISGUISED = 0.9  # share of the letters that are the same characters, from which another one is no disguise

_SIDES = 2  # texts whose code points are kept at hand

_SENTENCE_ENDS = [*map(ord, "。！？!?\n")]


@dataclass(frozen=True, slots=True)
class Aligned:
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
class _Side:
    """One of the two texts: as it is, its letters, and the code point of each letter."""

    text: str
    letters: Letters
    points: NDArray[np.uint32]
    told: NDArray[np.float64]  # of the letters before each place
    shreds: NDArray[np.bool_]  # letters that lie in shreds of passages
    whole: Letters  # all letters, if not all are looked at
    kept: NDArray[np.int64] | None  # where the letters stand among all, if not all are looked at

    @classmethod
    def of(
        cls, text: str, whole: Letters, letters: Letters, told: NDArray[np.float64], kept: NDArray[np.int64] | None
    ) -> "_Side":
        return cls(text, letters, _points(text, letters), told, np.zeros(len(letters), np.bool_), whole, kept)

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
        return gaps(self.whole, shreds, agreed, span)

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


@lru_cache(maxsize=_SIDES)
def _points(text: str, letters: Letters) -> NDArray[np.uint32]:
    """The code point of each letter; a page is compared with one work after the other, and more than once with some."""
    return code_points(text)[letters.starts]


def _breaks(text: str, letters: Letters) -> NDArray[np.bool_]:
    """bool[n + 1]: whether a sentence ends before each letter."""
    ends = np.isin(code_points(text), _SENTENCE_ENDS)
    before = np.concatenate(([0], np.cumsum(ends)))
    return np.concatenate(([True], np.diff(before[letters.starts]) > 0, [True]))


def align(
    page_text: str, page: Letters, work_text: str, work: Letters, *, kept: NDArray[np.int64] | None = None
) -> list[Aligned]:
    """The passages that two texts share, in the order of the page. Time grows with the sum of their lengths.

    kept: the places of the page's letters that are looked at, if not all; the others count as put in where they stand
    in a passage.
    """
    looked_at = page if kept is None else page.only(kept)
    return _passages(page_text, page, looked_at, work_text, work, _blocks(looked_at, work), kept)


def align_scattered(
    page_text: str, page: Letters, work_text: str, work: Letters, plain: list[Aligned]
) -> list[Aligned]:
    """The same with passages whose words changed places or were replaced one by one.

    plain: what `align` found of the two; it is returned where no words are scattered beside it.
    """
    scattered = scattered_blocks(_points(page_text, page), _points(work_text, work))
    if not len(scattered.score):
        return plain
    alone = _blocks(page, work)
    blocks = joined(alone, scattered)
    if _explain_the_same(alone, blocks, told(page.codes), told(work.codes)):
        return plain
    return _passages(page_text, page, page, work_text, work, blocks, None)


@lru_cache(maxsize=_SIDES)
def _blocks(page: Letters, work: Letters) -> Blocks:
    """The blocks of two texts, which are wanted again where words may be scattered."""
    return find_blocks(page.codes, work.codes, _LEAST_BLOCK)


def _explain_the_same(some: Blocks, more: Blocks, page_told: Floats, work_told: Floats) -> bool:
    """Whether all that counts of some blocks and others behind them are those that count of the some: what `stretches`
    and all after it look at. So it is where the words of a passage only stand where it has them.
    """
    kept = [explaining(one, block_weights(one, page_told), page_told, work_told) for one in (some, more)]
    return np.array_equal(kept[0], kept[1])


def _passages(
    page_text: str,
    whole: Letters,
    page: Letters,
    work_text: str,
    work: Letters,
    blocks: Blocks,
    kept: NDArray[np.int64] | None,
) -> list[Aligned]:
    """What the blocks of two texts amount to. whole: all letters of the page; page: those that are looked at."""
    if not len(blocks.score):
        return []
    page_told, work_told = told(page.codes), told(work.codes)
    found = stretches(blocks, page.codes, page_told, work_told)
    if sum(len(one.blocks) for one in found) >= INTERRUPTED and sum(one.weight for one in found) >= LEAST:
        known = _these(blocks, [number for one in found for number in one.blocks])
        lesser = lesser_blocks(page.codes, _points(page_text, page), work.codes, _points(work_text, work), known)
        if len(lesser.score):
            blocks = joined(known, lesser)
            found = stretches(blocks, page.codes, page_told, work_told)
    if len(found) > 1:
        found = whole_again(found, blocks, page_told, work_told, cache(partial(_breaks, work_text, work)))
    found = [one for one in found if one.weight >= LEAST]
    if not found:
        return []
    sides = (
        _Side.of(page_text, whole, page, page_told, kept),
        _Side.of(work_text, work, work, work_told, None),
    )
    found = touching_joined(_widened(*sides, blocks, found))
    together = sum(one.weight for one in found) if same_document(found, page_told, work_told) else 0.0
    return [_aligned(*sides, blocks, one, together) for one in found]


def _these(blocks: Blocks, numbers: Sequence[int]) -> Blocks:
    chosen = np.array(numbers)
    return Blocks(*(column[chosen] for column in blocks))


def _widened(page: _Side, work: _Side, blocks: Blocks, found: list[Stretch]) -> list[Stretch]:
    """The stretches with their shreds, where most of the work's stretch was taken over."""
    kept = _these(blocks, [number for one in found for number in one.blocks])
    page_taken = taken(len(page.letters), kept.page_start, kept.page_end)
    work_taken = taken(len(work.letters), kept.work_start, kept.work_end)
    wider = []
    for one in found:
        if one.weight >= _TAKEN_OVER * (work.told[one.work_end] - work.told[one.work_start]):
            sides = (page.letters.codes, page.points, page_taken, work.letters.codes, work.points, work_taken)
            bounds = widen(*sides, one.bounds, page.shreds, work.shreds)
            wider.append(Stretch(*bounds, one.weight, one.covered, one.blocks))
        else:
            wider.append(one)
    return wider


def _aligned(page: _Side, work: _Side, blocks: Blocks, stretch: Stretch, together: float) -> Aligned:
    inside = _these(blocks, stretch.blocks)
    counted = agreement(page.letters.codes, page.points, work.letters.codes, work.points, inside)
    agreeing, exact = len(counted.agreed), len(counted.agreed) - len(counted.others)
    page_start, page_end, work_start, work_end = stretch.bounds
    if exact >= _UNDISGUISED * agreeing:
        page_start, page_end, work_start, work_end = _trimmed(
            page, work, inside, (page_start, page_end, work_start, work_end)
        )
    page_letters, work_letters = page.count(page_start, page_end), work_end - work_start
    similarity = min(1.0, 2 * agreeing / (page_letters + work_letters))
    same, variant, sound = (count / max(1, agreeing) * similarity for count in sameness(agreeing, counted.others))
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
        change=change_of(similarity, kept, 0.0 if out_of_order else exact / max(1, agreeing)),
        same_characters=same,
        variants=variant,
        same_sound=sound,
        page_gaps=page.gaps(page_span, counted.agreed[:, 0]),
        work_gaps=work.gaps(work_span, counted.agreed[:, 1]),
    )
    return Aligned(
        passage,
        stretch.weight,
        min(page_letters, work_letters),
        agreeing,
        exact,
        _longest_run(page, work, counted),
        _mostly_han(stretch.covered, inside),
        out_of_order,
        page.among_all(counted.agreed),
        max(together, stretch.weight),
    )


def _trimmed(page: _Side, work: _Side, blocks: Blocks, span: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
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


def _longest_run(page: _Side, work: _Side, counted: Agreement) -> int:
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


def _mostly_han(covered: float, blocks: Blocks) -> bool:
    return bool(covered >= _HAN_TELLS * int(np.add.reduce(blocks.page_end - blocks.page_start)))
