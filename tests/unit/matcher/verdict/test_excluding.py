"""What people exclude is taken off wherever it stands, and every figure of the match follows."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerprinter.initials.to_initials import to_initials
from matcher.alignment.aligned_span import Side, copied_spans, count_characters
from matcher.attribution.apply_exclusions import ReadText, exclude_all, exclude_text, find_excluded, is_still_copy
from matcher.attribution.calibration import MEASURED_CALIBRATION
from matcher.model import Change, Match, Passage
from tests.support.samples import match

LINES = [
    "清早，渡船还没有解开缆绳，卖藕的人已经在岸边坐了很久。",
    "他把藕一节一节洗净，摆成长短不齐的一排，像等人来点名。",
    "本文采用知识共享许可协议发布，转载时须保留作者姓名与原文链接。",
    "船夫问他为什么不去集市，他说集市上的人只看价钱，不看藕。",
    "雾散的时候，他的篮子空了一半，没有人记得是谁买走的。",
]
LICENCE = LINES[2]
WORK = "\n".join(LINES)
PAGE = "首页 > 散文\n" + WORK + "\n打印本页"
START = PAGE.index(LINES[0])


def read(text: str) -> ReadText:
    return ReadText(text, to_initials(text))


def codes(text: str) -> bytes:
    return to_initials(text).codes.tobytes()


def whole_match(page: str = PAGE, start: int = START, **values: object) -> Match:
    """The page copies the work from this place on, in one passage."""
    one = Passage(
        page_start=start,
        page_end=start + len(WORK),
        work_start=0,
        work_end=len(WORK),
        similarity=1.0,
        change=Change.VERBATIM,
        same_characters=1.0,
    )
    reasons = ("share_of_page:0.9", "share_of_work:1.0", "passages:1", "common:0.12", "quoted:1")
    share = len(WORK) / len(page)
    shares = {"share_of_page": share, "share_of_work": 1.0, "same_characters": 1.0}
    return replace(match(passages=(one,), reasons=reasons, **shares), **values)  # type: ignore[arg-type]  # named by the test


def left_of(excluded: str, page: str = PAGE, found: Match | None = None) -> Match:
    return exclude_text(found or whole_match(page), [codes(excluded)], read(page), read(WORK), MEASURED_CALIBRATION)


def copied_text(found: Match, text: str, side: Side) -> str:
    return "".join(text[start:end] for one in found.passages for start, end in copied_spans(one, side))


def test_a_passage_is_cut_where_excluded_text_stands_in_it_and_the_figures_follow() -> None:
    before, after = whole_match(), left_of(LICENCE)
    assert len(after.passages) == 2
    for text, side in ((PAGE, Side.PAGE), (WORK, Side.WORK)):
        kept = copied_text(after, text, side)
        assert LICENCE[:-1] not in kept
        assert all(line[:-1] in kept for line in LINES if line != LICENCE)
    assert after.share_of_page == pytest.approx(
        count_characters(copied_text(after, PAGE, Side.PAGE)) / count_characters(PAGE)
    )
    assert after.weight < before.weight
    assert after.score == MEASURED_CALIBRATION.probability(after.weight)
    told = dict(reason.split(":") for reason in after.reasons)
    assert float(told["share_of_page"]) == after.share_of_page
    assert (told["passages"], told["common"]) == ("2", "0.12")
    assert float(told["excluded"]) == pytest.approx(1 - after.weight / before.weight)
    assert "quoted" not in told, "it was counted among passages that are no more"


def test_it_is_known_in_other_characters_and_with_other_punctuation() -> None:
    disguised = LICENCE.replace("，", " ").replace("知识", "智識").replace("须", "須")
    page = PAGE.replace(LICENCE, disguised)
    after = left_of(LICENCE, page, whole_match(page))
    assert disguised[:8] not in copied_text(after, page, Side.PAGE)


def test_it_is_left_out_where_the_page_changed_it_but_the_work_has_it() -> None:
    page = PAGE.replace("知识共享许可协议", "开放许可的条款")
    start = page.index(LINES[0])
    one = replace(whole_match(page, start).passages[0], page_end=page.index("\n打印本页"))
    after = left_of(LICENCE, page, whole_match(page, start, passages=(one,)))
    assert "转载时须保留作者" not in copied_text(after, page, Side.PAGE)


def test_text_that_stands_nowhere_changes_nothing() -> None:
    before = whole_match()
    assert left_of("河对岸的灯一盏一盏亮起来") is not before
    assert left_of("河对岸的灯一盏一盏亮起来", found=before) is before


def test_excluding_all_of_it_leaves_nothing_that_copies() -> None:
    for after in (left_of(WORK), exclude_all(whole_match(), MEASURED_CALIBRATION)):
        assert (after.passages, after.share_of_page, after.share_of_work, after.weight) == ((), 0.0, 0.0, 0.0)
        assert after.reasons == ("excluded:1.0",)
        assert not is_still_copy(after)
    assert is_still_copy(whole_match())


def test_what_is_left_of_a_quotation_is_none() -> None:
    rest = left_of("".join(LINES[:4]))
    assert len(rest.passages) == 1
    assert not is_still_copy(replace(rest, weight=20.0))


def test_every_place_of_a_text_is_found() -> None:
    text = f"甲{LICENCE}乙{LICENCE}"
    found = find_excluded(codes(LICENCE), to_initials(text))
    assert [text[start:end] for start, end in found] == [LICENCE[:-1]] * 2
    assert find_excluded(b"", to_initials(text)) == []


@given(st.integers(0, len(WORK) - 1), st.integers(8, 60))
def test_nothing_excluded_stays_and_nothing_else_goes_but_shreds(start: int, length: int) -> None:
    block = WORK[start : start + length]
    after = left_of(block)
    gone = find_excluded(codes(block), to_initials(PAGE))
    left = [span for one in after.passages for span in copied_spans(one, Side.PAGE)]
    assert not any(begin < last and first < end for first, last in left for begin, end in gone)
    taken = sum(end - begin for begin, end in gone)
    assert sum(end - begin for begin, end in left) >= len(WORK) - taken - 2 * 8 * (len(gone) + 1)
    assert after.share_of_page <= whole_match().share_of_page + 1e-9
