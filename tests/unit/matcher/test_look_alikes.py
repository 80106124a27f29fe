"""Characters that look alike are taken for each other between characters that are the same, and nowhere else."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerprinter.alphabet import code_points
from fingerprinter.initials.to_initials import to_initials
from fingerprinter.normalize.character_shapes import (
    is_look_alike,
    look_alike_buckets,
    look_alike_pairs,
    may_have_pair,
)
from matcher.alignment.character_filling import fill_look_alikes
from matcher.alignment.word_reordering import shared_bigrams
from matcher.attribution.align_pair import Comparison, align_pair

WORK = (
    "入夏以后，码头上的搬运工改在夜里干活。白天的铁皮棚晒得发烫，人站进去，汗顺着脖子往下淌，连说话的力气都没有。"
    "工头老范把灯挂在吊臂上，一盏照船舱，一盏照磅秤。谁扛了多少袋，他不用记，听脚步就知道，满袋的脚步沉，半袋的脚步飘。"
    "有个新来的青年读过中学，休息的时候坐在缆桩上看书，别人笑他，说书里又没有米。他也笑，说书里有船，开到哪里都不用扛。"
    "后来他考上了外地的学校，走的那天大家凑钱请他吃面。老范喝多了，拍着他的肩说，以后当了船长，记得把船靠稳些，跳板别太陡。"
)
OTHER = "合作社的仓库要清点，会计和保管员各拿一本账，从东墙数到西墙。数目对不上，差了七袋化肥，两人蹲在门口算到天黑。"
# Of our own hand: 未 for 末 and the like, a share of which is drawn.
SHAPES = dict(
    zip(
        "夏后搬运工白天铁棚晒得汗往淌话没有力气把灯挂在照听沉袋的记说读中休息时坐看书里船开哪扛地校走那请面喝拍肩以长靠稳跳板太陡",
        "复后般远土自夭轶掤洒碍汉住倘活设冇刀乞肥打桂左召昕沈贷旳纪悦续申体思时座着书理般井那杠池枝走那清而渴柏启似张告隐桃版大徒",
        strict=True,
    )
)


def compared(page: str) -> Comparison | None:
    return align_pair(page, to_initials(page), WORK, to_initials(WORK), thorough=True, readings=lambda: ())


@pytest.mark.parametrize("seed", range(4))
def test_a_copy_half_of_whose_shapes_were_exchanged_is_aligned_whole(seed: int) -> None:
    draw = random.Random(seed)
    changed = "".join(SHAPES.get(each, each) if draw.random() < 0.9 else each for each in WORK)
    found = compared(f"{OTHER}\n{changed}\n{OTHER}")
    assert found is not None
    assert found.accuse
    inside = sum(passage.page_end - passage.page_start for passage in found.passages)
    assert 0.85 * len(WORK) <= inside <= len(WORK) + 4


def test_a_text_of_its_own_is_no_copy() -> None:
    found = compared(OTHER)
    assert found is None or not found.accuse


def test_pairs_differ_in_a_radical_or_in_a_stroke() -> None:
    for mine, theirs in ("晴睛", "未末", "折拆", "清请", "己已", "门问", "鸟乌"):
        assert is_look_alike(ord(mine), ord(theirs))
        assert is_look_alike(ord(theirs), ord(mine))
    for mine, theirs in ("清江", "的的", "山水", "我们", "a好"):
        assert not is_look_alike(ord(mine), ord(theirs))
    pairs = look_alike_pairs()
    assert (pairs[1:] > pairs[:-1]).all()
    assert ((pairs >> 16) < (pairs & 0xFFFF)).all()


@given(st.integers(0, 0x10FFFF), st.integers(0, 0x10FFFF), st.integers(0, 60_000))
def test_a_pair_is_told_as_by_a_search_of_the_table(mine: int, theirs: int, row: int) -> None:
    pairs = set(look_alike_pairs().tolist())
    lower, higher = divmod(int(look_alike_pairs()[row]), 1 << 16)
    near = mine % 0xFFFF, theirs % 0xFFFF
    for one, other in ((mine, theirs), near, (lower, higher), (higher, lower), (lower, mine)):
        first, last = sorted((one, other))
        assert is_look_alike(one, other) == (last < 1 << 16 and first << 16 | last in pairs)
        if is_look_alike(one, other):
            assert may_have_pair(look_alike_buckets()[one], other)


@given(st.text("晴睛未末天地河水清请青", max_size=40), st.text("晴睛未末天地河水清请青", max_size=40))
def test_filling_changes_letters_of_look_alikes_alone(page: str, work: str) -> None:
    mine, theirs = to_initials(page), to_initials(work)
    filled = fill_look_alikes(mine.codes, code_points(page), theirs.codes, code_points(work))
    if filled is None:
        return
    codes = dict(zip(work, theirs.codes.tolist(), strict=True))
    for place in np.flatnonzero(filled != mine.codes).tolist():
        assert any(is_look_alike(ord(page[place]), ord(other)) and codes[other] == filled[place] for other in codes)


def grow(page: str, work: str, i: int, j: int, step: int) -> tuple[int, int]:
    """Letters and score of the best end of a diagonal, from two characters on."""
    codes, work_codes = to_initials(page).codes, to_initials(work).codes
    score = best = consumed = length = 0
    while 0 <= i < len(page) and 0 <= j < len(work) and score >= best - 16:
        length += 1
        if page[i] == work[j] or is_look_alike(ord(page[i]), ord(work[j])):
            score += 2
        elif codes[i] != work_codes[j]:
            score -= 3
        if score > best:
            best, consumed = score, length
        i, j = i + step, j + step
    return consumed, best


@given(st.data())
def test_filling_takes_the_letters_of_the_best_diagonal_as_a_search_of_each(data: st.DataObject) -> None:
    work = data.draw(st.text("晴睛未末天地河水清请青", min_size=12, max_size=40))
    page = "".join(
        data.draw(st.sampled_from([one, one, one, *"睛末清天"])) for one in work[data.draw(st.integers(0, 3)) :]
    )
    mine, theirs = to_initials(page), to_initials(work)
    expected, scores = mine.codes.tolist(), [0] * len(page)
    grown: dict[int, int] = {}  # by diagonal
    for i, j in zip(*(side.tolist() for side in shared_bigrams(code_points(page), code_points(work))), strict=True):
        if grown.get(j - i, -1) >= i:
            continue
        (right, right_score), (left, left_score) = grow(page, work, i, j, 1), grow(page, work, i - 1, j - 1, -1)
        score, grown[j - i] = right_score + left_score, i + right
        for place, there in zip(range(i - left, i + right), range(j - left, j + right), strict=True):
            differs = mine.codes[place] != theirs.codes[there] and is_look_alike(ord(page[place]), ord(work[there]))
            if differs and score >= 16 and score > scores[place]:
                scores[place], expected[place] = score, int(theirs.codes[there])
    filled = fill_look_alikes(mine.codes, code_points(page), theirs.codes, code_points(work))
    assert (mine.codes if filled is None else filled).tolist() == expected
