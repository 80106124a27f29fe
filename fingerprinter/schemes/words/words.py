"""Words: a text cut as jieba cuts it, and the words that say nothing about what a text is about."""

import sys
from collections.abc import Callable
from pathlib import Path

from fingerprinter.schemes.words import segmenter
from fingerprinter.schemes.words.user_words import UserWord

# Function words, particles, pronouns and measure words of modern and of classical Chinese, and a few of English.
STOP_WORDS = frozenset((Path(__file__).parent / "stop_words.txt").read_text(encoding="utf-8").split())


def cut(text: str) -> tuple[str, ...]:
    """The words of a text in their order, in lower case, punctuation and white space left out.

    Equal words are one object, so that many texts fit the memory.
    """
    return tuple(map(sys.intern, segmenter.words(text.lower())))


def cutter(user: tuple[UserWord, ...]) -> Callable[[str], tuple[str, ...]]:
    """`cut` with words of the user's own."""
    known = tuple(one._replace(word=one.word.lower()) for one in user)
    return lambda text: tuple(map(sys.intern, segmenter.words(text.lower(), known)))


def telling(words: tuple[str, ...]) -> list[str]:
    """The words that are no stop words, in their order."""
    return [word for word in words if word not in STOP_WORDS]
