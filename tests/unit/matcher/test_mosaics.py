"""Pages put together from several texts: what is called copied was copied, and each source is named for its own."""

from functools import cache

from hypothesis import example, given, settings
from hypothesis import strategies as st

from benchmarks.generator.writer import Writer
from fingerprinter.initials.to_initials import to_initials
from matcher.alignment.aligned_span import Side, copied_spans
from matcher.attribution.align_pair import Comparison, align_pair
from matcher.attribution.resolve_sources import resolve_sources

EDGE = 6  # characters that may agree by chance where two texts meet
PIECES = st.lists(st.integers(100, 700), min_size=2, max_size=9)


@cache
def texts() -> list[str]:
    return [one.text for one in Writer(31, length=7000).works(3)]


def compared(page: str, work: str) -> Comparison:
    found = align_pair(page, to_initials(page), work, to_initials(work))
    assert found is not None
    return found


def called_copied(found: Comparison, side: Side) -> set[int]:
    """The characters of one text that are: those of passages, without what lies in their gaps."""
    spans = [span for one in found.passages for span in copied_spans(one, side)]
    return {place for start, end in spans for place in range(start, end)}


def pieces(text: str, lengths: list[int]) -> list[str]:
    starts = [sum(lengths[:number]) for number in range(len(lengths))]
    return [text[start : start + length] for start, length in zip(starts, lengths, strict=True)]


@settings(max_examples=20, deadline=None)
@given(PIECES)
def test_of_a_page_of_which_every_other_stretch_was_copied_these_alone_are_marked(lengths: list[int]) -> None:
    work, other, _ = texts()
    both = zip(pieces(work, lengths), pieces(other, lengths), strict=True)
    parts = [pair[number % 2] for number, pair in enumerate(both)]
    page = "".join(parts)
    true = {place for number in range(0, len(parts), 2) for place in spread(parts, number)}
    marked = called_copied(compared(page, work), Side.PAGE)
    assert len(true ^ marked) <= EDGE * len(parts)


@settings(max_examples=20, deadline=None)
@given(PIECES)
@example([100, 100, 100, 100, 110, 700, 700, 113, 100])  # of which one piece ends with a sentence on both sides
def test_what_a_copy_leaves_out_of_the_work_is_not_called_copied(lengths: list[int]) -> None:
    work = texts()[0]
    parts = pieces(work, lengths)
    true = {place for number in range(0, len(parts), 2) for place in spread(parts, number)}
    page = "".join(parts[::2])
    marked = called_copied(compared(page, work), Side.WORK)
    assert len(true ^ marked) <= EDGE * len(parts)


@settings(max_examples=20, deadline=None)
@given(st.integers(120, 700), st.integers(300, 6000))
def test_a_piece_of_another_work_in_the_midst_of_a_copy_is_named(length: int, at: int) -> None:
    around, inside, _ = texts()
    page = around[:at] + inside[1000 : 1000 + length] + around[at:]
    both = [compared(page, around), compared(page, inside)]
    assert [one.accuse for one in resolve_sources(both)] == [True, True]
    spans = [(one.page_start, one.page_end) for one in both[1].passages]
    assert sum(end - start for start, end in spans) >= length - EDGE
    assert all(end <= at + EDGE or start >= at + length - EDGE for start, end in marked(both[0]))


def spread(parts: list[str], number: int) -> range:
    """Where a part stands in all of them together."""
    start = sum(map(len, parts[:number]))
    return range(start, start + len(parts[number]))


def marked(comparison: Comparison) -> list[tuple[int, int]]:
    return [(one.page_start, one.page_end) for one in comparison.passages]
