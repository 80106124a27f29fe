"""Words of the user's own, as jieba's user dictionaries list them."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from fingerprinter.schemes.words.user_words import UserWord
from services.importing.drafts_and_refusals import text_of
from store.errors import BadInput
from store.messages import Message

_FREQUENCY: Final = re.compile(r"[1-9][0-9]{0,8}", re.ASCII)
_TAG: Final = re.compile(r"[a-z]+", re.ASCII)
_LONGEST: Final = 50  # characters of a word; jieba tries every beginning of each


def read_dictionaries(paths: Sequence[Path]) -> tuple[UserWord, ...]:
    """The words of these files: a word a line, optionally with its frequency and its part of speech, a space between.

    Raises BadInput for a file that cannot be read, and for a line of another form, by its number.
    """
    return tuple(word for path in paths for word in _words(path, _content(path)))


def _words(path: Path, content: str) -> Iterator[UserWord]:
    for number, line in enumerate(content.splitlines(), 1):
        fields = line.split()
        if not fields:
            continue
        if problem := _problem(fields):
            raise BadInput("segment.bad_line", path=str(path), line=number, reason=problem)
        frequency = next((int(one) for one in fields[1:2] if _FREQUENCY.fullmatch(one)), None)
        yield UserWord(fields[0], frequency, fields[-1] if len(fields) > 1 and _TAG.fullmatch(fields[-1]) else None)


def _problem(fields: Sequence[str]) -> Message | None:
    """What is wrong with a line of these fields."""
    word, *rest = fields
    if len(word) > _LONGEST:
        return Message("segment.long_word", {"most": _LONGEST})
    if not any(map(str.isalnum, word)):
        return Message("segment.no_word", {"given": word})
    if len(rest) == 2 and not _FREQUENCY.fullmatch(rest[0]):
        return Message("segment.bad_frequency", {"given": rest[0][:40]})
    if len(rest) == 1 and not (_FREQUENCY.fullmatch(rest[0]) or _TAG.fullmatch(rest[0])):
        return Message("segment.bad_frequency", {"given": rest[0][:40]})
    if len(rest) > 2 or (len(rest) == 2 and not _TAG.fullmatch(rest[1])):
        return Message("segment.bad_tag", {"given": " ".join(rest[1:])[:40]})
    return None


def _content(path: Path) -> str:
    try:
        return text_of(path.read_bytes())
    except OSError as error:
        raise BadInput("segment.unreadable", path=str(path), error=error.strerror or str(error)) from error
    except BadInput as error:
        raise BadInput("segment.no_dictionary", path=str(path), reason=error.message) from error
