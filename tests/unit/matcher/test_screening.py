"""A screen refuses only works in which alignment would find nothing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerprinter.alphabet import code_points
from fingerprinter.initials.to_initials import to_initials
from matcher.alignment.local_alignment import find_shared_blocks
from matcher.alignment.screening import PageScreen
from matcher.attribution.align_pair import align_pair
from tests.support.sample_works import OTHER, WORKS

WORK = "".join(WORKS)
FEW = st.text(st.sampled_from("河堤芦苇一天比老邱每清早a1，"), max_size=90)


def may_share(page: str, work: str, *, thorough: bool) -> bool:
    screen, letters = PageScreen(page, to_initials(page)), to_initials(work)
    if screen.mask_sharing([letters.codes])[0]:
        return True
    points = code_points(work)[letters.starts]
    return thorough and bool(screen.mask_sharing_scattered([letters.codes], [points])[0])


def is_aligned(page: str, work: str, *, thorough: bool) -> bool:
    return align_pair(page, to_initials(page), work, to_initials(work), thorough=thorough) is not None


@st.composite
def pages_with_copies(draw: st.DrawFn) -> str:
    """A piece of the work between other text: with characters replaced, left out, put in, words in another order, or
    an advert between its clauses.
    """
    start = draw(st.integers(0, len(WORK) - 40))
    copied = list(WORK[start : start + draw(st.integers(20, 160))])
    step = draw(st.integers(2, 12))
    change = draw(st.sampled_from(["none", "replace", "leave out", "put in", "swap", "advert"]))
    for place in range(len(copied) - 2, 0, -step):
        if change == "replace":
            copied[place] = draw(st.sampled_from("天地玄黄宇宙"))
        elif change == "leave out":
            del copied[place]
        elif change == "put in":
            copied.insert(place, "的")
        elif change == "swap":
            copied[place : place + 2] = reversed(copied[place : place + 2])
    text = "".join(copied)
    if change == "advert":
        text = text.replace("，", "，更多好书请到书库网阅读")
    before, behind = draw(st.integers(0, len(OTHER))), draw(st.integers(0, len(OTHER)))
    return OTHER[:before] + text + OTHER[:behind]


@given(pages_with_copies(), st.booleans())
def test_a_work_that_shares_a_passage_passes(page: str, thorough: bool) -> None:
    assert may_share(page, WORK, thorough=thorough) or not is_aligned(page, WORK, thorough=thorough)


@given(FEW, FEW, st.integers(1, 8), st.booleans())
def test_so_do_texts_that_repeat_themselves(page: str, work: str, times: int, thorough: bool) -> None:
    assert may_share(page * times, work, thorough=thorough) or not is_aligned(page * times, work, thorough=thorough)


def test_texts_that_share_nothing_are_refused() -> None:
    assert not may_share(OTHER * 2, WORK, thorough=True)
    assert not may_share("", WORK, thorough=True)
    assert not may_share(OTHER, "", thorough=True)


def test_a_work_is_screened_in_memory_that_nobody_may_write() -> None:
    letters = to_initials(WORK)
    codes = np.frombuffer(letters.codes.tobytes(), np.uint8)
    assert not codes.flags.writeable
    assert PageScreen(WORKS[1], to_initials(WORKS[1])).mask_sharing([codes])[0]


def test_works_are_screened_together_as_each_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    page = OTHER[:50] + WORKS[1] + OTHER[50:]
    letters = [to_initials(text) for text in ("", *WORKS, OTHER, "天", WORKS[1][:9], WORKS[1][:60])]
    codes = [each.codes for each in letters]
    screen = PageScreen(page, to_initials(page))
    alone = [bool(screen.mask_sharing([each])[0]) for each in codes]
    assert True in alone
    assert False in alone
    for most in (1, 100, 4_000_000):
        monkeypatch.setattr("matcher.alignment.screening._MAX_JOINED_INITIALS", most)
        assert screen.mask_sharing(codes).tolist() == alone
    assert screen.mask_sharing([]).tolist() == []


def test_blocks_that_are_lighter_than_a_passage_are_refused() -> None:
    page = OTHER[:40] + WORKS[0][30:40] + OTHER[40:]
    assert not may_share(page, WORKS[0], thorough=False)
    assert may_share(OTHER[:40] + WORKS[0][30:60] + OTHER[40:], WORKS[0], thorough=False)


def test_blocks_of_the_screening_are_those_of_the_alignment_and_are_given_once() -> None:
    letters = to_initials(OTHER[:50] + WORKS[1] + OTHER[50:])
    screen = PageScreen(OTHER[:50] + WORKS[1] + OTHER[50:], letters)
    works = [to_initials(text) for text in (WORKS[1], WORKS[1][:9], OTHER)]
    assert screen.mask_sharing([work.codes for work in works]).tolist() == [True, False, True]
    for work in (works[0], works[2]):
        taken = screen.take_blocks(work.codes.copy())
        assert taken is not None
        found = find_shared_blocks(letters, work)
        assert [column.tolist() for column in taken] == [column.tolist() for column in found]
    assert [screen.take_blocks(work.codes) for work in works] == [None] * 3
    screen.mask_sharing([works[0].codes])
    screen.drop_blocks()
    assert screen.take_blocks(works[0].codes) is None
