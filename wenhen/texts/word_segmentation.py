"""Segment texts into words with jieba and user dictionaries."""

import logging
import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Final

import jieba

from fingerprinter.words.segmenter import UserWord
from wenhen.kit.errors import BadInput, Message
from wenhen.works.importers.drafts import decode_text

_FREQUENCY_PATTERN: Final = re.compile(r"[1-9][0-9]{0,8}", re.ASCII)
_TAG_PATTERN: Final = re.compile(r"[a-z]+", re.ASCII)
_MAX_WORD_CHARACTERS: Final = 50  # characters of a word; jieba stores every prefix of each word


def read_dictionaries(paths: Sequence[Path]) -> tuple[UserWord, ...]:
    """Read the words of dictionary files: a word in each line, with an optional frequency and part of speech.

    The fields are separated by spaces. A word may contain spaces if a frequency follows, as in the dictionaries of
    jieba. Raises BadInput if a file cannot be read, or, with its number, for a malformed line.
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
    """Split a line into the word and its other fields. A word may contain spaces if a frequency follows."""
    fields = line.split()
    index = next((n for n in range(len(fields) - 1, 0, -1) if _FREQUENCY_PATTERN.fullmatch(fields[n])), 0)
    holds_letters = index > 1 and all(any(map(str.isalnum, field)) for field in fields[:index])
    return [" ".join(fields[:index]), *fields[index:]] if holds_letters else fields


def _line_problem(fields: Sequence[str]) -> Message | None:
    """Return what is wrong with the fields of a line, or None."""
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
    """The granularity of segmentation.

    EXACT puts each character into one word. FULL gives every dictionary word in the text. SEARCH is EXACT, with the
    parts of long words added.
    """

    EXACT = "exact"
    FULL = "full"
    SEARCH = "search"


class WordSegmenter:
    """Cuts texts into words. It shares no user words with other segmenters."""

    def __init__(self, dictionaries: Sequence[Path] = ()) -> None:
        """Load the dictionaries, in the format of `read_dictionaries`.

        Raises BadInput for an unreadable file or a malformed line.
        """
        jieba.setLogLevel(logging.ERROR)
        self._tokenizer = jieba.Tokenizer()
        for word in read_dictionaries(dictionaries):
            self._tokenizer.add_word(*word)

    def cut(self, text: str, mode: SegmentMode = SegmentMode.EXACT) -> list[str]:
        """Return the words in order, with punctuation and white space. The words of EXACT, joined, are the text."""
        if mode is SegmentMode.SEARCH:
            return [word for word in self._tokenizer.cut_for_search(text) if word]
        return [word for word in self._tokenizer.cut(text, cut_all=mode is SegmentMode.FULL) if word]


def is_word(token: str) -> bool:
    """Return whether a token is a word or a number, not punctuation or white space."""
    return token[0].isalnum()
