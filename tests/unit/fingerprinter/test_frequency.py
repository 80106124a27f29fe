"""The frequency fingerprint: vectors worked out by hand, and laws."""

import math
import random
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerprinter.alphabet import INITIALS, NO_INITIAL, Initials
from fingerprinter.features.index_features import (
    DIGIT_RANGES,
    FrequencyWindow,
    fingerprint_similarity,
    frequency_fingerprint,
    load_reference,
    split_digits,
    window_bounds,
)
from fingerprinter.initials.to_initials import to_initials

CODES = st.lists(st.integers(0, NO_INITIAL), max_size=400)


def letters_of(codes: list[int]) -> Initials:
    starts = np.arange(len(codes), dtype=np.uint32)
    return Initials(codes=np.array(codes, np.uint8), starts=starts, ends=starts + np.uint32(1), length=len(codes))


def letters_with(counts: dict[str, int], without_initial: int = 0) -> Initials:
    codes = [INITIALS.index(letter) for letter, count in counts.items() for _ in range(count)]
    return letters_of(codes + [NO_INITIAL] * without_initial)


def only_digits(letters: Initials, window: int, highest: int) -> str:
    (one,) = frequency_fingerprint(letters, window=window, highest=highest).windows
    return one.digits


# By hand, from the reference's shares (r) to five places: b .04714 c .04471 d .07366 f .02713 g .05086 h .04992
# j .07421 k .01814 l .05455 m .03378 n .02318 p .01165 q .03441 r .02422 s .09375 t .03661 w .03665
# x .05491 y .09350 z .10537.


def test_r1_asks_for_each_letter_whether_it_is_at_least_as_frequent_as_usual() -> None:
    # Of 的的的的 only d (1.0 >= .07366) is.
    assert only_digits(to_initials("的的的的"), window=4, highest=1) == "00100000000000000000"


def test_r9_small_window_by_hand() -> None:
    # m = 4, a letter that is absent: z = -2 sqrt(r / (1 - r)), digit = floor(5 - 5 sqrt(r / (1 - r))).
    # sqrt(r / (1 - r)) for b .2224 -> 3.89, c .2163 -> 3.92, f .1670 -> 4.17, g .2315 -> 3.84, h .2292 -> 3.85,
    # j .2831 -> 3.58, k .1359 -> 4.32, l .2402 -> 3.80, m .1870 -> 4.07, n .1540 -> 4.23, p .1086 -> 4.46,
    # q .1888 -> 4.06, r .1576 -> 4.21, s .3216 -> 3.39, t .1949 -> 4.03, w .1950 -> 4.02, x .2411 -> 3.79,
    # y .3212 -> 3.39, z .3432 -> 3.28; d: z = .92634 / .13061 = 7.09, clipped to 9.
    assert only_digits(to_initials("的的的的"), window=4, highest=9) == "33943334344444344333"


def test_r3_ordinary_text_by_hand() -> None:
    # m = 100, each count within one deviation of 100 r: digit 2 at or above it, 1 below.
    counts = {"b": 5, "c": 4, "d": 7, "f": 3, "g": 5, "h": 5, "j": 7, "k": 2, "l": 5, "m": 3, "n": 2, "p": 1, "q": 3}
    counts |= {"r": 2, "s": 9, "t": 4, "w": 4, "x": 6, "y": 9, "z": 11}
    assert only_digits(letters_with(counts, without_initial=3), window=100, highest=3) == "21121212111111122212"


def test_r7_by_hand() -> None:
    # m = 100: digit = floor(2 (z + 2)), z = (count - 100 r) / sqrt(100 r (1 - r)); e.g. b: 1.29 / 2.12 = .61 -> 5.2;
    # c: 4.53 / 2.07 = 2.19 -> 8.4, clipped; f: -1.71 / 1.62 = -1.05 -> 1.9; r: 1.58 / 1.54 = 1.03 -> 6.05; s, y: 0.
    counts = {"b": 6, "c": 9, "d": 12, "f": 1, "g": 2, "h": 5, "j": 8, "k": 4, "l": 3, "m": 3, "n": 5, "p": 3, "q": 6}
    counts |= {"r": 4, "s": 0, "t": 2, "w": 7, "x": 10, "y": 0, "z": 10}
    assert only_digits(letters_with(counts), window=100, highest=7) == "57711447137766027703"


def test_r9_leading_zeros_survive() -> None:
    # m = 100, nothing but z: absent letters have z = -10 sqrt(r / (1 - r)), digit = floor(5 - 25 sqrt(r / (1 - r))), so
    # only k (1.6), n (1.15), p (2.3) and r (1.06) are above 0.
    letters = letters_with({"z": 100})
    assert only_digits(letters, window=100, highest=9) == "00000001001201000009"
    (one,) = frequency_fingerprint(letters, window=100).windows
    assert one.value == 1001201000009
    assert split_digits(one.value).tolist() == [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 2, 0, 1, 0, 0, 0, 0, 0, 9]


def test_a_text_shorter_than_the_window_has_one_window_marked_short() -> None:
    # m = 1: an absent letter has digit floor(5 - 2.5 sqrt(r / (1 - r))) = 4; z: 2.9, clipped to 9.
    (one,) = frequency_fingerprint(to_initials("中"), window=150).windows
    assert one == FrequencyWindow(value=44444444444444444449, start=0, end=1, short=True)
    assert one.value.bit_length() > 64
    assert frequency_fingerprint(to_initials("，"), window=150).windows == ()


def test_twice_the_window_with_half_overlap_makes_three_windows() -> None:
    assert window_bounds(200, 100, 0.5) == [(0, 100), (50, 150), (100, 200)]
    assert window_bounds(100, 100, 0.5) == [(0, 100)]


@given(st.integers(1, 500), st.integers(1, 60), st.sampled_from([0.0, 0.25, 0.5, 0.9]))
def test_windows_cover_the_text_and_the_last_one_ends_with_it(count: int, window: int, overlap: float) -> None:
    bounds = window_bounds(count, window, overlap)
    assert bounds[0][0] == 0
    assert bounds[-1][1] == count
    assert all(end - start == min(window, count) for start, end in bounds)
    assert all(later[0] <= earlier[1] and later[0] > earlier[0] for earlier, later in pairwise(bounds))


def test_settings_that_make_no_sense_are_refused() -> None:
    letters = to_initials("渡口的灯")
    for settings in ({"highest": 2}, {"window": 0}, {"overlap": 1.0}, {"overlap": -0.1}):
        with pytest.raises(ValueError, match=r"range|window"):
            frequency_fingerprint(letters, **settings)
    with pytest.raises(ValueError, match="same settings"):
        fingerprint_similarity(frequency_fingerprint(letters, highest=1), frequency_fingerprint(letters, highest=9))


@given(CODES, CODES, st.sampled_from(DIGIT_RANGES))
def test_similarity_is_symmetric_between_0_and_1_and_1_for_equal_fingerprints(
    one: list[int], other: list[int], highest: int
) -> None:
    left = frequency_fingerprint(letters_of(one), window=50, highest=highest)
    right = frequency_fingerprint(letters_of(other), window=50, highest=highest)
    assert 0 <= fingerprint_similarity(left, right) <= 1
    assert fingerprint_similarity(left, right) == pytest.approx(fingerprint_similarity(right, left))
    assert fingerprint_similarity(left, left) == (1 if one else 0)


@given(st.lists(st.integers(0, NO_INITIAL), min_size=50, max_size=50), st.data())
def test_the_likeness_of_fingerprints_falls_no_faster_than_that_of_the_texts(
    codes: list[int], data: st.DataObject
) -> None:
    # A substitution moves two counts by one each: z by 1 / sqrt(m r (1 - r)), a digit by (R + 1) / 4 of that, and one
    # more for the floor.
    places = data.draw(st.lists(st.integers(0, 49), max_size=8, unique=True))
    changed = list(codes)
    for place in places:
        changed[place] = data.draw(st.integers(0, NO_INITIAL))
    shares = load_reference().shares
    step = max(math.ceil(10 / 4 / math.sqrt(50 * r * (1 - r))) for r in shares.tolist())
    most_apart = 2 * len(places) * step / (20 * 9)
    prints = [frequency_fingerprint(letters_of(each), window=50) for each in (codes, changed)]
    assert fingerprint_similarity(*prints) >= 1 - most_apart


def test_the_more_a_text_is_changed_the_less_alike_its_fingerprint() -> None:
    """On the mean over many texts with letters as frequent as usual."""
    rng = random.Random(20)
    weights = [*load_reference().counts.tolist(), load_reference().total - int(load_reference().counts.sum())]
    shares_changed = (0.0, 0.05, 0.2, 0.5, 1.0)
    means = []
    for share in shares_changed:
        total = 0.0
        for _ in range(60):
            codes = rng.choices(range(21), weights, k=300)
            edited = [rng.choices(range(21), weights)[0] if rng.random() < share else code for code in codes]
            total += fingerprint_similarity(*(frequency_fingerprint(letters_of(each)) for each in (codes, edited)))
        means.append(total / 60)
    assert means[0] == 1
    assert means == sorted(means, reverse=True)
    assert means[1] > means[-1] + 0.1


def test_an_empty_fingerprint_is_like_nothing() -> None:
    empty = frequency_fingerprint(to_initials("，"))
    assert fingerprint_similarity(empty, frequency_fingerprint(to_initials("渡口的灯"))) == 0
