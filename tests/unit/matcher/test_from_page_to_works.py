"""The whole pure way: from a page to the works that it copies."""

import pytest

from fingerprinter.features.index_features import extract_features
from fingerprinter.features.model import Features
from fingerprinter.initials.to_initials import to_initials
from matcher.attribution.align_pair import align_pair
from matcher.attribution.resolve_sources import resolve_sources
from matcher.index.memory_and_file_index import MemoryIndex
from matcher.model import Level
from matcher.retrieval.candidates import find_candidates
from tests.support.sample_works import OTHER, WORKS


@pytest.fixture
def index() -> MemoryIndex:
    index = MemoryIndex()
    index.create(postings=100)
    index.publish()
    index.add(enumerate(extract_features(to_initials(work)) for work in WORKS))
    return index


@pytest.mark.parametrize("number", range(len(WORKS)))
def test_a_page_with_a_passage_leads_to_its_work(index: MemoryIndex, number: int) -> None:
    page = OTHER + WORKS[number][10:100] + OTHER
    letters = to_initials(page)
    ranked = find_candidates(letters, index, documents=len(WORKS))
    assert ranked[0].number == number
    comparison = align_pair(page, letters, WORKS[number], to_initials(WORKS[number]))
    assert comparison is not None
    assert comparison.accuse
    (passage,) = comparison.passages
    assert page[passage.page_start : passage.page_end] == WORKS[number][10:100]


def test_a_passage_written_backwards_is_found_and_never_called_untouched() -> None:
    work = "后来我们才知道，这些话他已经说过许多次了。但是没有人觉得奇怪，因为那时候什么都可能发生。" + WORKS[0]
    page = f"{OTHER}\n{work[::-1]}\n{OTHER}"
    comparison = align_pair(page, to_initials(page), work, to_initials(work))
    assert comparison is not None
    (passage,) = comparison.passages
    assert page[passage.page_start : passage.page_end].strip("。") == work[::-1].strip("。")
    assert comparison.verdict.level is Level.LIGHT
    assert comparison.verdict.longest_run == 1
    assert "out_of_order:1.0" in comparison.verdict.reasons


def test_a_page_that_copies_nothing_leads_nowhere(index: MemoryIndex) -> None:
    assert find_candidates(to_initials(OTHER), index, documents=len(WORKS)) == []


def test_an_empty_page_is_looked_up_and_compared_without_complaint(index: MemoryIndex) -> None:
    assert find_candidates(to_initials(""), index, documents=len(WORKS)) == []
    assert align_pair("", to_initials(""), WORKS[0], to_initials(WORKS[0])) is None


def test_an_index_without_documents_finds_nothing() -> None:
    index = MemoryIndex()
    index.create(postings=1)
    index.publish()
    assert isinstance(extract_features(to_initials(OTHER)), Features)
    assert find_candidates(to_initials(OTHER), index, documents=0) == []


def test_a_page_settles_all_its_works_together() -> None:
    page = "".join(WORKS)
    letters = to_initials(page)
    found = [align_pair(page, letters, work, to_initials(work)) for work in WORKS]
    assert [one.accuse for one in resolve_sources([one for one in found if one])] == [True, True, True]
