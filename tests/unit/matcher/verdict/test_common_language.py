"""Common language: customary wording agrees, and the facts differ."""

import pytest

from fingerprinter.initials.to_initials import to_initials
from matcher.attribution.align_pair import align_pair
from matcher.attribution.common_language import is_common_language

WORK = (
    "小站位于江苏省宜兴市西郊，建于1934年，离南京站182公里。站内设有两座侧式站台，站房面积1260平方米，"
    "主要办理旅客乘降和行李托运，日均停靠列车46列，日均发送旅客3570人。"
)
OTHER = (
    "小站位于湖北省随州市西郊，建于1957年，离武汉站209公里。站内设有两座侧式站台，站房面积4380平方米，"
    "主要办理旅客乘降和行李托运，日均停靠列车18列，日均发送旅客912人。"
)


def is_common(page: str, work: str = WORK) -> bool:
    mine, theirs = to_initials(page), to_initials(work)
    comparison = align_pair(page, mine, work, theirs)
    assert comparison is not None
    return all(is_common_language(page, mine, work, theirs, passage) for passage in comparison.found)


def test_other_facts_in_the_same_words_are_common_language() -> None:
    assert is_common(OTHER)


@pytest.mark.parametrize(
    ("said", "instead"),
    [("主要", "专门"), ("旅客", "乘客"), ("1260", "1280"), ("宜兴", "常熟"), ("两座", "二座")],
)
def test_a_copy_is_none_whatever_was_edited(said: str, instead: str) -> None:
    assert not is_common(WORK.replace(said, instead))


def test_a_copy_with_renamed_people_and_the_same_figures_is_none() -> None:
    work = WORK + "站长王建军说，今年客流比去年多了两成。"
    assert not is_common(work.replace("王建军", "李国庆").replace("宜兴", "溧阳"), work)


def test_a_copy_whose_only_figure_was_corrected_is_none() -> None:
    work = "站长说，今年的客流比去年多了45成，老街坊都愿意坐这趟慢车去赶集，车上卖的豆腐干也比城里的香。"
    assert not is_common(work.replace("45", "72"), work)


def test_a_text_without_facts_is_none() -> None:
    text = "门前的老槐树又落了一地碎花，扫街的人把它们拢成小小一堆，孩子捧起来撒向井台，说这是今年下的第一场雪。"
    assert not is_common(text.replace("碎花", "落英"), text)


def test_single_digits_and_terms_of_office_that_differ_are_other_facts() -> None:
    work = "追悼仪式将于8月1日上午7时在礼堂举行，他是第九届理事会的理事，生前最爱种花，为人正直，深受大家的爱戴。"
    other = "追悼仪式定于6月3日上午9时在礼堂举行，他是第四届理事会的理事，生前最爱钓鱼，为人正直，深受大家的爱戴。"
    assert is_common(other, work)


def test_long_names_of_bodies_that_agree_are_no_facts() -> None:
    work = "1987年5月调入，1994年10月任江苏省水利厅厅长，2003年6月任第十届全国人民代表大会财政经济委员会副主任委员。"
    other = "1979年5月调入，1991年10月任湖北省水利厅厅长，2008年6月任第十届全国人民代表大会财政经济委员会副主任委员。"
    assert is_common(other, work)
