"""Load the catalogue of words, and format times, numbers and locations for the dashboard and reports."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Final, get_args

from crawler.extraction.model import Precision, TextPlace
from wenhen.kit.clock import CHINA, china_day
from wenhen.kit.errors import Language
from wenhen.kit.taiwan import to_taiwan
from wenhen.kit.text import percent
from wenhen.pages.service import PassagePost

NO_VALUE: Final = "—"

# Reports are in Chinese and English, or in one of them when asked: Chinese for a court, English for a foreign host.


REPORT_LANGUAGES: Final[tuple[Language, ...]] = get_args(Language)
_CHOSEN_LANGUAGES: Final[ContextVar[tuple[Language, ...]]] = ContextVar("report_languages", default=REPORT_LANGUAGES)


def report_languages() -> tuple[Language, ...]:
    """Return the languages of the report that is being written."""
    return _CHOSEN_LANGUAGES.get()


@contextmanager
def written_in(language: Language | None) -> Iterator[None]:
    """Write reports in this language within the block. None: in both."""
    token = _CHOSEN_LANGUAGES.set((language,) if language else REPORT_LANGUAGES)
    try:
        yield
    finally:
        _CHOSEN_LANGUAGES.reset(token)


def format_local_time(moment: datetime) -> str:
    """Format a time to the second in Beijing time."""
    return moment.astimezone(CHINA).strftime("%Y-%m-%d %H:%M:%S")


def format_post_time(moment: datetime, precision: str | None) -> str:
    """Format the time of a post: a day if only that is known, with a sign if approximate.

    >>> format_post_time(datetime.fromisoformat("2026-05-01T01:20:00+00:00"), Precision.HOUR)
    '≈ 2026-05-01 09:20'
    """
    if precision == Precision.DAY:
        return on_day(moment)
    return f"{'≈ ' if precision == Precision.HOUR else ''}{format_local_time(moment)[:-3]}"


def on_day(moment: datetime) -> str:
    """Format the day in China, as in date fields of forms."""
    return china_day(moment).isoformat()


def group_digits(number: int) -> str:
    """Format an integer with thousands separators."""
    return f"{number:,}"


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Words by key: ``{key: {"zh": ..., "en": ...}}``, with placeholders in braces."""

    entries: Mapping[str, Mapping[str, str]]

    def text(self, language: str, key: str, **figures: object) -> str:
        """Return the words for this key. Raises `KeyError` if there are none."""
        entry = self.entries[key]
        return (to_taiwan(entry["zh"]) if language == "tw" else entry[language]).format(**figures)

    def find(self, language: str, key: str, **figures: object) -> str | None:
        """Return the words as `text` does, or None if the key is unknown or a figure is missing. For keys from data."""
        try:
            return self.text(language, key, **figures)
        except (KeyError, IndexError):
            return None

    def both(self, key: str) -> str:
        """Return the words in the languages of the report in one line, as in headings of reports."""
        entry = self.entries[key]
        return " ".join(entry[language] for language in report_languages())


@cache
def catalogue() -> Catalogue:
    """Return the catalogue, loaded from the files words*.json of dashboard and reports.

    Raises `ValueError` if two files have the same key.
    """
    entries: dict[str, Mapping[str, str]] = {}
    root = Path(__file__).parents[2]
    for path in sorted([*root.glob("dashboard/*/words*.json"), *root.glob("wenhen/reports/words*.json")]):
        part = json.loads(path.read_text(encoding="utf-8"))
        if twice := entries.keys() & part.keys():
            raise ValueError(f"{path.name} has keys that another file has: {', '.join(sorted(twice))}")
        entries |= part
    return Catalogue(entries)


def reason_text_in(chosen: str, reason: str) -> str:
    """Return the words for a reason key with a figure (``share_of_page:0.83``), or the key if it is unknown."""
    key, _, figure = reason.partition(":")
    sentence = catalogue().find(chosen, f"reason.{key}", figure=figure, percent=_figure_as_percent(figure))
    return (sentence if figure else None) or reason


def _figure_as_percent(figure: str) -> str:
    try:
        return percent(float(figure))
    except ValueError:
        return figure


def place_words(place: TextPlace) -> dict[str, str]:
    """Return the location by language, after the name of the file in an archive."""
    figures = {"number": place.number, "paragraph": place.paragraph, "clock": place.clock}
    words = {language: catalogue().text(language, f"place.{place.kind}", **figures) for language in REPORT_LANGUAGES}
    return {word: f"{place.file} {sentence}" if place.file else sentence for word, sentence in words.items()}


def post_words(post: PassagePost) -> dict[str, str]:
    """Return the post by language: number, author, time and quoted author."""
    return {language: " · ".join(filter(None, _post_parts(post, language))) for language in REPORT_LANGUAGES}


def _post_parts(post: PassagePost, language: Language) -> tuple[str | None, ...]:
    text = catalogue().text
    return (
        text(language, "post.floor", number=post.floor) if post.floor is not None else None,
        post.author,
        format_post_time(post.written_at, post.precision) if post.written_at is not None else None,
        _quotation_words(post, language) if post.quoted else None,
    )


def _quotation_words(post: PassagePost, language: Language) -> str:
    text = catalogue().text
    return text(language, "post.quoting", name=post.quoted_from) if post.quoted_from else text(language, "post.quoted")
