"""Define errors with codes and figures, and the sentences that explain them in Chinese and English."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal, Self

# What is said to people of what went wrong: a code and its figures; each reader's language makes the sentence.
#
# The sentences stand in `wenhen/kit/sentences`, one file a matter in a folder of its kind: ``{code: {"zh": ..., "en":
# ...}}``, figures in braces. The code begins with the name of its file (``works.no_text``). Commands, logs and programs
# read the English.


Language = Literal["zh", "en"]

PLAIN_CODE: Final = "plain.text"  # what another program said, in its own words: figure `text`


@dataclass(frozen=True, slots=True)
class Message:
    """A sentence before it has a language. figures: values of the braces, which may be messages themselves; what
    another program said is a plain message among them where a page is to mark it as foreign.

    >>> str(plain_message("disk full"))
    'disk full'
    """

    code: str
    figures: Mapping[str, "str | int | float | Message"] = field(default_factory=dict)

    @classmethod
    def read(cls, kept: str | Mapping[str, Any]) -> Self:
        """A message as a store keeps it, or another process wrote it; a text from before messages had codes, and what
        no sentence fits any more, in plain.
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

    def text(self, language: Language) -> str:
        """The sentence; KeyError for a code that no file has, or a figure that is missing."""
        texts = {
            name: value.text(language) if isinstance(value, Message) else value for name, value in self.figures.items()
        }
        return sentences()[self.code][language].format(**texts)

    def __str__(self) -> str:
        """The English sentence."""
        return self.text("en")


def message(code: str, /, **figures: object) -> Message:
    """A message; a figure that is an error of ours is its message, anything else that is no number its text."""
    return Message(code, {name: _to_figure(value) for name, value in figures.items()})


def _to_figure(value: object) -> "str | int | float | Message":
    inner = getattr(value, "message", value)
    return inner if isinstance(inner, str | int | float | Message) else str(value)


def plain_message(text: str) -> Message:
    """What another program said, in its own words."""
    return Message(PLAIN_CODE, {"text": text})


@cache
def sentences() -> Mapping[str, Mapping[Language, str]]:
    """All sentences by code; ValueError where a code does not begin with the name of its file."""
    merged: dict[str, Mapping[Language, str]] = {}
    for file in (Path(__file__).parent / "sentences").rglob("*.json"):
        part = json.loads(file.read_text(encoding="utf-8"))
        if stray := [code for code in part if not code.startswith(f"{file.stem}.")]:
            raise ValueError(f"{file.name} has codes of another file: {', '.join(stray)}")
        merged |= part
    return merged


# The one tree of errors.
#
# ::
#
#     WenhenError
#     ├── BadInput            a file, text, address or option that cannot be used as given
#     │   ├── TooLarge        larger than its limit
#     │   └── Unreadable      bytes that cannot be read within the bounds of a reader (another try helps nothing)
#     ├── NotFound            no such record
#     ├── Conflict            the record changed under the caller, or exists already
#     ├── Unavailable         a server or a site does not answer (worth another try)
#     │   ├── IndexNotReady   the inverted index is missing or being built
#     │   └── DiskFull        no room for a write
#     ├── Forbidden           who acts has no right to it
#     ├── TooManyTries        passwords or codes come too quickly: wait
#     ├── FetchRefused        a rule forbids fetching an address (robots, private network, limits)
#     └── SetupError          something that the machine lacks, with what to do about it
#
# An error carries a code and figures (`wenhen.kit.errors`): what was wrong, where, and what to do is one line that each
# reader's language makes of them.


class WenhenError(Exception):
    """Base of every error that the product raises on purpose.

    code: of a sentence in `wenhen/kit/sentences`; figures: the values of its braces:
    ``raise NotFound("works.unknown", id=id)``.
    """

    def __init__(self, code: str, /, **figures: object) -> None:
        self.message = message(code, **figures)
        super().__init__(str(self.message))

    def __reduce__(self) -> tuple[object, ...]:
        """Errors cross processes with what they carry."""
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
    """The record changed under the caller, or exists already."""


class Unavailable(WenhenError):
    """A server or a site does not answer; trying again later may help."""


class IndexNotReady(Unavailable):
    """The inverted index is missing or being built; it is rebuilt from the fingerprints."""


class DiskFull(Unavailable):
    """There is no room for a write; nothing that was stored before is lost."""


class Forbidden(WenhenError):
    """Who acts has no right to it."""


class TooManyTries(WenhenError):
    """Passwords or codes come too quickly; the figure `seconds` says how long to wait."""


class FetchRefused(WenhenError):
    """A rule (robots.txt, private address, size or redirect limit) forbids fetching an address."""


class SetupError(WenhenError):
    """The machine lacks something; the message says what, and what to do."""


# What went wrong while something was done, as it is kept: the error by the name of its class, and what it says.
#
# An error of ours says it in the reader's language. Another program's or library's says it in its own words, and
# `wenhen/kit/sentences/failure.json` says what kind of failure that was: the words of the nearest of its classes that
# has any.


def failure(error: BaseException, most: int | None = None) -> Message:
    """What an error says. most: characters of the first line of one that is not ours; all lines otherwise.

    >>> str(failure(ZeroDivisionError("by zero"))), failure(ZeroDivisionError("by zero")).text("zh")
    ('ZeroDivisionError: by zero', '程序出错（ZeroDivisionError: by zero）')
    """
    code = next(code for ancestor in type(error).__mro__ if (code := f"failure.{ancestor.__name__}") in sentences())
    if isinstance(error, WenhenError):
        return Message(code, {"reason": error.message})
    said = str(error) if most is None else str(error).partition("\n")[0][:most]
    return Message(code, {"error": plain_message(f"{type(error).__name__}: {said}".removesuffix(": "))})
