"""Suspicions on texts of our own. Those held out served neither to find the rules nor to weigh them."""

import random

import pytest

from tests.support.quality.own import page_with
from tests.support.quality.rewritings import few_rewritings, rewritings, rewritten_library
from wenhen.demo.articles import OWN_TEXTS_DIR

# Share of the rewritings that are suspected of their original, at least, and of texts on its subject, at most.
SENTENCES, ANEW, SAME = 1.0, 0.6, 0.0
HELD_OUT = {"sentences": (0.86, 1.0), "anew": (0.54, 1.0), "same": (0.0, 0.08), "another": (0.0, 0.08)}  # from, to


def share_suspected(kind: str) -> float:
    rng, works = random.Random(3), rewritten_library(few=True)
    found = [
        one.id in {each.id for each in works.suspected(page_with(getattr(one, kind), rng))} for one in few_rewritings()
    ]
    return sum(found) / len(found)


def test_a_text_of_which_every_sentence_was_rewritten_is_suspected() -> None:
    assert share_suspected("sentences") >= SENTENCES


def test_of_texts_told_anew_most_are_suspected() -> None:
    assert share_suspected("anew") >= ANEW


def test_a_text_on_the_same_subject_is_not_suspected() -> None:
    assert share_suspected("same") <= SAME


def test_no_text_of_ours_is_suspected_of_another() -> None:
    works = rewritten_library()
    for path in OWN_TEXTS_DIR.glob("*.txt"):
        assert works.suspected(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("kind", HELD_OUT)
def test_of_texts_held_out_the_same_shares_are_suspected(kind: str) -> None:
    rng, works = random.Random(5), rewritten_library()
    asked = rewritings()[1::2]
    found = [one.id in {each.id for each in works.suspected(page_with(getattr(one, kind), rng))} for one in asked]
    least, most = HELD_OUT[kind]
    assert least <= sum(found) / len(found) <= most
