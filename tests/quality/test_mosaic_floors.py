"""Pages put together from our own texts: what is called copied was copied, held to floors as the disguises are."""

import json
import random
from collections import defaultdict
from functools import cache
from typing import Any

import pytest

from benchmarks.detection_measures import Spot, passage_recall, plagdet
from matcher.alignment.aligned_span import Side, copied_length
from tests.support.quality.mosaics import LOOKS, MOSAICS, Piece
from tests.support.quality.own import FLOORS, library, own_texts

PAGES = 20


def made(pieces: list[Piece], look: str, rng: random.Random, name: str) -> tuple[str, list[Spot]]:
    """The page of these pieces, and what is copied in it."""
    other = "\n".join(own_texts())
    page, spots = "", []
    for work, start, end in pieces:
        if work is None:
            page += other[start:end]
            continue
        text = LOOKS[look](library().texts[work][start:end], rng)
        spots.append(Spot(name, work, len(page), len(page) + len(text), start, end))
        page += text
    return page, spots


@cache
def measured(mosaic: str) -> dict[str, float]:
    """Passages found, plagdet, and how far the share of a page put down to a work lies from the truth, on the mean.

    Of a page under noise the characters that were changed are not copied; there the share is not looked at.
    """
    rng = random.Random(mosaic)
    works = {title: text for title, text in library().texts.items() if len(text) > 600}
    true: list[Spot] = []
    detected: list[Spot] = []
    errors: list[float] = []
    for number in range(PAGES):
        titles = rng.sample(sorted(works), 2)
        look = list(LOOKS)[number % len(LOOKS)]
        name = f"{mosaic} {number}"
        page, spots = made(MOSAICS[mosaic](rng, titles, [len(works[title]) for title in titles]), look, rng, name)
        true.extend(spots)
        copied_of: defaultdict[str, int] = defaultdict(int)
        for spot in spots:
            copied_of[spot.work] += spot.page_end - spot.page_start
        for source, comparison in library().accused(page).items():
            places = comparison.passages
            detected.extend(Spot(name, source, p.page_start, p.page_end, p.work_start, p.work_end) for p in places)
            if not look.startswith("noise"):
                errors.append(abs(copied_length(places, Side.PAGE) - copied_of[source]) / len(page))
    return {
        "found": passage_recall(true, detected),
        "plagdet": plagdet(true, detected),
        "share_error": sum(errors) / len(errors),
    }


def floors() -> dict[str, Any]:
    stored: dict[str, Any] = json.loads(FLOORS.read_text(encoding="utf-8"))["mosaics"]
    return stored


@pytest.mark.parametrize("mosaic", MOSAICS)
def test_of_a_mosaic_each_piece_is_found_and_nothing_else_is_marked(mosaic: str) -> None:
    reached, floor = measured(mosaic), floors()[mosaic]
    assert reached["found"] >= floor["found"]
    assert reached["plagdet"] >= floor["plagdet"]
    assert reached["share_error"] <= floor["share_error"]


def test_each_mosaic_has_its_floors() -> None:
    assert set(floors()) == set(MOSAICS)
