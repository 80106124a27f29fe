"""Align two texts: find all passages that they share, in any order."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from fingerprinter.alphabet import Initials, code_points
from matcher.alignment.agreement import count_sameness, degree_of_change
from matcher.alignment.aligned_span import ALL_WANTED, AlignedSpan, TextSide, Wanted, measure_span
from matcher.alignment.chaining import chain_interrupted, has_same_explanation
from matcher.alignment.character_filling import fill_blanks, fill_look_alikes
from matcher.alignment.fragment_extension import extend_passages
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


@lru_cache(maxsize=_CACHED_TEXTS)
def _initial_points(text: str, initials: Initials) -> NDArray[np.uint32]:
    """Return the code point of each initial. Cached, as a page is compared with one work after another."""
    return _cached_code_points(text)[initials.starts]


@lru_cache(maxsize=_CACHED_TEXTS)
def _cached_code_points(text: str) -> NDArray[np.uint32]:
    """Return the code points of a text. Cached for the same reason."""
    return code_points(text)


@lru_cache(maxsize=_CACHED_TEXTS)
def _cached_information(initials: Initials) -> Floats:
    """Return the cumulative information of the initials. Cached for the same reason."""
    info: Floats = cumulative_information(initials.codes)
    return info


def _make_side(
    text: str,
    whole: Initials,
    initials: Initials,
    info: Floats,
    kept: NDArray[np.int64] | None = None,
    reading: PageReading | None = None,
) -> TextSide:
    """Return one of two aligned texts. kept, reading: as in `_align_blocks`."""
    points = _initial_points(text, initials)
    if reading is not None:
        points = np.where(reading.blank, np.uint32(0), points)
    marks = np.zeros(len(initials), np.bool_)
    return TextSide(text, _cached_code_points(text), initials, points, info, marks, whole, kept, reading)


def _sentence_breaks(text: str, initials: Initials) -> NDArray[np.bool_]:
    """Return whether a sentence ends before each initial: bool[n + 1]."""
    ends = np.isin(_cached_code_points(text), _SENTENCE_ENDS)
    ends_before = np.concatenate(([0], np.cumsum(ends)))
    return np.concatenate(([True], np.diff(ends_before[initials.starts]) > 0, [True]))


def align_texts(
    page_text: str,
    page: Initials,
    work_text: str,
    work: Initials,
    *,
    kept: NDArray[np.int64] | None = None,
    blocks: Blocks | None = None,
) -> list[AlignedPassage]:
    """Return the passages that two texts share, in the order of the page. Time grows with the sum of their lengths.

    kept: offsets of the page's initials that are compared, if not all. The others count as inserted where they stand in
    a passage. blocks: the result of `find_shared_blocks` for all initials, if it is known.
    """
    compared = page if kept is None else page.only(kept)
    if blocks is None:
        blocks = find_shared_blocks(compared, work)
    return _align_blocks(page_text, page, compared, work_text, work, blocks, kept)


def align_scattered(
    page_text: str,
    page: Initials,
    work_text: str,
    work: Initials,
    plain: list[AlignedPassage],
    wanted: Wanted = ALL_WANTED,
    *,
    blocks: Blocks | None = None,
) -> list[AlignedPassage]:
    """Align two texts, with passages whose words changed places or were replaced one by one.

    plain: the result of `align_texts` for the two. It is returned where no words are scattered. blocks: as there.
    """
    scattered = find_scattered_blocks(_initial_points(page_text, page), _initial_points(work_text, work))
    if not len(scattered.score):
        return plain
    alone = find_shared_blocks(page, work) if blocks is None else blocks
    if has_same_explanation(alone, scattered, _cached_information(page), _cached_information(work)):
        return plain
    blocks = concatenate_blocks(alone, scattered)
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
    page_info, work_info = _cached_information(page), _cached_information(work)
    sides = (
        _make_side(page_text, page, page, page_info),
        _make_side(work_text, work, work, work_info),
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


def find_shared_blocks(page: Initials, work: Initials) -> Blocks:
    """Find the blocks of two texts from which passages are made."""
    return find_blocks(page.codes, work.codes, MIN_BLOCK_SCORE)


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
    page_info, work_info = _cached_information(page), _cached_information(work)
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
        _make_side(page_text, whole, page, page_info, kept, reading),
        _make_side(work_text, work, work, work_info),
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


def _extend_spans(page: TextSide, work: TextSide, blocks: Blocks, spans: list[AlignedSpan]) -> list[AlignedSpan]:
    """Extend the spans by fragments where most of the work's span was copied."""
    copied = [
        number
        for number, span in enumerate(spans)
        if span.weight >= _MIN_COPIED_SHARE * (work.info[span.work_end] - work.info[span.work_start])
    ]
    if not copied:
        return spans
    extended = extend_passages(
        page.initials.codes,
        page.points,
        work.initials.codes,
        work.points,
        blocks,
        np.array([number for span in spans for number in span.blocks]),
        np.array([spans[number].bounds for number in copied]),
        page.fragments,
        work.fragments,
    )
    grown = list(spans)
    for number, (page_start, page_end, work_start, work_end) in zip(copied, extended.tolist(), strict=True):
        span = spans[number]
        grown[number] = AlignedSpan(page_start, page_end, work_start, work_end, span.weight, span.covered, span.blocks)
    return grown


def _make_passage(
    page: TextSide, work: TextSide, blocks: Blocks, span: AlignedSpan, document_weight: float
) -> AlignedPassage:
    """Measure a span, and return its passage. document_weight: of all spans of one document, else 0."""
    measure = measure_span(page, work, blocks, span)
    agreeing, exact = len(measure.agreed), len(measure.agreed) - len(measure.others)
    page_start, page_end, work_start, work_end = measure.bounds
    page_letters, work_letters = page.count(page_start, page_end), work_end - work_start
    similarity = min(1.0, 2 * agreeing / (page_letters + work_letters))
    same, variant, sound = (count / max(1, agreeing) * similarity for count in count_sameness(agreeing, measure.others))
    # Insertions and deletions change a text less than replacements.
    retained = agreeing / min(page_letters, work_letters)
    out_of_order = not page.initials.in_order and bool(page.descends(page_start, page_end).any())
    passage = Passage(
        page_start=measure.page_span[0],
        page_end=measure.page_span[1],
        work_start=measure.work_span[0],
        work_end=measure.work_span[1],
        similarity=similarity,
        change=degree_of_change(similarity, retained, 0.0 if out_of_order else exact / max(1, agreeing)),
        same_characters=same,
        variants=variant,
        same_sound=sound,
        page_gaps=measure.page_gaps,
        work_gaps=measure.work_gaps,
    )
    return AlignedPassage(
        passage,
        span.weight,
        min(page_letters, work_letters),
        agreeing,
        exact,
        measure.longest_run,
        span.covered >= _MIN_HAN_INFORMATION * measure.covered,
        out_of_order,
        page.among_all(measure.agreed),
        max(document_weight, span.weight),
    )
