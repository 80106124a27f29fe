"""Blocks that were copied in one piece are gathered into one span, and those apart into several."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from matcher.alignment.chaining import has_same_explanation, select_explaining
from matcher.alignment.passage_segmentation import gather_spans, silence_initials
from matcher.alignment.seed_and_extend import Blocks, block_weights, concatenate_blocks, cumulative_information

LETTERS = 600  # of either text


def blocks_at(*places: tuple[int, int, int]) -> Blocks:
    """Blocks by their first letters on the page and in the work, and their length."""
    starts, work_starts, lengths = np.array(places, np.int32).T
    columns = starts, starts + lengths, work_starts, work_starts + lengths, 2 * lengths
    return Blocks(*(np.ascontiguousarray(column, np.int32) for column in columns))


def gathered(blocks: Blocks, page: list[int] | None = None) -> list[tuple[int, ...]]:
    """The numbers of the blocks of each span. Without a page, no letter of it recurs."""
    codes = np.array(page or np.random.default_rng(7).integers(0, 23, LETTERS), np.uint8)
    info = cumulative_information(codes)
    spans = gather_spans(blocks, codes, info, cumulative_information(np.zeros(LETTERS, np.uint8)))
    return [tuple(sorted(span.blocks)) for span in spans]


def test_pieces_with_a_short_gap_are_one_span_and_pieces_far_apart_on_either_side_are_two() -> None:
    assert gathered(blocks_at((0, 0, 40), (60, 60, 40))) == [(0, 1)]
    assert gathered(blocks_at((0, 0, 40), (300, 60, 40))) == [(0,), (1,)]
    assert gathered(blocks_at((0, 0, 40), (60, 300, 40))) == [(0,), (1,)]


def test_an_advert_that_recurs_between_three_pieces_does_not_part_them() -> None:
    advert = [(5 * letter + 3) % 19 for letter in range(50)]
    piece = [letter * letter % 23 for letter in range(40)]
    page = [*piece, *advert, *piece, *advert, *piece]
    there = blocks_at((0, 0, 40), (90, 40, 40), (180, 80, 40))
    assert gathered(there, [*page, *[1] * (LETTERS - len(page))]) == [(0, 1, 2)]
    assert gathered(blocks_at((0, 0, 40), (90, 300, 40))) == [(0,), (1,)]


PLACES = st.tuples(st.integers(0, LETTERS - 60), st.integers(0, LETTERS - 60), st.integers(8, 60))


@given(st.lists(PLACES, min_size=1, max_size=12), st.lists(st.integers(0, 4), min_size=LETTERS, max_size=LETTERS))
def test_a_block_is_in_one_span_at_most_and_spans_lie_around_their_blocks(
    places: list[tuple[int, int, int]], page: list[int]
) -> None:
    blocks = blocks_at(*places)
    codes = np.array(page, np.uint8)
    info = cumulative_information(codes)
    spans = gather_spans(blocks, codes, info, info)
    numbers = [number for span in spans for number in span.blocks]
    assert len(numbers) == len({*numbers})
    assert [span.bounds for span in spans] == sorted(span.bounds for span in spans)
    for span in spans:
        inside = [[int(column[number]) for column in blocks[:4]] for number in span.blocks]
        starts, ends, work_starts, work_ends = zip(*inside, strict=True)
        assert span.bounds == (min(starts), max(ends), min(work_starts), max(work_ends))


@given(st.lists(PLACES, min_size=1, max_size=6), st.lists(PLACES, min_size=1, max_size=6), st.booleans())
def test_more_blocks_change_the_explanation_where_the_chosen_ones_are_others(
    places: list[tuple[int, int, int]], more_places: list[tuple[int, int, int]], inside: bool
) -> None:
    if inside:  # of what is explained already
        more_places = [(start + 1, work_start + 1, length - 1) for start, work_start, length in places]
    blocks, more = blocks_at(*places), blocks_at(*more_places)
    info = cumulative_information(np.zeros(LETTERS, np.uint8))
    chosen, beside = (
        select_explaining(some, block_weights(some, info), info, info).tolist()
        for some in (blocks, concatenate_blocks(blocks, more))
    )
    assert has_same_explanation(blocks, more, info, info) is (chosen == beside)


@given(st.lists(st.tuples(st.integers(0, 60), st.booleans()), max_size=60))
def test_silent_letters_carry_nothing_and_the_others_what_they_carried(letters: list[tuple[int, bool]]) -> None:
    info = cumulative_information(np.array([code for code, _ in letters], np.uint8))
    silent = np.array([is_silent for _, is_silent in letters], np.bool_)
    expected = np.concatenate(([0.0], np.cumsum(np.where(silent, 0.0, np.diff(info)))))
    assert silence_initials(info, silent).tolist() == expected.tolist()
