"""A sentence is a quotation; a page made of the sentences of many works is a matter for a person."""

from fingerprinter.normalize.read_letters import read_letters
from matcher.compare import Comparison, compare
from matcher.settle import settle
from matcher.verdict.compilation import WORKS
from store.records import Level
from tests.support.sample_works import words

SENTENCES = [words(200 + number, 36) + "。" for number in range(2 * WORKS)]


def settled(page: str, works: list[str]) -> list[Comparison]:
    letters = read_letters(page)
    compared = [compare(page, letters, work, read_letters(work)) for work in works]
    return settle([one for one in compared if one])


def library(count: int) -> list[str]:
    return [words(300 + number, 400) + SENTENCES[number] + words(400 + number, 400) for number in range(count)]


def test_sentences_of_many_works_open_one_case_that_says_so() -> None:
    page = "".join(words(500 + n, 20) + "。" + sentence for n, sentence in enumerate(SENTENCES[:WORKS]))
    found = settled(page, library(WORKS))
    assert [one.accuse for one in found].count(True) == 1
    assert all(f"compilation:{WORKS}" in one.verdict.reasons for one in found)
    assert {one.verdict.level for one in found} == {Level.QUOTATION}


def test_sentences_of_a_few_works_are_quotations() -> None:
    page = "".join(words(500 + n, 20) + "。" + sentence for n, sentence in enumerate(SENTENCES[: WORKS - 1]))
    assert not any(one.accuse for one in settled(page, library(WORKS - 1)))


def test_a_saying_that_several_works_have_makes_no_compilation() -> None:
    saying = words(999, 36) + "。"
    works = [words(300 + number, 400) + saying + words(400 + number, 400) for number in range(2 * WORKS)]
    assert not any(one.accuse for one in settled(words(1, 60) + "。" + saying, works))
