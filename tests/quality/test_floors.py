"""Accuracy on texts of our own under every disguise, held to floors: raised freely, lowered only with a reason."""

import hashlib
import json
import random
import re
from functools import cache
from typing import Any

import pytest

from benchmarks.detection_measures import Spot, passage_recall, plagdet
from tests.support.quality.disguises import DISGUISES
from tests.support.quality.own import FLOORS, library, own_texts

# Of the floors as they stand; a change of floors.json is written down here too, so that none goes unseen.
FLOORS_DIGEST = "e7de2fe8111f6e9448f25a5fa579e2e0e063993bc84051452f1a6fe2a575de8c"
LENGTHS = (80, 150, 300, 600)
PASSAGES_A_DISGUISE = 60
SLACK = 0.05  # a floor this far below what is reached is raised


@cache
def measured(disguise: str) -> tuple[float, float]:
    """Passages found, and plagdet, over pages that hold one passage each."""
    rng = random.Random(disguise)
    works = {title: text for title, text in library().texts.items() if len(text) > 2 * LENGTHS[0]}
    true: list[Spot] = []
    detected: list[Spot] = []
    for number in range(PASSAGES_A_DISGUISE):
        title = rng.choice(sorted(works))
        length = min(LENGTHS[number % len(LENGTHS)], len(works[title]) // 2)
        start = rng.randrange(len(works[title]) - length)
        passage = DISGUISES[disguise](works[title][start : start + length], rng)
        lines = rng.choice(own_texts()).split("\n")
        cut = rng.randrange(len(lines) + 1)
        before = "".join(line + "\n" for line in lines[:cut])
        page = f"{before}{passage}\n" + "\n".join(lines[cut:])
        name = f"{disguise} {number}"
        true.append(Spot(name, title, len(before), len(before) + len(passage), start, start + length))
        for source, comparison in library().accused(page).items():
            detected.extend(
                Spot(name, source, one.page_start, one.page_end, one.work_start, one.work_end)
                for one in comparison.passages
            )
    return passage_recall(true, detected), plagdet(true, detected)


def floors() -> dict[str, Any]:
    stored: dict[str, Any] = json.loads(FLOORS.read_text(encoding="utf-8"))
    return stored


@pytest.mark.parametrize("disguise", DISGUISES)
def test_what_is_reached_does_not_fall_below_its_floor(disguise: str) -> None:
    reached = dict(zip(("found", "plagdet"), measured(disguise), strict=True))
    for measure, value in reached.items():
        floor = floors()["floors"][disguise][measure]
        assert value >= floor, f"{disguise}: {measure} fell to {value:.3f}, below its floor {floor}"
        assert value < floor + SLACK or floor >= 1 - SLACK, (
            f"{disguise}: {measure} rose to {value:.3f}; raise its floor"
        )


def test_a_lower_floor_says_why() -> None:
    stored = floors()
    for disguise, highest in stored["highest"].items():
        for measure, value in highest.items():
            if stored["floors"][disguise][measure] < value:
                reason = stored["lowered_because"].get(f"{disguise} {measure}", "")
                assert len(reason) > 20, f"the floor of {disguise} {measure} was lowered: say why in lowered_because"
    assert set(stored["floors"]) == set(stored["highest"]) == set(DISGUISES)


def test_floors_do_not_change_unseen() -> None:
    digest = hashlib.sha256(FLOORS.read_bytes()).hexdigest()
    assert digest == FLOORS_DIGEST, f"floors.json was changed: if that was meant, FLOORS_DIGEST is {digest} now"


def test_texts_that_copy_nothing_accuse_nobody() -> None:
    assert {text[:20]: list(library().accused(text)) for text in own_texts() if library().accused(text)} == {}


def test_a_page_of_short_quotations_accuses_nobody() -> None:
    rng = random.Random(7)
    sentences = [
        sentence
        for text in library().texts.values()
        for sentence in re.findall(r"[^。！？\n]{8,20}[。！？]", text)
        if rng.random() < 0.1
    ]
    rng.shuffle(sentences)
    pages = ["，他在信里这样写，".join(sentences[at : at + 6]) for at in range(0, 120, 6)]
    assert [list(library().accused(page)) for page in pages] == [[]] * len(pages)


@pytest.mark.parametrize("disguise", ["none", "trad", "homophone", "ads"])
def test_a_work_split_over_two_pages_and_two_works_on_one_page_are_found(disguise: str) -> None:
    rng = random.Random(11)
    first, second = sorted(title for title, text in library().texts.items() if 600 < len(text) < 1200)[:2]
    texts = [DISGUISES[disguise](library().texts[title], rng) for title in (first, second)]
    half = len(texts[0]) // 2
    assert list(library().accused(texts[0][:half])) == [first]
    assert list(library().accused(texts[0][half:])) == [first]
    assert set(library().accused("\n\n".join(texts))) == {first, second}
