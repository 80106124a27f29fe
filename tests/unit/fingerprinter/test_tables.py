"""The tables in the package are those that the command builds."""

import unicodedata

import numpy as np

from fingerprinter.alphabet import (
    EXPANDS,
    INITIALS,
    LETTER_CODES,
    NO_INITIAL,
    NO_LETTER,
    character_table,
    code_of_initial,
)
from fingerprinter.features.index_features import load_reference
from fingerprinter.initials.build_tables import HAN_BLOCKS, STROKES, codes_of_character
from fingerprinter.initials.polyphones_and_variants import (
    SIMPLIFIED_FORMS,
    character_readings,
    frequent_initials,
    initials_of_variants,
    phrase_readings,
    pinyin_syllables,
    word_frequencies,
)


def test_every_basic_han_character_but_single_strokes_has_a_letter_and_every_control_character_has_none() -> None:
    codes = character_table().codes
    without = {0x4E00 + int(place) for place in np.flatnonzero(codes[0x4E00:0x9FD6] > NO_INITIAL)}
    assert without == set(map(ord, STROKES))
    assert (codes[:0x20] == NO_LETTER).all()
    assert ((codes < LETTER_CODES) | (codes >= EXPANDS)).all()
    assert (codes[0xD800:0xE000] == NO_LETTER).all()


def test_every_character_that_expands_has_letters_to_expand_to() -> None:
    table = character_table()
    assert set((table.codes == EXPANDS).nonzero()[0].tolist()) == set(table.expansions)
    assert all(len(codes) > 1 and max(codes) < LETTER_CODES for codes in table.expansions.values())


def test_a_compatibility_form_has_the_letter_of_what_it_is_compatible_with() -> None:
    codes = character_table().codes
    for point in (*range(0xF900, 0xFA6E), *range(0x2F00, 0x2FD6), *range(0xFF21, 0xFF3B)):
        plain = unicodedata.normalize("NFKC", chr(point))
        assert codes[point] == codes[ord(plain)], hex(point)


def test_a_traditional_form_has_the_letter_of_its_simplified_form() -> None:
    codes = character_table().codes
    assert all(codes[ord(form)] == codes[ord(simplified)] for form, simplified in SIMPLIFIED_FORMS.items())


def test_the_most_frequent_reading_wins_over_the_first() -> None:
    readings = {"校": ("x", "j"), "查": ("c", "z"), "厦": ("s", "x")}
    phrases = [("校对", ("j", "d")), ("学校", ("x", "x")), ("厦门", ("x", "m"))]
    known = {"校": ("x", "j"), "对": ("d",), "学": ("x",), "门": ("m",)} | readings
    chosen = frequent_initials(known, phrases, {"校对": 3, "学校": 90, "厦": 2, "厦门": 70, "查": 5})
    assert (chosen["校"], chosen["查"], chosen["厦"]) == ("x", "c", "x")


def test_the_command_gives_the_stored_letters_again() -> None:
    initials = frequent_initials(
        character_readings(),
        phrase_readings(),
        word_frequencies(),
    )
    table = character_table()
    for point in (*range(0x250), *range(0x2E80, 0x3400), *range(0x4E00, 0x5200), *range(0xFF00, 0xFFF0), 0x20000):
        found = codes_of_character(chr(point), initials)
        stored = table.expansions.get(point) or bytes(code for code in [int(table.codes[point])] if code != NO_LETTER)
        assert found == stored, hex(point)
    assert table.syllables == tuple(pinyin_syllables())


def test_the_tables_say_where_they_come_from() -> None:
    for origin in (character_table().origin, load_reference().origin):
        assert "pypinyin" in origin
        assert "jieba" in origin
        assert "built 20" in origin


def test_the_reference_covers_the_initials_and_leaves_room_for_vowels() -> None:
    shares = load_reference().shares
    assert len(shares) == len(INITIALS)
    assert (shares > 0.005).all()
    assert 0.9 < shares.sum() < 1


def test_every_character_of_every_block_has_a_code_by_reading_by_variant_or_by_itself() -> None:
    codes = character_table().codes
    initials = frequent_initials(character_readings(), phrase_readings(), word_frequencies())
    variants = initials_of_variants(initials)
    alone: list[int] = []
    of_variants: list[bool] = []
    for first, end in HAN_BLOCKS:
        for point in range(first, end):
            character = chr(point)
            if character in STROKES:
                continue
            assert codes[point] <= NO_INITIAL, hex(point)
            if unicodedata.normalize("NFKC", character) != character:
                continue
            if character in initials:
                assert codes[point] == code_of_initial(initials[character]), hex(point)
            elif character in variants:
                of_variants.append(bool(codes[point] == code_of_initial(variants[character])))
            else:
                alone.append(point)
    # A few have a reading of their own in CNS 11643.
    assert np.mean(of_variants) > 0.8
    # The others have that of CNS 11643, or one of their own: no code holds more of them than a frequent initial has.
    shares = np.bincount(codes[alone], minlength=NO_INITIAL + 1) / len(alone)
    assert shares.max() < 0.2
    assert (shares[:-1] > 0.01).all()
