"""The one rule by which a case opens, asked without a library."""

from fingerprinter.initials.to_initials import to_initials
from matcher.attribution.align_pair import Comparison, align_pair
from tests.support.sample_works import words
from wenhen.cases.opening_rule import is_accusing_alone, judge_comparisons

WORK = (
    "修表的老沈把铺子从巷口挪到巷尾那年，门口的梧桐刚被锯掉一半。他在剩下的树干上钉了一块铁皮，写着修表配钥匙，"
    "字是用螺丝刀刻的，雨后泛着锈红，倒比原先的招牌好认。"
)
OTHER = (
    "盐场的风车一共有九架，最北边那架转得最慢。看场的人说它不是旧，是离海太近，叶片上的盐结得厚，得等一场大雨才转得动。"
    "可是那年秋天一直没有下雨，九架风车里有三架停着。"
)


def compared(page: str, work: str) -> Comparison:
    found = align_pair(page, to_initials(page), work, to_initials(work))
    assert found is not None
    return found


def test_a_copy_accuses_from_the_least_probability_on() -> None:
    found = compared(OTHER + WORK + OTHER, WORK)
    score = found.verdict.score
    for least, accuses in ((score, True), (min(1.0, score + 1e-9), False)):
        [judged] = judge_comparisons([found], least)
        assert (judged.accuses, judged.comparison.verdict) == (accuses, found.verdict)


def test_a_quotation_accuses_nobody_however_little_is_asked() -> None:
    found = compared(OTHER + WORK[:30] + OTHER, WORK)
    assert judge_comparisons([found], 0.0) == [(found, False)]


def test_what_many_works_share_accuses_none_of_them_and_would_accuse_alone() -> None:
    found = [compared(words(100, 300) + WORK, words(number, 300) + WORK) for number in range(9)]
    assert all(is_accusing_alone(one, 0.2) for one in found)
    assert not any(one.accuses for one in judge_comparisons(found, 0.2))


def test_nothing_accuses_where_nothing_is_shared() -> None:
    assert judge_comparisons([], 0.2) == []
    assert not is_accusing_alone(None, 0.0)
    assert is_accusing_alone(compared(WORK, WORK), 0.2)
