"""A page that says where a passage comes from is told from one that does not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matcher.attribution.stock_text import attribution_reasons, is_attributed, is_quoted
from matcher.model import Change, Passage

COPIED = "渡口的灯亮到后半夜，老艄公才把船拴好，他说这条河年轻的时候脾气坏，一夜之间就能改道。"


def within(before: str, after: str) -> tuple[str, Passage]:
    page = f"{before}{COPIED}{after}"
    end = len(before) + len(COPIED)
    return page, Passage(
        page_start=len(before), page_end=end, work_start=0, work_end=len(COPIED), similarity=1.0, change=Change.VERBATIM
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("来源：江声在线\n", ""),
        ("本文摘自《渡口灯》。\n", ""),
        ("据江声在线报道，", ""),
        ("阿岸写道：“", "”"),
        ("", "\n（轉載自江聲在線）"),
        ("小时候读过《夜渡》里的一段：", ""),
        ("阿岸的散文里有这样一段，", ""),
    ],
)
def test_a_source_named_beside_a_passage_is_recognised(before: str, after: str) -> None:
    page, passage = within(before, after)
    assert is_attributed(page, passage, title="夜渡", author="阿岸")


@pytest.mark.parametrize(("before", "after"), [("", ""), ("今天天气很好。", "大家都这么说。"), ("散文集里，", "")])
def test_a_passage_without_a_source_is_not(before: str, after: str) -> None:
    page, passage = within(before, after)
    assert not is_attributed(page, passage, title="夜渡", author="阿岸")
    assert attribution_reasons(page, [passage], title="夜渡", author=None) == ()


def test_a_source_far_away_is_none_of_this_passage() -> None:
    page, passage = within("来源：江声在线。" + "闲话" * 60, "")
    assert not is_attributed(page, passage, title="夜渡", author=None)


def test_quotation_marks_count_where_both_stand() -> None:
    assert is_quoted(*within("他写道：“", "”"))
    assert not is_quoted(*within("他写道：“", ""))
    page, passage = within("摘自《夜渡》：「", "」")
    assert attribution_reasons(page, [passage, passage], title="夜渡", author=None) == ("attributed:2", "quoted:2")


@given(st.text(), st.text(), st.text(), st.one_of(st.none(), st.text()))
def test_no_text_breaks_it(before: str, after: str, title: str, author: str | None) -> None:
    page, passage = within(before, after)
    attribution_reasons(page, [passage], title=title, author=author)
