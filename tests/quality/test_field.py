"""The field set: copies are found among what texts share without copying each other, and few cases are petty."""

from collections import Counter

import pytest

from tests.support.quality.field import PETTY, library, pages
from tests.support.quality.library import Library
from wenhen.demo.articles import load_works, work_paragraphs

FOUND = 0.95  # of the planted copies, at least
PETTY_CASES = 0.1  # of the cases, at most
PAGES = 200  # at least


def test_planted_copies_are_found_and_few_cases_are_petty() -> None:
    right, petty, planted, looked_at = 0, Counter[str](), 0, 0
    for page in pages():
        looked_at += 1
        accused = set(library().accused(page.text))
        planted += page.copied is not None
        right += page.copied in accused
        petty[page.petty or "beside a copy"] += len(accused - {page.copied})
    assert looked_at >= PAGES
    assert right >= FOUND * planted
    assert petty.total() <= PETTY_CASES * (right + petty.total()), petty


@pytest.mark.parametrize("kind", ["code", "options", "English"])
def test_what_one_work_alone_has_was_copied_from_it_whatever_it_is_written_in(kind: str) -> None:
    thing, _ = PETTY[kind]
    works = {title: "\n".join(work_paragraphs(title)) for title in load_works()}
    assert set(Library({**works, "manual": thing}).accused(thing)) == {"manual"}
