"""Align two texts: find all passages that they share, in any order."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
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
    without_blanks,
)
from matcher.alignment.aligned_span import ALL_WANTED, AlignedSpan, Wanted
from matcher.alignment.chaining import chain_interrupted, select_explaining
from matcher.alignment.character_filling import fill_blanks, fill_look_alikes
from matcher.alignment.fragment_extension import extend_passage, mark_covered
from matcher.alignment.gap_filling import MIN_INTERRUPTED_BLOCKS, fill_gaps
from matcher.alignment.passage_segmentation import (
    MIN_PASSAGE_WEIGHT,
    gather_spans,
    is_same_document,
    join_touching,
    silence_initials,
)
from matcher.alignment.seed_and_extend import (
    SEED_LENGTH,
    Blocks,
    Floats,
    block_weights,
    concatenate_blocks,
    cumulative_information,
    find_blocks,
)
from matcher.alignment.word_reordering import find_scattered_blocks
from matcher.model import Passage
from matcher.retrieval.page_readings import PageReading

MIN_BLOCK_SCORE = 16  # score of the smallest block: eight initials
_MIN_COPIED_SHARE = 0.6  # share of the work's span that agrees, from which fragments are searched: no rewriting
_MIN_HAN_INFORMATION = 0.57  # mean information of an initial where Han and Latin carry the same in all
_MIN_SAME_CHARACTER_SHARE = 0.9  # share of same characters, from which another character is no disguise
_CACHED_TEXTS = 2  # texts whose code points are cached

_SENTENCE_ENDS = [*map(ord, "。！？!?\n")]


@dataclass(frozen=True, slots=True)
class AlignedPassage:
    """A passage and its counts.

    weight: agreeing initials less the cost of differences. Latin letters and digits weigh less than Han initials.
    letters: initials of the side that has fewer. agreeing, exact: agreeing initials of the page, and those of them with
    the same character. longest_run: characters without a change. han: whether Han characters carry most of the
    information, not Latin words. out_of_order: whether the page has it backwards or in columns. agreed: i32[k, 2],
    agreeing initials of the page and of the work. backing: weight of all passages where the texts are versions of one
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

    @property
    def same_letters(self) -> int:
        """Agreeing initials whose characters are the same, or variants of each other."""
        passage = self.passage
        same = (passage.same_characters or 0.0) + (passage.variants or 0.0)
        return round(self.agreeing * same / passage.similarity) if passage.similarity else 0


@dataclass(frozen=True, slots=True, eq=False)
class _TextSide:
    """One of the two texts: its string, its initials, and the code point of each initial."""

    text: str
    initials: Initials
    points: NDArray[np.uint32]
    info: NDArray[np.float64]  # cumulative information
    fragments: NDArray[np.bool_]  # whether each initial lies in a fragment of a passage
    whole: Initials  # all initials of the text
    kept: NDArray[np.int64] | None  # numbers of the compared initials among all, if not all
    reading: PageReading | None = None  # how the page is read, if not as usual

    @classmethod
    def of(
        cls,
        text: str,
        whole: Initials,
        initials: Initials,
        info: NDArray[np.float64],
        kept: NDArray[np.int64] | None,
        reading: PageReading | None = None,
    ) -> "_TextSide":
        points = _initial_points(text, initials)
        if reading is not None:
            points = np.where(reading.blank, np.uint32(0), points)
        return cls(text, initials, points, info, np.zeros(len(initials), np.bool_), whole, kept, reading)

    def count(self, start: int, end: int) -> int:
        """Count the initials of [start, end), with those between them that are not compared."""
        return end - start if self.kept is None else int(self.kept[end - 1] - self.kept[start]) + 1

    def among_all(self, agreed: NDArray[np.int32]) -> NDArray[np.int32]:
        """Renumber this side of pairs of initials among all initials of the text."""
        if self.kept is None:
            return agreed
        numbers = self.kept[agreed[:, 0]]
        if self.reading is not None:
            numbers = self.reading.numbers[numbers]
            agreed, numbers = agreed[numbers >= 0], numbers[numbers >= 0]
        return np.stack((numbers.astype(np.int32), agreed[:, 1]), axis=1)

    def gaps(self, span: tuple[int, int], agreed: NDArray[np.int32]) -> Gaps:
        """List what was not copied of a passage that covers this span. agreed: the agreeing initials."""
        fragments = self.fragments
        if self.kept is not None:
            fragments = np.zeros(len(self.whole), np.bool_)
            lettered = slice(None) if self.reading is None else ~self.reading.blank
            fragments[self.kept[lettered]] = self.fragments[lettered]
            agreed = self.kept[agreed].astype(np.int32)
        return find_gaps(self.whole, fragments, agreed, span)

    def descends(self, start: int, end: int) -> NDArray[np.bool_]:
        """Whether each initial of [start, end) stands behind the next one: bool[end - start - 1]."""
        return np.diff(self.initials.starts[start:end].astype(np.int64)) < 0

    def unbroken(self, start: int, length: int) -> tuple[int, int]:
        """Return start and length of the longest part of a run whose initials are adjacent on the page."""
        if self.initials.in_order and self.kept is None:
            return start, length
        breaks = self.descends(start, start + length)
        if self.kept is not None:
            breaks |= np.diff(self.kept[start : start + length]) > 1
        bounds = np.concatenate(([0], np.flatnonzero(breaks) + 1, [length]))
        longest = int(np.diff(bounds).argmax())
        return start + int(bounds[longest]), int(bounds[longest + 1] - bounds[longest])


@lru_cache(maxsize=_CACHED_TEXTS)
def _initial_points(text: str, initials: Initials) -> NDArray[np.uint32]:
    """Return the code point of each initial. Cached, as a page is compared with one work after another."""
    return code_points(text)[initials.starts]


def _sentence_breaks(text: str, initials: Initials) -> NDArray[np.bool_]:
    """Return whether a sentence ends before each initial: bool[n + 1]."""
    ends = np.isin(code_points(text), _SENTENCE_ENDS)
    ends_before = np.concatenate(([0], np.cumsum(ends)))
    return np.concatenate(([True], np.diff(ends_before[initials.starts]) > 0, [True]))


def align_texts(
    page_text: str, page: Initials, work_text: str, work: Initials, *, kept: NDArray[np.int64] | None = None
) -> list[AlignedPassage]:
    """Return the passages that two texts share, in the order of the page. Time grows with the sum of their lengths.

    kept: offsets of the page's initials that are compared, if not all. The others count as inserted where they stand in
    a passage.
    """
    compared = page if kept is None else page.only(kept)
    return _align_blocks(page_text, page, compared, work_text, work, _cached_blocks(compared, work), kept)


def align_scattered(
    page_text: str,
    page: Initials,
    work_text: str,
    work: Initials,
    plain: list[AlignedPassage],
    wanted: Wanted = ALL_WANTED,
) -> list[AlignedPassage]:
    """Align two texts, with passages whose words changed places or were replaced one by one.

    plain: the result of `align_texts` for the two. It is returned where no words are scattered.
    """
    scattered = find_scattered_blocks(_initial_points(page_text, page), _initial_points(work_text, work))
    if not len(scattered.score):
        return plain
    alone = _cached_blocks(page, work)
    blocks = concatenate_blocks(alone, scattered)
    if _has_same_explanation(alone, blocks, cumulative_information(page.codes), cumulative_information(work.codes)):
        return plain
    return _align_blocks(page_text, page, page, work_text, work, blocks, None, wanted=wanted)


def align_short(page_text: str, page: Initials, work_text: str, work: Initials, shortest: int) -> list[AlignedPassage]:
    """Return the passages that two texts share, with short ones of so many same characters or variants.

    Few initials agree by chance in long texts, few characters do not. So each passage has `shortest` of these.
    """
    blocks = find_blocks(page.codes, work.codes, shortest, SEED_LENGTH)
    aligned = _align_blocks(page_text, page, page, work_text, work, blocks, None, min_weight=shortest / 2)
    return [passage for passage in aligned if passage.same_letters >= shortest]


def align_blocks_apart(
    page_text: str, page: Initials, work_text: str, work: Initials, blocks: Blocks
) -> list[AlignedPassage]:
    """Return each block as a passage of its own. The scores of the blocks are not read."""
    page_info, work_info = cumulative_information(page.codes), cumulative_information(work.codes)
    sides = (
        _TextSide.of(page_text, page, page, page_info, None),
        _TextSide.of(work_text, work, work, work_info, None),
    )
    info = (page_info[blocks.page_end] - page_info[blocks.page_start]).tolist()
    starts, ends, work_starts, work_ends = (column.tolist() for column in blocks[:4])
    bounds = zip(starts, ends, work_starts, work_ends, info, strict=True)
    spans = [
        AlignedSpan(start, end, work_start, work_end, covered, covered, (number,))
        for number, (start, end, work_start, work_end, covered) in enumerate(bounds)
    ]
    return [_make_passage(*sides, blocks, span, 0.0) for span in spans]


def align_reading(
    page_text: str, work_text: str, work: Initials, reading: PageReading, wanted: Wanted = ALL_WANTED
) -> list[AlignedPassage]:
    """Return the passages that a page shares with a work if it is read in another way.

    What was put in is a gap of the page, and what was left out one of the work. A blank agrees with nothing.
    """
    filled = reading.letters
    if reading.blank.any():
        filled = replace(filled, codes=fill_blanks(filled.codes, work.codes))
    blocks = find_blocks(filled.codes, work.codes, MIN_BLOCK_SCORE)
    return _align_blocks(
        page_text, reading.whole, filled, work_text, work, blocks, reading.origins, reading=reading, wanted=wanted
    )


def align_look_alikes(
    page_text: str, page: Initials, work_text: str, work: Initials, wanted: Wanted = ALL_WANTED
) -> list[AlignedPassage]:
    """Return the passages that two texts share if characters that look alike are taken for each other."""
    points, work_points = _initial_points(page_text, page), _initial_points(work_text, work)
    codes = fill_look_alikes(page.codes, points, work.codes, work_points)
    if codes is None:
        return []
    filled = replace(page, codes=codes)
    blocks = find_blocks(codes, work.codes, MIN_BLOCK_SCORE)
    return _align_blocks(page_text, filled, filled, work_text, work, blocks, None, wanted=wanted)


@lru_cache(maxsize=_CACHED_TEXTS)
def _cached_blocks(page: Initials, work: Initials) -> Blocks:
    """Find the blocks of two texts. Cached, as `align_scattered` needs them again."""
    return find_blocks(page.codes, work.codes, MIN_BLOCK_SCORE)


def _has_same_explanation(alone: Blocks, combined: Blocks, page_info: Floats, work_info: Floats) -> bool:
    """Whether the blocks that explain the text are the same without and with the scattered blocks.

    All later stages use only these. They are the same where the words of a passage stand only where the passage has
    them.
    """
    selected = [
        select_explaining(blocks, block_weights(blocks, page_info), page_info, work_info)
        for blocks in (alone, combined)
    ]
    return np.array_equal(selected[0], selected[1])


def _align_blocks(
    page_text: str,
    whole: Initials,
    page: Initials,
    work_text: str,
    work: Initials,
    blocks: Blocks,
    kept: NDArray[np.int64] | None,
    *,
    min_weight: float = MIN_PASSAGE_WEIGHT,
    reading: PageReading | None = None,
    wanted: Wanted = ALL_WANTED,
) -> list[AlignedPassage]:
    """Gather, fill, chain and extend blocks into passages. whole: all initials. page: the compared ones."""
    if not len(blocks.score):
        return []
    page_info, work_info = cumulative_information(page.codes), cumulative_information(work.codes)
    if reading is not None and reading.blank.any():
        page_info = silence_initials(page_info, reading.blank)
    spans = gather_spans(blocks, page.codes, page_info, work_info)
    if (
        sum(len(span.blocks) for span in spans) >= MIN_INTERRUPTED_BLOCKS
        and sum(span.weight for span in spans) >= MIN_PASSAGE_WEIGHT
    ):
        known = _select_blocks(blocks, [number for span in spans for number in span.blocks])
        pieces = fill_gaps(
            page.codes, _initial_points(page_text, page), work.codes, _initial_points(work_text, work), known
        )
        if len(pieces.score):
            blocks = concatenate_blocks(known, pieces)
            spans = gather_spans(blocks, page.codes, page_info, work_info)
    if not wanted.allows(spans):
        return []
    if len(spans) > 1:
        spans = chain_interrupted(
            spans, blocks, page_info, work_info, cache(partial(_sentence_breaks, work_text, work))
        )
    spans = [span for span in spans if span.weight >= min_weight]
    if not spans:
        return []
    sides = (
        _TextSide.of(page_text, whole, page, page_info, kept, reading),
        _TextSide.of(work_text, work, work, work_info, None),
    )
    spans = join_touching(_extend_spans(*sides, blocks, spans))
    document_weight = sum(span.weight for span in spans) if is_same_document(spans, page_info, work_info) else 0.0
    long = [  # ends that agree by chance are trimmed, so that a passage has no more letters than its span
        span
        for span in spans
        if min(sides[0].count(span.page_start, span.page_end), span.work_end - span.work_start) >= wanted.letters
    ]
    return [_make_passage(*sides, blocks, span, document_weight) for span in (long if wanted.allows(long) else ())]


def _select_blocks(blocks: Blocks, numbers: Sequence[int]) -> Blocks:
    selected = np.array(numbers)
    return Blocks(*(column[selected] for column in blocks))


def _extend_spans(page: _TextSide, work: _TextSide, blocks: Blocks, spans: list[AlignedSpan]) -> list[AlignedSpan]:
    """Extend the spans by fragments where most of the work's span was copied."""
    selected = _select_blocks(blocks, [number for span in spans for number in span.blocks])
    page_covered = mark_covered(len(page.initials), selected.page_start, selected.page_end)
    work_covered = mark_covered(len(work.initials), selected.work_start, selected.work_end)
    extended = []
    for span in spans:
        if span.weight >= _MIN_COPIED_SHARE * (work.info[span.work_end] - work.info[span.work_start]):
            sides = (page.initials.codes, page.points, page_covered, work.initials.codes, work.points, work_covered)
            bounds = extend_passage(*sides, span.bounds, page.fragments, work.fragments)
            extended.append(AlignedSpan(*bounds, span.weight, span.covered, span.blocks))
        else:
            extended.append(span)
    return extended


def _make_passage(
    page: _TextSide, work: _TextSide, blocks: Blocks, span: AlignedSpan, document_weight: float
) -> AlignedPassage:
    """Measure a span, and return its passage. document_weight: of all spans of one document, else 0."""
    span_blocks = _select_blocks(blocks, span.blocks)
    agreement = measure_agreement(page.initials.codes, page.points, work.initials.codes, work.points, span_blocks)
    if page.reading is not None and page.reading.blank.any():
        agreement = without_blanks(agreement, page.reading.blank)
    agreeing, exact = len(agreement.agreed), len(agreement.agreed) - len(agreement.others)
    page_start, page_end, work_start, work_end = span.bounds
    if exact >= _MIN_SAME_CHARACTER_SHARE * agreeing:
        page_start, page_end, work_start, work_end = _trim_span(
            page, work, span_blocks, (page_start, page_end, work_start, work_end)
        )
    page_letters, work_letters = page.count(page_start, page_end), work_end - work_start
    similarity = min(1.0, 2 * agreeing / (page_letters + work_letters))
    same, variant, sound = (
        count / max(1, agreeing) * similarity for count in count_sameness(agreeing, agreement.others)
    )
    # Insertions and deletions change a text less than replacements.
    retained = agreeing / min(page_letters, work_letters)
    out_of_order = not page.initials.in_order and bool(page.descends(page_start, page_end).any())
    page_span, work_span = settle_ends(
        page.text, page.initials.span(page_start, page_end), work.text, work.initials.span(work_start, work_end)
    )
    passage = Passage(
        page_start=page_span[0],
        page_end=page_span[1],
        work_start=work_span[0],
        work_end=work_span[1],
        similarity=similarity,
        change=degree_of_change(similarity, retained, 0.0 if out_of_order else exact / max(1, agreeing)),
        same_characters=same,
        variants=variant,
        same_sound=sound,
        page_gaps=page.gaps(page_span, agreement.agreed[:, 0]),
        work_gaps=work.gaps(work_span, agreement.agreed[:, 1]),
    )
    return AlignedPassage(
        passage,
        span.weight,
        min(page_letters, work_letters),
        agreeing,
        exact,
        _longest_run(page, work, agreement),
        _is_mostly_han(span.covered, span_blocks),
        out_of_order,
        page.among_all(agreement.agreed),
        max(document_weight, span.weight),
    )


def _trim_span(
    page: _TextSide, work: _TextSide, blocks: Blocks, span: tuple[int, int, int, int]
) -> tuple[int, int, int, int]:
    """Trim chance agreement from the ends of a span, where both its sides end with one block."""
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


def _longest_run(page: _TextSide, work: _TextSide, agreement: Agreement) -> int:
    """Count the characters in the longest run of initials with the same characters, on the shorter side.

    Invisible marks or spaces that a page inserts were not copied.
    """
    block = int(agreement.longest.argmax())
    length = int(agreement.longest[block])
    if not length:
        return 0
    start = int(agreement.page_start[block])
    page_first, length = page.unbroken(start, length)
    work_first = int(agreement.work_start[block]) + page_first - start
    page_span = page.initials.span(page_first, page_first + length)
    work_span = work.initials.span(work_first, work_first + length)
    spans = settle_ends(page.text, page_span, work.text, work_span)
    return min(
        len("".join(text[start:end].split()))  # characters without white space
        for text, (start, end) in zip((page.text, work.text), spans, strict=True)
    )


def _is_mostly_han(covered: float, blocks: Blocks) -> bool:
    return bool(covered >= _MIN_HAN_INFORMATION * int(np.add.reduce(blocks.page_end - blocks.page_start)))
