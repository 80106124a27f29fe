"""The pass over a page misses no pace that a close look would find."""

import random
from itertools import pairwise, product

import numpy as np
import pytest

from fingerprinter.alphabet import code_points
from fingerprinter.initials.to_initials import to_initials
from fingerprinter.normalize.character_statistics import adjacency_nats, load_adjacency
from matcher.retrieval.change_screen import screen_page
from matcher.retrieval.page_readings import read_disguised
from matcher.retrieval.regular_changes import MIN_INSIDE_NATS, MIN_LEFT_OUT_NATS, list_patterns

USUAL = np.zeros(0x110000, np.bool_)
COMMON = "的一是了我不人在他有这个上们来到时大地为子中你说生国年着就那和要她出也得里后自以会家可下而过天去能对小多"
PLAIN = (
    "渡口的石阶一共四十九级，下到水边的时候，裤脚总要湿一截。撑船的人姓鲁，他不爱说话，收钱时只把手掌摊开，等人放上去。"
    "对岸有一片梨园，春天开花的日子里，镇上的人都要过去看。鲁师傅说，他一天来回三十趟，梨花却一次也没有走近过。"
)


def segments_beyond_limits(text: str) -> set[tuple[int, int, int, int]]:
    """Return clock, period, width and phase of each pace whose worst segment is beyond its limit."""
    letters = to_initials(text)
    places = [start for start in letters.starts.tolist() if text[start] >= "\u3400"]
    nats = [
        adjacency_nats(ord(text[first]), ord(text[second]), *load_adjacency()) for first, second in pairwise(places)
    ]
    by_characters = dict.fromkeys(range(len(text) + 1), 0.0)
    by_characters |= {
        first: fit for (first, second), fit in zip(pairwise(places), nats, strict=True) if second == first + 1
    }
    clocks = ([*nats, 0.0, 0.0], [*by_characters.values(), 0.0])
    beyond = set()
    for (clock, fits), (period, width) in product(enumerate(clocks), list_patterns().tolist()):
        limit = MIN_INSIDE_NATS if width else MIN_LEFT_OUT_NATS[period]
        for phase in range(period):
            running = worst = 0.0
            for time in range(phase, len(fits) - 1, period):
                running = max(0.0, running - fits[time] - (fits[time + 1] if width else 0.0))
                worst = max(worst, running)
            if worst >= limit:
                beyond.add((clock, period, width, phase))
    return beyond


@pytest.mark.parametrize("seed", range(12))
def test_no_pace_is_missed(seed: int) -> None:
    draw = random.Random(seed)
    text = "".join(
        draw.choice((draw.choice(COMMON), draw.choice("，。 a1"), PLAIN[begin : begin + draw.randint(1, 9)]))
        for begin in (draw.randrange(len(PLAIN)) for _ in range(150))
    )
    letters = to_initials(text)
    screened = screen_page(code_points(text), letters.starts, USUAL)
    assert segments_beyond_limits(text) <= set(map(tuple, screened.segments.tolist()))


def test_prose_has_no_pace() -> None:
    letters = to_initials(PLAIN)
    screened = screen_page(code_points(PLAIN), letters.starts, USUAL)
    assert not len(screened.segments)
    assert not screened.recurs
    assert not read_disguised(PLAIN, letters)


@pytest.mark.parametrize("period", range(3, 8))
def test_a_character_that_recurs_at_a_steady_pace_is_noted(period: int) -> None:
    pieces = (PLAIN[begin : begin + period - 1] for begin in range(0, len(PLAIN), period - 1))
    text = "".join(piece + "睿" for piece in pieces)
    assert screen_page(code_points(text), to_initials(text).starts, USUAL).recurs


@pytest.mark.parametrize("text", ["", "渡", "渡口", "a", "，"])
def test_a_short_text_has_no_pace(text: str) -> None:
    screened = screen_page(code_points(text), to_initials(text).starts, USUAL)
    assert not len(screened.segments)
    assert not screened.recurs
