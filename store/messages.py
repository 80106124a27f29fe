"""What is said to people of what went wrong: a code and its figures; each reader's language makes the sentence.

The sentences stand in `store/sentences`, one file a matter in a folder of its kind: ``{code: {"zh": ..., "en": ...}}``,
figures in braces. The code begins with the name of its file (``works.no_text``). Commands, logs and programs read the
English.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal, Self

Language = Literal["zh", "en"]

PLAIN: Final = "plain.text"  # what another program said, in its own words: figure `text`


@dataclass(frozen=True, slots=True)
class Message:
    """A sentence before it has a language. figures: values of the braces, which may be messages themselves; what
    another program said is a plain message among them where a page is to mark it as foreign.

    >>> str(plain("disk full"))
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
            return cls(PLAIN, {"text": kept})
        figures = {name: cls.read(one) if isinstance(one, Mapping) else one for name, one in kept["figures"].items()}
        found = cls(kept["code"], figures)
        try:
            found.text("en")
        except KeyError:
            return cls.read(" ".join(map(str, (found.code, *figures.values()))))
        return found

    def text(self, language: Language) -> str:
        """The sentence; KeyError for a code that no file has, or a figure that is missing."""
        told = {name: one.text(language) if isinstance(one, Message) else one for name, one in self.figures.items()}
        return sentences()[self.code][language].format(**told)

    def __str__(self) -> str:
        """The English sentence."""
        return self.text("en")


def message(code: str, /, **figures: object) -> Message:
    """A message; a figure that is an error of ours is its message, anything else that is no number its text."""
    return Message(code, {name: _figure(value) for name, value in figures.items()})


def _figure(value: object) -> "str | int | float | Message":
    inner = getattr(value, "message", value)
    return inner if isinstance(inner, str | int | float | Message) else str(value)


def plain(text: str) -> Message:
    """What another program said, in its own words."""
    return Message(PLAIN, {"text": text})


@cache
def sentences() -> Mapping[str, Mapping[Language, str]]:
    """All sentences by code; ValueError where a code does not begin with the name of its file."""
    found: dict[str, Mapping[Language, str]] = {}
    for file in (Path(__file__).parent / "sentences").rglob("*.json"):
        part = json.loads(file.read_text(encoding="utf-8"))
        if stray := [code for code in part if not code.startswith(f"{file.stem}.")]:
            raise ValueError(f"{file.name} has codes of another file: {', '.join(stray)}")
        found |= part
    return found
