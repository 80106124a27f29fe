"""The one rule by which a case opens, asked without a library."""

from fingerprinter.normalize.read_letters import read_letters
from matcher.compare import Comparison, compare
from pipeline.matching.when_a_case_opens import accuses_alone, judged
from tests.support.sample_works import words

WORK = (
    "修表的老沈把铺子从巷口挪到巷尾那年，门口的梧桐刚被锯掉一半。他在剩下的树干上钉了一块铁皮，写着修表配钥匙，"
    "字是用螺丝刀刻的，雨后泛着锈红，倒比原先的招牌好认。"
)
OTHER = (
    "盐场的风车一共有九架，最北边那架转得最慢。看场的人说它不是旧，是离海太近，叶片上的盐结得厚，得等一场大雨才转得动。"
    "可是那年秋天一直没有下雨，九架风车里有三架停着。"
)


def compared(page: str, work: str) -> Comparison:
    found = compare(page, read_letters(page), work, read_letters(work))
    assert found is not None
    return found


def test_a_copy_accuses_from_the_least_probability_on() -> None:
    found = compared(OTHER + WORK + OTHER, WORK)
    score = found.verdict.score
    assert judged([found], score) == [(found, True)]
    assert judged([found], min(1.0, score + 1e-9)) == [(found, False)]


def test_a_quotation_accuses_nobody_however_little_is_asked() -> None:
    found = compared(OTHER + WORK[:30] + OTHER, WORK)
    assert judged([found], 0.0) == [(found, False)]


def test_what_many_works_share_accuses_none_of_them_and_would_accuse_alone() -> None:
    found = [compared(words(100, 300) + WORK, words(number, 300) + WORK) for number in range(9)]
    assert all(accuses_alone(one, 0.2) for one in found)
    assert not any(one.accuses for one in judged(found, 0.2))


def test_nothing_accuses_where_nothing_is_shared() -> None:
    assert judged([], 0.2) == []
    assert not accuses_alone(None, 0.0)
    assert accuses_alone(compared(WORK, WORK), 0.2)
