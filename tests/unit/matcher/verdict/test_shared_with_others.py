"""What other works share accuses nobody: by letters that many have, by readings that the page does not inherit."""

import tracemalloc
from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fingerprinter.initials.to_initials import to_initials
from matcher.alignment.local_alignment import align_texts
from matcher.attribution.align_pair import Comparison, align_pair
from matcher.attribution.resolve_sources import resolve_sources
from matcher.attribution.text_of_several_works import LetterSharing, WorkPassages
from matcher.retrieval.ranking import StopFeatureShares
from tests.support.sample_works import words

FORMULA = (
    "申请人应当自收到通知之日起到原登记处所补正材料，逾期不补正的视为放弃，已经缴纳的费用不予退还，"
    "由登记处所退回全部原件并在登记簿上注明缘由。"
)
OWN = (
    "老闸口的水位尺换成了搪瓷的，白底蓝字，夜里用手电一照，连青苔爬到第几格都看得清清楚楚。",
    "修伞的师傅在廊檐下支起小炉子，竹骨一根一根烤软了再弯，弯好的挂成一排，像晾着的鱼。",
    "山顶的气象站只有两个人，一个记风，一个记云，到了封山的时候，他们就互相记对方说了几句话。",
    "磨坊的石碾歇了三年，今年春上又转起来，驴是借的，筛子是新的，豆面的味道还是从前那样。",
)


def judged(page: str, works: list[str], formulaic: float = 0.0, of_works: float = 0.2) -> list[bool]:
    """For each work whether the page is accused of copying it; shares of formulae in the page and in each work."""
    letters = to_initials(page)
    compared = [align_pair(page, letters, work, to_initials(work), thorough=True) for work in works]
    found = [one for one in compared if one is not None]
    formulae = StopFeatureShares(formulaic, lambda _: of_works)
    settled: dict[str, Comparison] = {one.pair.work_text: one for one in resolve_sources(found, formulae)}
    return [work in settled and settled[work].accuse for work in works]


def test_one_formula_in_ten_works_accuses_none_of_them_and_alone_it_would() -> None:
    works = [words(n, 300) + "。" + FORMULA + words(100 + n, 300) for n in range(10)]
    page = OWN[0] + FORMULA + OWN[1]
    assert judged(page, works) == [False] * 10
    assert judged(page, works[:1]) == [True]


def test_what_is_copied_beside_a_formula_is_weighed_by_itself() -> None:
    works = [words(n, 300) + "。" + FORMULA + words(100 + n, 300) for n in range(10)]
    works[3] = OWN[2] + OWN[3] + FORMULA + words(50, 300)
    page = OWN[0] + OWN[2] + OWN[3] + FORMULA + OWN[1]
    assert judged(page, works) == [number == 3 for number in range(10)]


def form(name: str, street: str, why: str, who: str) -> str:
    return (
        f"停水告示。各位住户：因{street}一带{why}，{name}营业所将暂停供水，请提前储水备用，并关好家中的水龙头，以免来水时漫溢。"
        f"恢复供水之初水质或有浑浊，放水片刻即可正常使用。如有疑问请联系{who}，给您带来的不便敬请谅解。"
    )


def test_a_form_filled_in_anew_accuses_neither_of_two_works_of_that_form() -> None:
    works = [
        form("城南", "槐树街与染坊巷", "更换老旧阀门", "值班员小顾"),
        form("河西", "钟楼前后", "抢修破裂的总管", "网格员大老郑"),
    ]
    assert judged(form("北关", "柳荫桥到粮市口", "接通新建泵房", "客服主任何女士"), works) == [False, False]
    assert judged(works[1], works) == [False, True]


def test_of_two_works_with_one_clause_the_page_owes_it_to_that_whose_few_words_it_has() -> None:
    clause = "逾期不来领取的，每日加收保管费{}元；三次催告仍无回音的，所存的{}由本店送往街口的{}，不再另行告知物主。"
    tailors, cobblers = clause.format("两", "衣料", "布市"), clause.format("五", "鞋楦", "货栈")
    works = [words(1, 300) + tailors + words(2, 300), words(3, 300) + cobblers + words(4, 300)]
    for number, copied in enumerate((tailors, cobblers)):
        assert judged(OWN[0] + copied + OWN[1], works) == [number == 0, number == 1]
        assert judged(OWN[0] + copied + OWN[1], works[1 - number :][:1]) == [True], "alone either may be the source"


def test_editions_of_one_text_are_no_formula() -> None:
    text = "".join(OWN) + words(1, 400)
    works = [text.replace("，", "、") if number % 2 else text for number in range(12)]
    assert judged(text, works) == [True] * 12


def test_on_a_page_of_formulae_the_likeness_of_a_sentence_says_nothing_and_a_whole_poem_does() -> None:
    sentence = OWN[0] + OWN[1][:14]
    work, page = words(5, 500) + sentence + words(6, 500), words(7, 300) + sentence + words(8, 300)
    assert judged(page, [work]) == [True]
    assert judged(page, [work], formulaic=0.2) == [False]
    assert judged(page, [sentence], formulaic=0.2) == [True]


def test_adverts_and_idioms_of_a_page_take_nothing_from_a_source_that_has_none() -> None:
    sentence = OWN[0] + OWN[1][:14]
    work, page = words(5, 500) + sentence + words(6, 500), words(7, 300) + sentence + words(8, 300)
    assert judged(page, [work], formulaic=0.03, of_works=0.005) == [True]


@given(st.integers(0, 5), st.integers(0, 3))
def test_the_own_share_falls_with_every_work_that_shares(others: int, seed: int) -> None:
    page = words(seed, 40) + FORMULA
    letters = to_initials(page)
    texts = [words(10 + n, 200) + FORMULA for n in range(others + 2)]
    works = [
        WorkPassages(align_texts(page, letters, text, to_initials(text)), to_initials(text).codes) for text in texts
    ]
    fewer, more = (LetterSharing(works[:count]).own_shares(0) for count in (others + 1, others + 2))
    assert all(0 <= share <= 1 for share in (*fewer, *more))
    assert np.mean(more) <= np.mean(fewer)
    compiled = LetterSharing(works).own_shares(0, compiled=True)
    assert np.mean(compiled) >= np.mean(more)


def test_a_book_of_millions_of_letters_takes_no_more_room_than_what_it_shares() -> None:
    page = OWN[0] + FORMULA + OWN[1]
    letters = to_initials(page)
    work = WorkPassages(align_texts(page, letters, FORMULA, to_initials(FORMULA)), to_initials(FORMULA).codes)
    far = [replace(one, agreed=one.agreed + np.array([9_000_000, 0], np.int32)) for one in work.aligned]
    tracemalloc.start()
    sharing = LetterSharing([replace(work, aligned=far)] * 300)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 2_000_000, "9 million letters times 300 works would be gigabytes"
    assert sharing.own_shares(0) == LetterSharing([work] * 300).own_shares(0)
