"""Passages between which a page shortens a work are one in the end, and nothing is counted that was not copied."""

from fingerprinter.initials.to_initials import to_initials
from matcher.alignment.aligned_span import Side, copied_length
from matcher.attribution.align_pair import Comparison, align_pair
from matcher.attribution.resolve_sources import resolve_sources

FIRST = (
    "船队离开石矶渡口的时候天色还没有亮，掌舵的老人把烟斗在船舷上磕了三下，吩咐后面的几条船把灯笼熄掉，免得惊动对岸守夜的巡丁，"
    "又叫小徒弟把缆绳浸湿了再收起来。"
)
LEFT_OUT = "原来前些日子官府刚换了盐课司的主事，新来的这位姓柳，据说是个不肯收礼的硬骨头，过往船只一律要开舱查验。"
PUT_IN = "众人都不作声，只有风声从舱板缝里灌进来。"
SECOND = (
    "等到日头升上芦苇荡的时候，他们已经绕过了双塔湾，岸上的人家刚刚生火做饭，炊烟贴着水面飘过来，老人这才重新点上烟，"
    "慢慢讲起三十年前他头一回走这条水路的事情。"
)
OTHER = "集市上今天格外热闹，卖布的和卖糖的挤在一处，谁也听不清谁在吆喝什么，只有铁匠铺里的锤声一下一下传得很远。"
WORK = FIRST + LEFT_OUT + SECOND


def compared(page: str, work: str = WORK) -> Comparison:
    found = align_pair(page, to_initials(page), work, to_initials(work))
    assert found
    [resolved] = resolve_sources([found])
    assert resolved.accuse
    return resolved


def test_what_a_page_shortens_is_one_passage_with_a_gap_on_either_side() -> None:
    page = OTHER + FIRST + PUT_IN + SECOND + OTHER
    comparison = compared(page)
    assert len(comparison.found) == 2
    [passage] = comparison.passages
    assert page[passage.page_start : passage.page_end] == FIRST + PUT_IN + SECOND
    assert WORK[passage.work_start : passage.work_end] == WORK
    before, behind = (each.passage for each in comparison.found)
    assert passage.page_gaps == ((before.page_end, behind.page_start),)
    assert passage.work_gaps == ((before.work_end, behind.work_start),)
    for side in Side:
        assert copied_length([passage], side) == copied_length([before, behind], side)
    assert 0.6 < passage.similarity < min(before.similarity, behind.similarity)
    [aligned] = comparison.aligned
    assert aligned.agreeing == sum(each.agreeing for each in comparison.found)


def test_passages_in_another_order_or_far_apart_stay_as_they_are() -> None:
    assert len(compared(SECOND + PUT_IN + FIRST).passages) == 2
    assert len(compared(FIRST + PUT_IN + SECOND, FIRST + LEFT_OUT + OTHER + SECOND).passages) == 2
    assert len(compared(FIRST + OTHER + PUT_IN + SECOND).passages) == 2
