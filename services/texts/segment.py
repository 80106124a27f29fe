"""Texts cut into words, by jieba with dictionaries of the user's own."""

import logging
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path

import jieba

from services.texts.dictionaries import read_dictionaries


class Mode(StrEnum):
    """How finely: EXACT cuts each character into one word; FULL gives every word of the dictionary that stands there;
    SEARCH is EXACT, and long words also by their parts.
    """

    EXACT = "exact"
    FULL = "full"
    SEARCH = "search"


class Segmenter:
    """Cuts texts; it shares no words with the fingerprints' own segmenter, or with another one."""

    def __init__(self, dictionaries: Sequence[Path] = ()) -> None:
        """dictionaries: as `read_dictionaries` takes them. Raises BadInput for one that cannot be read, and for a line
        of another form.
        """
        jieba.setLogLevel(logging.ERROR)
        self._tokenizer = jieba.Tokenizer()
        for word in read_dictionaries(dictionaries):
            self._tokenizer.add_word(*word)

    def cut(self, text: str, mode: Mode = Mode.EXACT) -> list[str]:
        """The words in their order, with punctuation and white space; those of EXACT, joined, are the text."""
        if mode is Mode.SEARCH:
            return [word for word in self._tokenizer.cut_for_search(text) if word]
        return [word for word in self._tokenizer.cut(text, cut_all=mode is Mode.FULL) if word]


def is_word(token: str) -> bool:
    """Whether it is a word or a number, not punctuation or white space."""
    return token[0].isalnum()
