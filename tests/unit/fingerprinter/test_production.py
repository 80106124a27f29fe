"""Features for the index, and how they are stored."""

import random
import subprocess
import sys

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fingerprinter.alphabet import LETTER_CODES, Initials
from fingerprinter.features.index_features import FREQUENCIES, GRAMS, extract_features, pack_text, query_features
from fingerprinter.features.model import (
    GRAM_UNITS,
    SEGMENT_LETTERS,
    SHORT_TEXT_INITIALS,
    STORED_HASH_BITS,
    WINDOW_INITIALS,
    Features,
    pack_features,
    unpack_features,
)
from fingerprinter.initials.to_initials import to_initials

# How far from a feature's letter the letters reach that decide it.
REACH = WINDOW_INITIALS
PINNED = [
    ("fb6139db8e6538f9", 1),
    ("822cb30a345156e8", 6),
    ("f0dd95f25b3eaf67", 13),
    ("ee6baeff00e7d291", 13),
]


def random_letters(count: int, seed: int, highest: int = 20) -> Initials:
    rng = random.Random(seed)
    starts = np.arange(count, dtype=np.uint32)
    codes = np.array([rng.randint(0, highest) for _ in range(count)], np.uint8)
    return Initials(codes=codes, starts=starts, ends=starts + np.uint32(1), length=count)


def joined(*parts: Initials) -> Initials:
    codes = np.concatenate([part.codes for part in parts])
    starts = np.arange(len(codes), dtype=np.uint32)
    return Initials(codes=codes, starts=starts, ends=starts + np.uint32(1), length=len(codes))


def pairs(made: Features, shift: int = 0) -> set[tuple[int, int]]:
    return {(value, place - shift) for value, place in zip(made.values.tolist(), made.positions.tolist(), strict=True)}


@given(st.integers(0, 400), st.integers(0, 300), st.integers(0, 9), st.sampled_from([20, LETTER_CODES - 1]))
def test_features_of_a_passage_are_the_same_wherever_it_stands(
    before: int, count: int, seed: int, highest: int
) -> None:
    passage = random_letters(count, seed, highest)
    inside = joined(random_letters(before, seed + 100), passage, random_letters(100, seed + 200))
    alone = pairs(extract_features(passage))
    shifted = pairs(extract_features(inside), before)
    if count >= SHORT_TEXT_INITIALS:
        assert alone <= shifted
    assert {feature for feature in shifted if REACH <= feature[1] < count - REACH} <= alone


@given(st.lists(st.integers(0, LETTER_CODES - 1), max_size=200))
def test_any_letters_give_features_in_order_and_within_them(codes: list[int]) -> None:
    starts = np.arange(len(codes), dtype=np.uint32)
    made = extract_features(
        Initials(codes=np.array(codes, np.uint8), starts=starts, ends=starts + 1, length=len(codes))
    )
    assert len(made.values) == len(made.positions) == len(made)
    assert (np.diff(made.positions.astype(np.int64)) >= 0).all()
    assert (made.positions < max(1, len(codes))).all()


def test_the_kinds_of_feature_add_up_and_never_collide() -> None:
    letters = random_letters(5000, 1)
    grams, frequencies = extract_features(letters, GRAMS), extract_features(letters, FREQUENCIES)
    assert len(grams) > 0
    assert len(frequencies) > 0
    assert not set(grams.values.tolist()) & set(frequencies.values.tolist())
    assert pairs(extract_features(letters)) == pairs(grams) | pairs(frequencies)
    assert pairs(query_features(letters)) == pairs(extract_features(letters))


def test_a_work_costs_fewer_than_200_postings_for_1000_letters_and_each_stretch_has_some() -> None:
    made = extract_features(random_letters(100_000, 2))
    assert 100 < len(made) / 100 < 200
    assert np.diff(made.positions.astype(np.int64)).max() < 100


def test_text_that_repeats_itself_letter_by_letter_has_no_features() -> None:
    for text in ("哈" * 2000, "哈嘿" * 1000):
        assert len(extract_features(to_initials(text))) == 0


def test_passages_without_a_han_character_have_features_too() -> None:
    code = "for line in open(path, encoding=charset): total += len(line.split()); print(total, 2024, path.stem)"
    own = set(extract_features(to_initials(code)).values.tolist())
    around = to_initials("下面这段程序数一数每个文件里的词：" + code + " 运行以后屏幕上会出现总数。")
    assert len(own) >= 5
    assert len(own & set(extract_features(around).values.tolist())) >= len(own) - 2


def test_a_window_whose_words_swap_places_keeps_its_frequency_feature_while_its_grams_go() -> None:
    letters = random_letters(4000, 3)
    swapped = letters.codes.copy()
    places = [place + 2 for place in extract_features(letters, FREQUENCIES).positions.tolist()]  # the anchors
    for anchor in places:
        words = swapped[anchor - 10 : anchor - 4].copy()
        swapped[anchor - 10 : anchor - 4] = np.roll(words, 3)
    other = Initials(codes=swapped, starts=letters.starts, ends=letters.ends, length=letters.length)
    kept = len(pairs(extract_features(letters, FREQUENCIES)) & pairs(extract_features(other, FREQUENCIES)))
    assert kept >= 0.6 * len(places)


def test_values_are_well_mixed() -> None:
    values = extract_features(random_letters(200_000, 4)).values
    for shift in (0, 16, 32, 48):
        buckets = np.bincount((np.unique(values) >> np.uint64(shift)).astype(np.int64) & 63, minlength=64)
        assert buckets.max() < 1.2 * buckets.mean()


def test_another_process_makes_the_same_features() -> None:
    text = "天亮以前，渡口的灯还亮着，摆渡的老人把缆绳又系紧了一道，version 2.4 released。"
    program = (
        "import sys; from fingerprinter.features.index_features import extract_features;"
        "from fingerprinter.initials.to_initials import to_initials;"
        "print(extract_features(to_initials(sys.argv[1])).values.tolist())"
    )
    told = subprocess.run([sys.executable, "-c", program, text], capture_output=True, text=True, check=True).stdout
    assert told.strip() == str(extract_features(to_initials(text)).values.tolist())


def test_the_scheme_makes_the_values_that_it_always_made() -> None:
    # A change here needs a new name of the scheme: indexes in the field hold these values.
    sentence = to_initials("天亮以前，渡口的灯还亮着，摆渡的老人把缆绳又系紧了一道。")
    made = extract_features(joined(sentence, sentence))
    assert [
        (f"{value:016x}", place)
        for value, place in zip(made.values.tolist(), made.positions.tolist(), strict=True)
        if place <= PINNED[-1][1]
    ] == PINNED


@given(st.integers(0, SHORT_TEXT_INITIALS - 1), st.integers(0, 9))
def test_a_short_text_has_every_gram_that_a_page_with_it_could_be_looked_up_by(count: int, seed: int) -> None:
    whole = random_letters(count, seed)
    page = joined(random_letters(100, seed + 100), whole, random_letters(100, seed + 200))
    asked = pairs(extract_features(page, GRAMS), 100)
    inside = {one for one in asked if 0 <= one[1] <= count - GRAM_UNITS // 2}
    assert inside <= pairs(extract_features(whole, GRAMS))


@given(st.sampled_from([0, 1, 50, SEGMENT_LETTERS, SEGMENT_LETTERS + 10, 2 * SEGMENT_LETTERS + 5000]))
def test_a_long_text_is_packed_in_segments_and_loses_no_feature(count: int) -> None:
    letters = random_letters(count, 5)
    segments = pack_text(letters)
    back: set[tuple[int, int]] = set()
    for segment in segments:
        made = unpack_features(segment.positions, segment.values)
        assert len(made) > 0
        assert segment.letters <= SEGMENT_LETTERS
        assert made.positions.max() < segment.letters
        back |= pairs(made, -segment.start)
    whole = extract_features(letters)
    assert back == pairs(Features(whole.values & STORED_HASH_BITS, whole.positions))


def test_a_segment_without_features_is_left_out() -> None:
    made = Features(values=np.array([7], np.uint64), positions=np.array([SEGMENT_LETTERS + 3], np.uint32))
    (segment,) = pack_features(made, SEGMENT_LETTERS + 20)
    assert (segment.start, segment.letters) == (SEGMENT_LETTERS, 20)
    assert segment.positions == b"\xf3"
    assert segment.values == b"\x07" + b"\x00" * 4
