"""The runs inside passages lie where the passages do, on both sides, and leave nothing of them out."""

from dashboard.changes import typed, whole
from store.records import Change, Passage

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
    sides = typed(PAGE, WORK, [(4, one)])
    assert "".join(PAGE[span.start : span.end] for span in sides.page) == PAGE[one.page_start : one.page_end]
    assert "".join(WORK[span.start : span.end] for span in sides.work) == WORK[one.work_start : one.work_end]
    assert {span.passage for side in sides for span in side} == {4}
    assert {(span.kind, PAGE[span.start : span.end]) for span in sides.page if span.kind != "same"} == {
        ("variant", "樹"),
        ("deleted", ""),
        ("inserted", "长"),
    }


def test_a_passage_outside_its_text_keeps_a_place_on_both_sides() -> None:
    sides = typed(PAGE, WORK, [(1, passage((500, 600), (700, 800)))])
    assert [len(side) for side in sides] == [1, 1]


def test_without_one_of_the_texts_nothing_is_said_to_be_changed() -> None:
    sides = whole([(1, passage((3, 9), (4, 8)))])
    assert [(span.start, span.end, span.kind) for side in sides for span in side] == [(3, 9, ""), (4, 8, "")]
