"""Forms that were filled in anew: the same words, other figures."""

import pytest

from fingerprinter.initials.to_initials import to_initials
from matcher.alignment.local_alignment import align_texts
from matcher.attribution.common_language import is_same_form

CONTRACT = (
    "甲方将自有的仓库一处租给乙方存放农具，仓库面积{}平方米，租金每月{}元，押金{}元，自{}年{}月{}日起算，"
    "乙方应当在每月{}日以前付清当月租金，逾期付清的每日加收租金的百分之三。租期届满乙方应当腾空仓库并交还钥匙，"
    "门窗墙壁有损坏的照价赔偿，双方对此没有异议，签字以后各执一份，其余未尽之事由双方商量着办。"
)
FILLED = CONTRACT.format(120, 850, 1700, 2021, 3, 15, 5)


def same_form(page: str, work: str) -> bool:
    letters, others = to_initials(page), to_initials(work)
    return any(is_same_form(page, letters, work, others, one) for one in align_texts(page, letters, work, others))


def test_the_same_words_with_other_figures_are_a_form() -> None:
    assert same_form(CONTRACT.format(64, 430, 900, 2019, 11, 2, 28), FILLED)


@pytest.mark.parametrize(
    "copy",
    [
        FILLED,
        FILLED.replace("850", "580"),
        FILLED.translate(str.maketrans("0123456789", "０１２３４５６７８９")),
        FILLED.replace("百分之三", "佰分之叁").replace("一", "壹"),
        FILLED.replace("平方米", "平方公尺").replace("乙方", "承租人"),
        "广告：24小时内联系我们，热线400。" + FILLED + "更多内容见第12页，共36页。",
    ],
)
def test_a_copy_keeps_its_figures(copy: str) -> None:
    assert not same_form(copy, FILLED)


def test_marks_that_cut_the_figures_of_a_copy_change_none() -> None:
    work = (
        "他和四位同事一共叫醒了六千三百份种子，送下田的有四百一十二份，育种组又调出两百多份老品种，"
        "登记卡上写着一九八四年采自山坡上的七户人家，那一袋一共只剩一百九十粒，每年再种二十三粒。"
    )
    page = "".join(f"{character}，" if place % 2 else character for place, character in enumerate(work))
    assert not same_form(page, work)


def test_articles_that_are_numbered_anew_are_no_form() -> None:
    clauses = CONTRACT.format(120, 850, 1700, 2021, 3, 15, 5).split("，")
    one = "，".join(f"第{10 + n}条{clause}" for n, clause in enumerate(clauses))
    other = "，".join(f"第{40 + n}条{clause}" for n, clause in enumerate(clauses))
    assert not same_form(one, other)


def test_a_sentence_in_which_only_the_page_has_figures_is_one_of_a_form() -> None:
    work = "凡是持有同一张尚未过期的车票在指定时间内换乘以下线路或者由以下线路换乘本线的旅客，可以享受车资的折扣优惠。"
    page = (
        "凡是持有同一张尚未过期的车票在150分钟内换乘以下线路或者由以下线路换乘本线的旅客，可以享受4.2元车资的折扣优惠。"
    )
    assert same_form(page, work)
    assert not same_form(work, work)


def test_one_figure_that_is_put_in_again_and_again_fills_no_blank() -> None:
    work = "凡是持有同一张尚未过期的车票在指定时间内换乘以下线路或者由以下线路换乘本线的旅客，可以享受车资的折扣优惠。"
    assert not same_form(work.replace("换乘", "233333换乘").replace("旅客", "233333旅客"), work)
    assert same_form(work.replace("指定时间", "150分钟").replace("旅客", "2333名旅客"), work)
