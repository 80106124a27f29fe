"""Two independent texts of one kind accuse nobody, on kinds of our own writing, of which the library holds two each."""

import random
from collections import Counter
from functools import cache

import pytest

from tests.support.quality.common_language import KINDS
from tests.support.quality.library import Library
from tests.support.quality.own import page_with
from wenhen.demo.articles import load_works

SEEDS = (2, 5)  # of libraries
PAGES = 20  # of each kind
# Share of the pages that are accused, at most. What is left has short phrases that both have and hardly any fact.
ACCUSED = 0.15
STORED_PAGES = 60  # other pages of each kind, each on a host of its own
ACCUSED_BESIDE_PAGES = 0.05  # share of the pages that are accused beside these, at most
FOUND = 0.98  # of the copied ones, at least


@cache
def library(seed: int) -> Library:
    rng = random.Random(seed)
    works = {title: draft.text for title, draft in load_works().items()}
    named = {f"{kind} {number}": write(rng) for kind, write in KINDS.items() for number in range(2)}
    return Library(works | named, pages())


@cache
def pages() -> list[str]:
    rng = random.Random(777)
    return [page_with(write(rng), rng) for write in KINDS.values() for _ in range(STORED_PAGES)]


@pytest.mark.parametrize("seed", SEEDS)
def test_texts_of_one_kind_that_tell_other_facts_accuse_nobody(seed: int) -> None:
    rng = random.Random(seed + 100)
    written = [(kind, page_with(write(rng), rng)) for kind, write in KINDS.items() for _ in range(PAGES)]
    alone = [(kind, page) for kind, page in written if library(seed).accused(page, beside_pages=False)]
    assert len(alone) <= ACCUSED * len(written), Counter(kind for kind, _ in alone)
    beside_pages = [kind for kind, page in alone if library(seed).accused(page)]
    assert len(beside_pages) <= ACCUSED_BESIDE_PAGES * len(written), Counter(beside_pages)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_text_of_such_a_kind_that_was_copied_with_its_facts_is_found(seed: int) -> None:
    rng = random.Random(seed + 200)
    names = [name for name in library(seed).texts if name.rsplit(" ", 1)[0] in KINDS]
    found = {name: name in library(seed).accused(page_with(library(seed).texts[name], rng)) for name in names}
    assert sum(found.values()) >= FOUND * len(found), [name for name, is_found in found.items() if not is_found]
