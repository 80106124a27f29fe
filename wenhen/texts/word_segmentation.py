"""Segment texts into words with jieba and user dictionaries."""

import logging
import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Final

import jieba

from fingerprinter.words.dictionaries import UserWord
from wenhen.kit.errors import BadInput, Message
from wenhen.works.importers.drafts import decode_text

_FREQUENCY_PATTERN: Final = re.compile(r"[1-9][0-9]{0,8}", re.ASCII)
_TAG_PATTERN: Final = re.compile(r"[a-z]+", re.ASCII)
_MAX_WORD_CHARACTERS: Final = 50  # characters of a word; jieba tries every beginning of each


def read_dictionaries(paths: Sequence[Path]) -> tuple[UserWord, ...]:
    """The words of these files: a word a line, optionally with its frequency and its part of speech, a space between.

    A word may hold spaces before a frequency, as in jieba's own dictionaries.

    Raises BadInput for a file that cannot be read, and for a line of another form, by its number.
    """
    return tuple(word for path in paths for word in _parse_words(path, _read_content(path)))


def _parse_words(path: Path, content: str) -> Iterator[UserWord]:
    for number, line in enumerate(content.splitlines(), 1):
        fields = _split_fields(line)
        if not fields:
            continue
        if problem := _line_problem(fields):
            raise BadInput("segment.bad_line", path=str(path), line=number, reason=problem)
        frequency = next((int(field) for field in fields[1:2] if _FREQUENCY_PATTERN.fullmatch(field)), None)
        yield UserWord(
            fields[0], frequency, fields[-1] if len(fields) > 1 and _TAG_PATTERN.fullmatch(fields[-1]) else None
        )


def _split_fields(line: str) -> list[str]:
    """The word, which may hold spaces where a frequency stands behind it, and what follows it."""
    fields = line.split()
    index = next((n for n in range(len(fields) - 1, 0, -1) if _FREQUENCY_PATTERN.fullmatch(fields[n])), 0)
    holds_letters = index > 1 and all(any(map(str.isalnum, field)) for field in fields[:index])
    return [" ".join(fields[:index]), *fields[index:]] if holds_letters else fields


def _line_problem(fields: Sequence[str]) -> Message | None:
    """What is wrong with a line of these fields."""
    word, *rest = fields
    if len(word) > _MAX_WORD_CHARACTERS:
        return Message("segment.long_word", {"most": _MAX_WORD_CHARACTERS})
    if not any(map(str.isalnum, word)):
        return Message("segment.no_word", {"given": word})
    if len(rest) == 2 and not _FREQUENCY_PATTERN.fullmatch(rest[0]):
        return Message("segment.bad_frequency", {"given": rest[0][:40]})
    if len(rest) == 1 and not (_FREQUENCY_PATTERN.fullmatch(rest[0]) or _TAG_PATTERN.fullmatch(rest[0])):
        return Message("segment.bad_frequency", {"given": rest[0][:40]})
    if len(rest) > 2 or (len(rest) == 2 and not _TAG_PATTERN.fullmatch(rest[1])):
        return Message("segment.bad_tag", {"given": " ".join(rest[1:])[:40]})
    return None


def _read_content(path: Path) -> str:
    try:
        return decode_text(path.read_bytes())
    except OSError as error:
        raise BadInput("segment.unreadable", path=str(path), error=error.strerror or str(error)) from error
    except BadInput as error:
        raise BadInput("segment.no_dictionary", path=str(path), reason=error.message) from error


class SegmentMode(StrEnum):
    """How finely: EXACT cuts each character into one word; FULL gives every word of the dictionary that stands there;
    SEARCH is EXACT, and long words also by their parts.
    """

    EXACT = "exact"
    FULL = "full"
    SEARCH = "search"


class WordSegmenter:
    """Cuts texts; it shares no words with the fingerprints' own segmenter, or with another one."""

    def __init__(self, dictionaries: Sequence[Path] = ()) -> None:
        """dictionaries: as `read_dictionaries` takes them. Raises BadInput for one that cannot be read, and for a line
        of another form.
        """
        jieba.setLogLevel(logging.ERROR)
        self._tokenizer = jieba.Tokenizer()
        for word in read_dictionaries(dictionaries):
            self._tokenizer.add_word(*word)

    def cut(self, text: str, mode: SegmentMode = SegmentMode.EXACT) -> list[str]:
        """The words in their order, with punctuation and white space; those of EXACT, joined, are the text."""
        if mode is SegmentMode.SEARCH:
            return [word for word in self._tokenizer.cut_for_search(text) if word]
        return [word for word in self._tokenizer.cut(text, cut_all=mode is SegmentMode.FULL) if word]


def is_word(token: str) -> bool:
    """Whether it is a word or a number, not punctuation or white space."""
    return token[0].isalnum()
