"""What a common text explains as well as the work does accuses nobody; what the work has beyond it remains."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fingerprinter.initials.to_initials import to_initials
from matcher.attribution.align_pair import Comparison, align_pair
from matcher.attribution.explained_text import own_stretches
from matcher.attribution.resolve_sources import resolve_sources
from tests.support.way import made_text

LINES = [made_text(f"line {number}", 40).replace("\n", "") for number in range(6)]
NOTES = [made_text(f"note {number}", 60).replace("\n", "") for number in range(6)]
CLASSIC = "\n".join(LINES)
COMMENTARY = "\n".join(line + note for line, note in zip(LINES, NOTES, strict=True))


def compared(page: str, work: str) -> Comparison:
    comparison = align_pair(page, to_initials(page), work, to_initials(work))
    assert comparison
    return comparison


def judged(page: str, work: str, *common: str) -> Comparison:
    """The comparison of a page with a work beside these common texts."""
    texts = [compared(page, text) for text in common]
    [comparison] = resolve_sources([compared(page, work)], common_texts=texts)
    return comparison


def test_a_page_that_shares_the_quoted_lines_alone_accuses_nobody() -> None:
    page = "\n".join(line + made_text(f"own {line[:3]}", 60).replace("\n", "") for line in LINES)
    assert judged(page, COMMENTARY).accuse, "without the common text it would"
    comparison = judged(page, COMMENTARY, CLASSIC)
    assert not comparison.accuse
    explained = "".join(page[passage.page_start : passage.page_end] for passage, _ in comparison.explained)
    assert all(line[3:-3] in explained for line in LINES)


def test_the_commentary_between_the_lines_is_judged_by_itself_and_the_lines_count_for_no_share() -> None:
    comparison = judged(COMMENTARY, COMMENTARY, CLASSIC)
    assert comparison.accuse
    copied = "".join(COMMENTARY[one.page_start : one.page_end] for one in comparison.passages)
    assert all(note[3:-3] in copied for note in NOTES)
    assert not any(line[:5] in copied or line[-5:] in copied for line in LINES)
    notes = sum(map(len, NOTES)) / len(COMMENTARY)
    assert abs(comparison.verdict.share_of_page - notes) < 0.05
    assert comparison.verdict.weight < compared(COMMENTARY, COMMENTARY).verdict.weight


def test_what_several_common_texts_explain_is_told_of_each() -> None:
    comparison = judged(COMMENTARY, CLASSIC, "\n".join(LINES[:3]), "\n".join(LINES[3:]))
    assert not comparison.accuse
    assert {number for _, number in comparison.explained} == {0, 1}


def test_a_work_whose_wording_the_page_follows_remains_the_source() -> None:
    """The page has all of the work's words, the common text every other clause of them."""
    clauses = [made_text(f"clause {number}", 12).replace("\n", "") for number in range(40)]
    work = "".join(clauses)
    common = "".join(
        clause if number % 3 == 0 else made_text(f"else {number}", 12) for number, clause in enumerate(clauses)
    )
    comparison = judged(work, work, common, common)
    assert comparison.accuse
    assert comparison.verdict.share_of_page > 0.6


def test_a_common_text_that_shares_nothing_changes_nothing() -> None:
    page = COMMENTARY + made_text("page")
    other = "".join(reversed(LINES[0])) + page[-30:] + made_text("other")
    alone = judged(page, COMMENTARY)
    beside = judged(page, COMMENTARY, other)
    assert (beside.aligned, beside.verdict, beside.explained) == (alone.aligned, alone.verdict, ())


@given(st.lists(st.booleans(), max_size=40))
def test_stretches_are_apart_begin_and_end_with_own_initials_and_hold_more_of_them(explained: list[bool]) -> None:
    stretches = own_stretches(np.array(explained, bool))
    assert all(end < begin for (_, end), (begin, _) in pairwise(stretches))
    for begin, end in stretches:
        assert not explained[begin]
        assert not explained[end - 1]
        assert explained[begin:end].count(True) < explained[begin:end].count(False)
    own = {place for place, is_explained in enumerate(explained) if not is_explained}
    assert own <= {place for begin, end in stretches for place in range(begin, end)}
