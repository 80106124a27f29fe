"""Two independent texts of one kind accuse nobody, on kinds of our own writing, of which the library holds two each."""

import random
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
FOUND = 0.98  # of the copied ones, at least


@cache
def library(seed: int) -> Library:
    rng = random.Random(seed)
    works = {title: draft.text for title, draft in load_works().items()}
    return Library(works | {f"{kind} {number}": write(rng) for kind, write in KINDS.items() for number in range(2)})


@pytest.mark.parametrize("seed", SEEDS)
def test_texts_of_one_kind_that_tell_other_facts_accuse_nobody(seed: int) -> None:
    rng = random.Random(seed + 100)
    accused = {
        kind: sum(bool(library(seed).accused(page_with(write(rng), rng))) for _ in range(PAGES))
        for kind, write in KINDS.items()
    }
    assert sum(accused.values()) <= ACCUSED * PAGES * len(KINDS), accused


@pytest.mark.parametrize("seed", SEEDS)
def test_a_text_of_such_a_kind_that_was_copied_with_its_facts_is_found(seed: int) -> None:
    rng = random.Random(seed + 200)
    names = [name for name in library(seed).texts if name.rsplit(" ", 1)[0] in KINDS]
    found = {name: name in library(seed).accused(page_with(library(seed).texts[name], rng)) for name in names}
    assert sum(found.values()) >= FOUND * len(found), [name for name, is_found in found.items() if not is_found]
