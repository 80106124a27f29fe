"""Copies that are interrupted again and again: their small pieces are found between the larger ones, and only there."""

import random
import re
from collections.abc import Callable
from itertools import accumulate, cycle, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fingerprinter.alphabet import code_points
from fingerprinter.initials.to_initials import to_initials
from matcher.alignment.gap_filling import fill_gaps
from matcher.alignment.local_alignment import align_texts
from matcher.alignment.seed_and_extend import Blocks, find_blocks
from matcher.model import Passage
from tests.support.quality.disguises import PARTICLES
from wenhen.demo.articles import OWN_TEXTS_DIR, load_works, own_paragraphs

WORKS = sorted(one.text for one in load_works().values() if len(one.text) > 800)
OTHERS = ["".join(own_paragraphs(path.stem)) for path in sorted(OWN_TEXTS_DIR.glob("*.txt"))]
BEFORE, AFTER = "这一页由读者投稿。\n", "\n如果你也有想说的事，欢迎写信给我们。"
PAGES = 12
EDGE = 12  # characters at either end of a passage that may be missing or too many


def phrases(text: str) -> list[str]:
    """A long one, and some too short to be found by themselves."""
    bounds = [0, *accumulate(width for width, _ in zip(cycle((11, 6, 6, 6, 6)), text, strict=False))]
    return [text[start:end] for start, end in pairwise(bounds) if text[start:end]]


def passages(page: str, work: str) -> list[Passage]:
    return [one.passage for one in align_texts(page, to_initials(page), work, to_initials(work))]


def lesser(page: str, work: str) -> Blocks:
    mine, theirs = to_initials(page), to_initials(work)
    points = code_points(page)[mine.starts], code_points(work)[theirs.starts]
    return fill_gaps(mine.codes, points[0], theirs.codes, points[1], find_blocks(mine.codes, theirs.codes, 16))


def idle(text: str, rng: random.Random) -> str:
    return re.sub(
        r"[\u4e00-\u9fff]{2}", lambda two: two[0] + (rng.choice(PARTICLES) if rng.random() < 0.4 else ""), text
    )


def in_turns(text: str, rng: random.Random) -> str:
    mine, other = phrases(text), phrases(rng.choice(OTHERS))
    return "".join(one + theirs for one, theirs in zip(mine, cycle(other), strict=False)) + mine[-1]


def with_cuts(text: str, _: random.Random) -> str:
    return "".join(one for place, one in enumerate(phrases(text)) if place % 2 == 0)


@pytest.mark.parametrize("interrupt", [idle, in_turns, with_cuts])
def test_an_interrupted_copy_is_one_passage_from_its_first_piece_to_its_last(
    interrupt: Callable[[str, random.Random], str],
) -> None:
    rng = random.Random(7)
    missed, pieces = 0.0, 0
    for _ in range(PAGES):
        work = rng.choice(WORKS)
        inside = interrupt(work[:600], rng)
        found = passages(BEFORE + inside + AFTER, work)
        pieces += len(found)
        outside = sum(max(0, len(BEFORE) - one.page_start) for one in found)
        missed += abs(1 + outside - sum(one.page_end - one.page_start for one in found) / len(inside))
    assert pieces <= 1.1 * PAGES
    assert missed <= 0.1 * PAGES


def test_of_a_form_that_both_filled_in_nothing_more_is_found_than_its_words() -> None:
    blanks = (
        ("本合同由甲方与乙方于当日在公司签订", "红旗面粉厂运货北街三号门", "青山运输队装卸南门二号仓"),
        ("双方就下列事项达成一致意见并共同遵守", "面粉每袋五十斤按月结清", "煤炭每车八吨按季度付款"),
        ("任何一方违约应当赔偿对方由此受到的损失", "迟到一天扣款十元整", "短少一吨罚金三百元"),
        ("本合同一式两份自双方签字之日起生效", "王大山", "李小河"),
    )
    one = "".join(words + first for words, first, _ in blanks)
    another = "".join(words + second for words, _, second in blanks)
    assert not len(lesser(one, another).score)


def test_of_an_untouched_copy_nothing_lesser_is_looked_for() -> None:
    work = WORKS[0]
    assert not len(lesser(BEFORE + work[100:500] + AFTER, work).score)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.integers(20, 60), st.booleans())
def test_where_one_of_both_goes_on_with_the_very_letter_it_is_one_passage(seed: int, length: int, put_in: bool) -> None:
    rng = random.Random(seed)
    work, other = rng.choice(WORKS), rng.choice(OTHERS)[:length]
    inside = work[:200] + other + work[200:400] if put_in else work[:200] + work[200 + length : 500]
    (one,) = passages(BEFORE + inside + AFTER, work)
    assert abs(one.page_start - len(BEFORE)) + abs(one.page_end - len(BEFORE + inside)) <= EDGE


@pytest.mark.parametrize("length", [140, 300])
def test_behind_a_longer_text_of_somebody_else_it_is_another_passage(length: int) -> None:
    work, other = WORKS[0], OTHERS[0]
    page = BEFORE + work[:300] + other[:length] + work[300:600] + AFTER
    assert len(passages(page, work)) == 2
