"""No screen shows a code as it is stored, and every large number has its separators."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Final

from flask.testing import FlaskClient

from tests.support.browsing.every_screen import SCREENS, fill_every_screen
from tests.support.people import add_user, signed_in
from tests.support.screens import MakeApp
from tests.support.seed import Seeder, long_case
from wenhen.kit.errors import Message, message
from wenhen.kit.rights import Role
from wenhen.runtime.wiring import App

# What stands in these is told as it is: names and texts of others, addresses, code and times.
VERBATIM: Final = frozenset({"bdi", "code", "kbd", "pre", "script", "style", "template", "textarea", "time"})
VOID: Final = frozenset({"br", "hr", "img", "input", "link", "meta", "source", "wbr", "rect", "line", "path"})
CODE: Final = re.compile(r"\b[a-z]+_[a-z_]+\b")
NUMBER: Final = re.compile(r"(?<![\w./:,#-])\d{5,}(?![\w./:-])")
LARGE: Final = 1_234_567


class Words(HTMLParser):
    """The words that a page says by itself."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self._open: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        spoken = {"aria-label", "alt", "title", "placeholder"}
        self.found += [value for name, value in attrs if name in spoken and value and tag not in VERBATIM]
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if data.strip() and not VERBATIM & set(self._open):
            self.found.append(data.strip())


def said(client: FlaskClient, places: dict[str, str]) -> Iterator[tuple[str, str]]:
    """The words of every screen in both languages. The documents quote code on purpose."""
    for language in ("zh", "en"):
        for name, address in {**SCREENS, "long": "/cases/5"}.items():
            if name not in {"document", "guide", "letter"}:
                here = address.format(**places)
                page = client.get(f"{here}{'&' if '?' in here else '?'}lang={language}").text
                yield from ((f"{name} {language}", words) for words in Words(page).found)


def test_no_screen_shows_a_stored_code_or_a_large_number_without_separators(
    make_app: MakeApp, seed: Seeder, product: App
) -> None:
    store = seed.store
    places = fill_every_screen(seed, product)
    long_case(seed)
    add_user(store, "chief", Role.ADMINISTRATOR)
    store.works.table.update_all({}, {"$set": {"characters": LARGE, "versions.$[].characters": LARGE}})
    store.pages.table.update_all({}, {"$set": {"characters": LARGE, "captures": LARGE}})
    store.cases.table.update_all({}, {"$set": {"match.longest_run": LARGE, "match.copied_of_work": LARGE}})
    store.runs.table.update_all({}, {"$set": {"counts": {"fetched": LARGE, "failed_http_404": LARGE}}})
    everything = list(said(signed_in(make_app(sign_in=True), "chief"), places))
    assert sum(f"{LARGE:,}" in words for _, words in everything) > 20
    assert [(where, words) for where, words in everything if CODE.search(words) or NUMBER.search(words)] == []


def test_sentences_separate_what_is_counted_and_leave_what_is_numbered() -> None:
    many: Message = message("bringing.too_many", count=12_345, most=500)
    assert "12,345" in many.text("zh")
    assert "12,345" in many.text("en")
    missed = message("marks.too_long", characters=12_345, most=500)
    assert ("12,345" in missed.text("en"), "12345" in str(missed)) == (True, True), "the latter is for programs"
    assert "case 12345 " in message("cases.no_passage", number=12_345, passages=1, given=2).text("en")
