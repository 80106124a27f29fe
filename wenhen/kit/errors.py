"""Define errors with codes and figures, and the sentences that explain them in Chinese and English."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal, Self

from wenhen.kit.taiwan import to_taiwan

# Messages: a code with figures. The language of the reader selects the sentence. The sentences are in
# `wenhen/kit/sentences`, with one file per subject: ``{code: {"zh": ..., "en": ...}}``, with figures in braces. A code
# begins with the name of its file (``works.no_text``). Commands, logs and programs use English.


Language = Literal["zh", "en"]
DisplayLanguage = Literal["zh", "en", "tw"]  # of a reader; Taiwan's is made from the Chinese sentences

PLAIN_CODE: Final = "plain.text"  # the words of another program, in the figure `text`


@dataclass(frozen=True, slots=True)
class Message:
    """A sentence that is independent of the language.

    figures: values for the braces. They may be messages; text of another program is a plain message, if a page must
    mark it as foreign.

    >>> str(plain_message("disk full"))
    'disk full'
    """

    code: str
    figures: Mapping[str, "str | int | float | Message"] = field(default_factory=dict)

    @classmethod
    def read(cls, kept: str | Mapping[str, Any]) -> Self:
        """Restore a message as stored, or as written by another process.

        Text from before messages had codes becomes a plain message. So does a message whose code or figures no sentence
        fits.
        """
        if isinstance(kept, str):
            return cls(PLAIN_CODE, {"text": kept})
        figures = {
            name: cls.read(value) if isinstance(value, Mapping) else value for name, value in kept["figures"].items()
        }
        message = cls(kept["code"], figures)
        try:
            message.text("en")
        except KeyError:
            return cls.read(" ".join(map(str, (message.code, *figures.values()))))
        return message

    def text(self, language: DisplayLanguage) -> str:
        """Return the sentence. Raises KeyError for an unknown code or a missing figure."""
        texts = {
            name: value.text(language) if isinstance(value, Message) else value for name, value in self.figures.items()
        }
        return find_sentence(self.code, language).format(**spoken_figures(texts))

    def __str__(self) -> str:
        """Return the English sentence, for programs and logs: numbers stand as they are."""
        texts = {name: str(value) if isinstance(value, Message) else value for name, value in self.figures.items()}
        return find_sentence(self.code, "en").format(**texts)


PLAIN_FIGURES: Final = frozenset(
    {"number", "row", "line", "place", "part", "chapter", "start", "end", "port", "status", "code", "version", "block"}
)  # figures that name something, and are written without separators


class _Grouped(int):
    """A number that is written with thousands separators, unless its sentence says otherwise."""

    def __format__(self, spec: str) -> str:
        return super().__format__(spec or ",")


def spoken_figures(figures: Mapping[str, object]) -> dict[str, object]:
    """Return the figures of a sentence as people read them: numbers with thousands separators."""
    return {
        name: _Grouped(value) if type(value) is int and name not in PLAIN_FIGURES else value
        for name, value in figures.items()
    }


def message(code: str, /, **figures: object) -> Message:
    """Make a message. A figure that is one of our errors becomes its message; other non-numbers become text."""
    return Message(code, {name: _to_figure(value) for name, value in figures.items()})


def _to_figure(value: object) -> "str | int | float | Message":
    inner = getattr(value, "message", value)
    return inner if isinstance(inner, str | int | float | Message) else str(value)


def plain_message(text: str) -> Message:
    """Make a message from the words of another program."""
    return Message(PLAIN_CODE, {"text": text})


def find_sentence(code: str, language: DisplayLanguage) -> str:
    """Return the sentence of a code, with its braces. Raises KeyError for an unknown code."""
    entry = sentences()[code]
    return to_taiwan(entry["zh"]) if language == "tw" else entry[language]


@cache
def sentences() -> Mapping[str, Mapping[Language, str]]:
    """Load all sentences by code. Raises ValueError if a code does not begin with the name of its file."""
    merged: dict[str, Mapping[Language, str]] = {}
    for file in (Path(__file__).parent / "sentences").rglob("*.json"):
        part = json.loads(file.read_text(encoding="utf-8"))
        if stray := [code for code in part if not code.startswith(f"{file.stem}.")]:
            raise ValueError(f"{file.name} has codes of another file: {', '.join(stray)}")
        merged |= part
    return merged


# The hierarchy of errors.
#
# ::
#
#     WenhenError
#     ├── BadInput            a file, text, address or option that cannot be used as given
#     │   ├── TooLarge        larger than its limit
#     │   └── Unreadable      bytes that cannot be read within the bounds of a reader (a retry does not help)
#     ├── NotFound            no such record
#     ├── Conflict            the record was changed by others, or exists already
#     ├── Unavailable         a server or a site does not answer (a retry may help)
#     │   ├── IndexNotReady   the inverted index is missing or being built
#     │   └── DiskFull        no room for a write
#     ├── Forbidden           the user or token lacks the right
#     ├── TooManyTries        passwords or codes come too quickly: wait
#     ├── FetchRefused        a rule forbids fetching an address (robots, private network, limits)
#     └── SetupError          something that the machine lacks, with what to do about it
#
# An error carries a code and figures, which give one line in the language of the reader: what was wrong, where, and
# what to do.


class WenhenError(Exception):
    """Base of every error that the product raises on purpose.

    code: code of a sentence in `wenhen/kit/sentences`. figures: the values of its braces:
    ``raise NotFound("works.unknown", id=id)``.
    """

    def __init__(self, code: str, /, **figures: object) -> None:
        self.message = message(code, **figures)
        super().__init__(str(self.message))

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the error with its message, so that it crosses processes."""
        return _rebuild_error, (type(self), self.message)


def _rebuild_error(kind: type[WenhenError], carried: Message) -> WenhenError:
    return kind(carried.code, **carried.figures)


class BadInput(WenhenError):
    """A file, text, address or option cannot be used as given."""


class TooLarge(BadInput):
    """Input is larger than the limit that the message names."""


class Unreadable(BadInput):
    """Foreign bytes cannot be read within the bounds of time, memory and output, or fail their reader."""


class NotFound(WenhenError):
    """No record has the id that was asked for."""


class Conflict(WenhenError):
    """The record was changed by others, or exists already."""


class Unavailable(WenhenError):
    """A server or a site does not answer; trying again later may help."""


class IndexNotReady(Unavailable):
    """The inverted index is missing or being built; it is rebuilt from the fingerprints."""


class DiskFull(Unavailable):
    """There is no room for a write; nothing that was stored before is lost."""


class Forbidden(WenhenError):
    """The user or token lacks the right."""


class TooManyTries(WenhenError):
    """Passwords or codes come too quickly. The figure `seconds` is the time to wait."""


class FetchRefused(WenhenError):
    """A rule (robots.txt, private address, size or redirect limit) forbids fetching an address."""


class SetupError(WenhenError):
    """The machine lacks something; the message says what, and what to do."""


# Failures as stored: the class of the error, and its text. Our own errors are in the language of the reader. Errors of
# other programs keep their words, and `wenhen/kit/sentences/failure.json` names the kind of failure, by the nearest
# class that has a sentence.


def failure(error: BaseException, most: int | None = None) -> Message:
    """Return the message of an error.

    most: maximum characters of the first line of a foreign error; without it, all lines are kept.

    >>> str(failure(ZeroDivisionError("by zero"))), failure(ZeroDivisionError("by zero")).text("zh")
    ('ZeroDivisionError: by zero', '程序出错（ZeroDivisionError: by zero）')
    """
    code = next(code for ancestor in type(error).__mro__ if (code := f"failure.{ancestor.__name__}") in sentences())
    if isinstance(error, WenhenError):
        return Message(code, {"reason": error.message})
    text = str(error) if most is None else str(error).partition("\n")[0][:most]
    return Message(code, {"error": plain_message(f"{type(error).__name__}: {text}".removesuffix(": "))})
