"""The pages that the chain is timed on, and the loop that it is held against."""

from lab.bench.chain.loop import Loop
from lab.bench.chain.pages import SEED, chain_pages
from lab.bench.generator import Writer


def test_the_pages_are_the_same_in_every_run_and_one_of_ten_is_found_to_copy() -> None:
    pages = list(chain_pages(20, works=30))
    assert pages == list(chain_pages(20, works=30))
    assert pages[10:] == list(chain_pages(10, works=30, first=10))
    assert len({page.url for page in pages}) == 20
    assert Loop.over(list(Writer(SEED).works(30))).cases(pages) >= 2
