"""What the rest of the system says in English, in the reader's language: why a file or an address was refused."""

import re
from functools import cache
from string import Formatter
from typing import Final

from flask import Flask

from dashboard.language import catalogue, language

_GROUP: Final = "told."


def in_words(message: str) -> str:
    """The same in the reader's language; what has no words in the catalogue stays as it is.

    An entry's English, with its figures in braces, is the form of the message that it stands for.
    """
    if language() == "en":
        return message
    for key, form in _forms():
        if found := form.fullmatch(message):
            return catalogue().text(language(), key, **found.groupdict())
    return message


@cache
def _forms() -> list[tuple[str, re.Pattern[str]]]:
    """Every key with its form, those that leave least open first."""
    entries = {key: words["en"] for key, words in catalogue().entries.items() if key.startswith(_GROUP)}
    return [(key, _form(entries[key])) for key in sorted(entries, key=lambda key: -_fixed(entries[key]))]


def _form(words: str) -> re.Pattern[str]:
    parts = [re.escape(text) + (f"(?P<{name}>.+)" if name else "") for text, name, _, _ in Formatter().parse(words)]
    return re.compile("".join(parts), re.DOTALL)


def _fixed(words: str) -> int:
    return sum(len(text) for text, _, _, _ in Formatter().parse(words))


def install(app: Flask) -> None:
    """Offer it to templates."""
    app.add_template_filter(in_words, "told")
