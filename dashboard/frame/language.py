"""Chinese first, English beside it: one catalogue of every word on the screen, and the reader's choice."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final
from urllib.parse import urlencode

from flask import Flask, Response, g, request, url_for

from dashboard.frame.cookie_names import cookie_name
from store.messages import Language

LANGUAGES: Final[Mapping[Language, str]] = {"zh": "zh-CN", "en": "en"}  # choice -> HTML lang
DEFAULT: Final[Language] = "zh"
COOKIE: Final = "lang"
_YEAR: Final = 365 * 24 * 3600  # seconds that the choice is remembered


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The words by key: ``{key: {"zh": ..., "en": ...}}``, figures in braces."""

    entries: Mapping[str, Mapping[str, str]]

    def text(self, language: str, key: str, **figures: object) -> str:
        """The words for this key; KeyError when there are none."""
        return self.entries[key][language].format(**figures)

    def find(self, language: str, key: str, **figures: object) -> str | None:
        """As `text`, or None when the key, which came from data, has no words here or lacks a figure."""
        try:
            return self.text(language, key, **figures)
        except (KeyError, IndexError):
            return None

    def both(self, key: str) -> str:
        """Chinese and English in one line, as headings of a report have it."""
        entry = self.entries[key]
        return f"{entry['zh']} {entry['en']}"


@cache
def catalogue() -> Catalogue:
    """The catalogue that comes with the package, from the files words*.json beside the screens; ValueError where two of
    them have the same key.
    """
    entries: dict[str, Mapping[str, str]] = {}
    root = Path(__file__).parents[2]
    for path in sorted([*root.glob("dashboard/*/words*.json"), *root.glob("wenhen/reports/words*.json")]):
        part = json.loads(path.read_text(encoding="utf-8"))
        if twice := entries.keys() & part.keys():
            raise ValueError(f"{path.name} has keys that another file has: {', '.join(sorted(twice))}")
        entries |= part
    return Catalogue(entries)


def language() -> Language:
    """The reader's language: the address wins, then what was chosen before, then Chinese."""
    if "language" not in g:
        wanted = request.args.get("lang") or request.cookies.get(cookie_name(COOKIE))
        g.language = wanted if wanted in LANGUAGES else DEFAULT
    chosen: Language = g.language
    return chosen


def t(key: str, **figures: object) -> str:
    """Words in the reader's language."""
    return catalogue().text(language(), key, **figures)


def lead(key: str, **figures: object) -> str:
    """Words that something follows: with a space, unless they end in a wide mark, which has its own."""
    words = t(key, **figures)
    return words if words.endswith(("：", "。")) else words + " "


def named(group: str, value: str) -> str:
    """Words for a value that came from data (a step, a count's name), or the value itself where it has none."""
    return catalogue().find(language(), f"{group}.{value}") or value


def other_language_address() -> str:
    """The present address in the other language; what was sent by POST begins again at the first screen."""
    other = "en" if language() == "zh" else "zh"
    if request.method != "GET":
        return url_for("overview.show", lang=other)
    kept = [(name, value) for name, value in request.args.items(multi=True) if name != "lang"]
    return "?" + urlencode([*kept, ("lang", other)])


def _remember(response: Response) -> Response:
    if request.args.get("lang") in LANGUAGES:
        response.set_cookie(
            cookie_name(COOKIE), language(), max_age=_YEAR, samesite="Lax", httponly=True, secure=request.is_secure
        )
    response.headers["Content-Language"] = LANGUAGES[language()]
    return response


def install(app: Flask) -> None:
    """Give templates their words, and remember the choice of language."""
    app.after_request(_remember)
    app.add_template_global(t, "t")
    app.add_template_global(lead, "lead")
    app.add_template_global(named, "named")
    app.add_template_global(other_language_address, "other_language_address")
    app.context_processor(lambda: {"html_language": LANGUAGES[language()]})
