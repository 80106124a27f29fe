"""What the rest of the system says in English, in the reader's language: why something was refused, or failed.

Programs, logs and commands keep the English, which is what is stored. A reader of Chinese gets the words of the form
that a message has (``told.*``, figures in braces); else those of its kind (``failure.*``), the English behind them.
"""

import re
from collections.abc import Mapping
from functools import cache
from string import Formatter
from typing import Any, Final

from flask import Flask
from markupsafe import Markup

from dashboard.frame.language import catalogue, language
from store.messages import PLAIN, Language, Message, sentences

_GROUP: Final = "told."
_NESTED: Final = "reason"  # the figure of a form that is a message itself
_CAUGHT: Final = re.compile(r"(?P<kind>[A-Za-z_]\w*): (?P<message>.*)", re.DOTALL)  # as the pipeline writes errors
_OF_ADDRESS: Final = re.compile(r"(?P<url>https?://\S+): (?P<message>.+)", re.DOTALL)
_FORMATTED: Final = re.compile(r"\{(\w+)[!:][^}]*\}")  # a figure with its format, which it has already in a message
_LEAST: Final = 3  # characters of a form beside its figures; with fewer it fits everything
_ENDINGS: Final = ("Error", "Exception", "Timeout")  # of the names of errors that nobody foresaw


def in_words(message: str | Message, kind: str | None = None, chosen: Language | None = None) -> str:
    """A message in a language, the reader's if none is given; what has neither form nor kind stays as it is.

    kind: the class of the error, or the word that a crawl counts it by, where that was kept beside the message.
    """
    words, original = _told(message, kind, chosen or language())
    return words if original is None else f"{words}（{original}）"


def _marked(message: str | Message, kind: str | None = None) -> str:
    """As `in_words`, with English inside of Chinese marked as such for those who have it read to them."""
    if isinstance(message, Message):
        return message.text(language())
    words, original = _told(message, kind, language())
    return words if original is None else Markup('{}<span lang="en">（{}）</span>').format(words, original)


def _told(message: str | Message, kind: str | None, chosen: Language) -> tuple[str, str | None]:
    """The words, and the English that they need behind them."""
    if isinstance(message, Message) and message.code != PLAIN:
        return message.text(chosen), None
    return _told_of_text(str(message), kind, chosen)


def _told_of_text(message: str, kind: str | None, chosen: Language) -> tuple[str, str | None]:
    if chosen == "en":
        return message, None
    if words := _by_form(message, chosen):
        return words, None
    if found := _OF_ADDRESS.fullmatch(message):
        words, original = _told(found["message"], kind, chosen)
        return f"{found['url']}：{words}", original
    caught = _CAUGHT.fullmatch(message)
    if caught and (words := _by_form(caught["message"], chosen)):
        return words, None
    for name in (kind, caught and caught["kind"]):
        if words := name and _by_kind(name, chosen):
            return words, message
    return message, None


def _by_form(message: str, chosen: Language) -> str | None:
    for key, form in _forms():
        if found := form.fullmatch(message):
            figures = found.groupdict()
            if _NESTED in figures:
                figures[_NESTED] = in_words(figures[_NESTED], chosen=chosen)
            words: Mapping[Any, str] = catalogue().entries.get(key) or sentences()[key]
            return _FORMATTED.sub(r"{\1}", words[chosen]).format(**figures)
    return None


def _by_kind(name: str, chosen: str) -> str | None:
    find = catalogue().find
    known = find(chosen, f"failure.{name}") or find(chosen, f"fetch.{name}")
    return known or (find(chosen, "failure.other") if name.endswith(_ENDINGS) else None)


@cache
def _forms() -> list[tuple[str, re.Pattern[str]]]:
    """Every key with the form that its English gives, those that leave least open first."""
    entries = {key: words["en"] for key, words in catalogue().entries.items() if key.startswith(_GROUP)}
    entries |= {code: words["en"] for code, words in sentences().items() if _fixed(words["en"]) > _LEAST}
    return [(key, _form(entries[key])) for key in sorted(entries, key=lambda key: -_fixed(entries[key]))]


def _form(words: str) -> re.Pattern[str]:
    parts = [re.escape(text) + (f"(?P<{name}>.+)" if name else "") for text, name, _, _ in Formatter().parse(words)]
    return re.compile("".join(parts), re.DOTALL)


def _fixed(words: str) -> int:
    return sum(len(text) for text, _, _, _ in Formatter().parse(words))


def install(app: Flask) -> None:
    """Offer it to templates."""
    app.add_template_filter(_marked, "told")
