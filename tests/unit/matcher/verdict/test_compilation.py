"""A sentence is a quotation; a page made of the sentences of many works is a matter for a person."""

from fingerprinter.initials.to_initials import to_initials
from matcher.attribution.align_pair import Comparison, align_pair
from matcher.attribution.resolve_sources import MIN_COMPILED_WORKS, resolve_sources
from matcher.model import Level
from tests.support.sample_works import words

SENTENCES = [words(200 + number, 36) + "。" for number in range(2 * MIN_COMPILED_WORKS)]


def settled(page: str, works: list[str]) -> list[Comparison]:
    letters = to_initials(page)
    compared = [align_pair(page, letters, work, to_initials(work)) for work in works]
    return resolve_sources([one for one in compared if one])


def library(count: int) -> list[str]:
    return [words(300 + number, 400) + SENTENCES[number] + words(400 + number, 400) for number in range(count)]


def test_sentences_of_many_works_open_one_case_that_says_so() -> None:
    page = "".join(words(500 + n, 20) + "。" + sentence for n, sentence in enumerate(SENTENCES[:MIN_COMPILED_WORKS]))
    found = settled(page, library(MIN_COMPILED_WORKS))
    assert [one.accuse for one in found].count(True) == 1
    assert all(f"compilation:{MIN_COMPILED_WORKS}" in one.verdict.reasons for one in found)
    assert {one.verdict.level for one in found} == {Level.QUOTATION}


def test_sentences_of_a_few_works_are_quotations() -> None:
    page = "".join(
        words(500 + n, 20) + "。" + sentence for n, sentence in enumerate(SENTENCES[: MIN_COMPILED_WORKS - 1])
    )
    assert not any(one.accuse for one in settled(page, library(MIN_COMPILED_WORKS - 1)))


def test_a_saying_that_several_works_have_makes_no_compilation() -> None:
    saying = words(999, 36) + "。"
    works = [words(300 + number, 400) + saying + words(400 + number, 400) for number in range(2 * MIN_COMPILED_WORKS)]
    assert not any(one.accuse for one in settled(words(1, 60) + "。" + saying, works))
