"""Nobody is accused of a formula, on forms of our own, of which the library holds many or two."""

import random
from functools import cache

import pytest

from tests.support.quality.formulae import FORMS
from tests.support.quality.library import Library
from tests.support.quality.own import page_with
from wenhen.demo.articles import load_works

PAGES = 25  # of each form
# Share of the pages that are accused of a form, at most, by how many of its kind the library holds. Of two, what stands
# in one piece between the blanks may as well have been copied; of a single one, all that is no figure.
ACCUSED = {12: 0.02, 2: 0.55}
FOUND = 0.98  # of the copied ones, at least
LINES = (
    "门前的老槐树又落了一地碎花，",
    "扫街的人把它们拢成小小一堆。",
    "孩子捧起来撒向井台，",
    "说这是今年下的第一场雪。",
)


@cache
def library(of_each: int) -> Library:
    rng = random.Random(of_each)
    works = {title: draft.text for title, draft in load_works().items()}
    forms = {f"{kind} {number}": fill(rng) for kind, fill in FORMS.items() for number in range(of_each)}
    return Library(works | forms | {"quatrain": "\n".join(LINES)})


@pytest.mark.parametrize("of_each", ACCUSED)
def test_a_form_that_was_filled_in_anew_accuses_nobody(of_each: int) -> None:
    rng = random.Random(2)
    accused = {
        kind: sum(bool(library(of_each).accused(page_with(fill(rng), rng))) for _ in range(PAGES))
        for kind, fill in FORMS.items()
    }
    assert sum(accused.values()) <= ACCUSED[of_each] * PAGES * len(FORMS), accused


@pytest.mark.parametrize("of_each", ACCUSED)
def test_a_form_that_was_copied_with_all_that_was_filled_in_is_found(of_each: int) -> None:
    rng = random.Random(3)
    copied = [name for name in library(of_each).texts if any(name.startswith(f"{kind} ") for kind in FORMS)]
    found = {name: name in library(of_each).accused(page_with(library(of_each).texts[name], rng)) for name in copied}
    assert sum(found.values()) >= FOUND * len(found), [name for name, one in found.items() if not one]


@pytest.mark.parametrize("between", ["", "\n", "\n\n", " / "])
def test_a_quatrain_copied_whole_is_found_and_one_line_of_it_is_a_quotation(between: str) -> None:
    rng = random.Random(4)
    assert set(library(12).accused(page_with(between.join(LINES), rng))) == {"quatrain"}
    assert not library(12).accused(page_with(LINES[0], rng))
