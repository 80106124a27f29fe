"""The pages that the chain is timed on, and the loop that it is held against."""

from benchmarks.corpora import PAGE_SEED, generate_pages
from benchmarks.generator.writer import Writer
from benchmarks.pipeline_baselines import InMemoryLoop


def test_the_pages_are_the_same_in_every_run_and_one_of_ten_is_found_to_copy() -> None:
    pages = list(generate_pages(20, works=30))
    assert pages == list(generate_pages(20, works=30))
    assert pages[10:] == list(generate_pages(10, works=30, first=10))
    assert len({page.url for page in pages}) == 20
    assert InMemoryLoop.over(list(Writer(PAGE_SEED).works(30))).cases(pages) >= 2
