"""The runs inside passages lie where the passages do, on both sides, and leave nothing of them out."""

from itertools import pairwise

from dashboard.cases.text_pieces import MEETING_INTERVAL_CHARACTERS, edit_spans, passage_spans
from matcher.model import Change, Passage

WORK = "前言。河堤上的槐树开花的时候，修船的老人就把木凳搬到门外。后记。"
PAGE = "转载：河堤上的槐樹开花的时候，老人就把长木凳搬到门外。完"


def passage(page: tuple[int, int], work: tuple[int, int]) -> Passage:
    return Passage(
        page_start=page[0],
        page_end=page[1],
        work_start=work[0],
        work_end=work[1],
        similarity=0.9,
        change=Change.LIGHT,
    )


def test_the_runs_of_a_passage_cover_it_on_both_sides() -> None:
    one = passage((3, len(PAGE) - 1), (3, len(WORK) - 3))
    sides = edit_spans(PAGE, WORK, [(4, one)])
    assert "".join(PAGE[span.start : span.end] for span in sides.page) == PAGE[one.page_start : one.page_end]
    assert "".join(WORK[span.start : span.end] for span in sides.work) == WORK[one.work_start : one.work_end]
    assert {span.passage for side in sides for span in side} == {4}
    assert {(span.kind, PAGE[span.start : span.end]) for span in sides.page if span.kind != "same"} == {
        ("variant", "樹"),
        ("deleted", ""),
        ("inserted", "长"),
    }


def test_a_passage_outside_its_text_keeps_a_place_on_both_sides() -> None:
    sides = edit_spans(PAGE, WORK, [(1, passage((500, 600), (700, 800)))])
    assert [len(side) for side in sides] == [1, 1]


def test_without_one_of_the_texts_nothing_is_said_to_be_changed() -> None:
    sides = passage_spans([(1, passage((3, 9), (4, 8)))])
    assert [(span.start, span.end, span.kind) for side in sides for span in side] == [(3, 9, ""), (4, 8, "")]


def test_inside_a_long_passage_both_texts_meet_again_and_again_at_the_same_words() -> None:
    lines = [f"第{n}夜，潮水退到第{n * 7}块石头，他把网补了一遍。\n" for n in range(200)]
    work = "".join(lines)
    page = "".join(line for n, line in enumerate(lines) if n % 9)  # a page that leaves lines out
    sides = edit_spans(page, work, [(1, passage((0, len(page)), (0, len(work))))])
    on_page = {span.meet: span for span in sides.page if span.meet is not None}
    on_work = {span.meet: span for span in sides.work if span.meet is not None}
    assert on_page.keys() == on_work.keys()
    assert len(on_page) > len(page) / MEETING_INTERVAL_CHARACTERS / 2
    for meet, span in on_page.items():
        partner = on_work[meet]
        assert page[span.start : span.end] == work[partner.start : partner.end]
    starts = [0, *sorted(span.start for span in on_page.values())]
    assert max(b - a for a, b in pairwise(starts)) < 2 * MEETING_INTERVAL_CHARACTERS


def test_what_was_copied_without_a_change_meets_as_often() -> None:
    text = "".join(f"第{n}夜，潮水退到第{n * 7}块石头。" for n in range(200))
    sides = edit_spans(text, text, [(1, passage((0, len(text)), (0, len(text))))])
    assert (
        [span.start for span in sides.page]
        == [span.start for span in sides.work]
        == list(range(0, len(text), MEETING_INTERVAL_CHARACTERS))
    )
    assert [span.meet for span in sides.page] == [None, *range(1, len(sides.page))]
