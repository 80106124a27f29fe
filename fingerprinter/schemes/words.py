"""Words: a text cut by jieba, and the words that say nothing about what a text is about."""

import logging
import sys
from functools import cache
from pathlib import Path
from typing import Any

# Function words, particles, pronouns and measure words of modern and of classical Chinese, and a few of English.
STOP_WORDS = frozenset((Path(__file__).parent / "stop_words.txt").read_text(encoding="utf-8").split())


@cache
def _segmenter() -> Any:
    import jieba

    jieba.setLogLevel(logging.ERROR)
    return jieba.Tokenizer()


def cut(text: str) -> tuple[str, ...]:
    """The words of a text in their order, in lower case, punctuation and white space left out.

    Equal words are one object, so that many texts fit the memory.
    """
    return tuple(sys.intern(word) for word in _segmenter().cut(text.lower()) if word[0].isalnum())


def telling(words: tuple[str, ...]) -> list[str]:
    """The words that are no stop words, in their order."""
    return [word for word in words if word not in STOP_WORDS]
