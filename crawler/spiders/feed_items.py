"""Texts that stand in a feed in full, while their pages hold the beginning alone, or are gone.

RSS 2.0 with its content module, Atom (RFC 4287, 4.1.3), JSON Feed 1.1.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from itertools import accumulate
from typing import Any, Self

import lxml.etree
from selectolax.lexbor import LexborHTMLParser

LEAST = 200  # characters of an item that is more than a summary
LONGEST = 200_000  # characters of its markup
MOST = 2_000_000  # of all items of a feed together
STANDS = 0.5  # share of an item's sentences from which on a page holds it
SHORTEST = 8  # characters of a sentence that says something
ENDS = re.compile(r"[。！？!?\n]+")
SPACES = re.compile(r"\s+")
CONTENT = ("{http://purl.org/rss/1.0/modules/content/}encoded", "{*}content", "{*}description")


@dataclass(frozen=True, slots=True)
class FeedItem:
    """The text of one item as a page of its own, and what that page says."""

    page: str
    text: str

    @classmethod
    def of(cls, title: str, markup: str) -> Self | None:
        """None for what is shorter than a text, or longer than any."""
        if not LEAST <= len(markup) <= LONGEST:
            return None
        text = LexborHTMLParser(markup.replace("\0", "")).text(separator="\n")
        if len(SPACES.sub("", text)) < LEAST:
            return None
        head = f"<!DOCTYPE html><html><head><meta charset=utf-8><title>{escape(title)}</title></head>"
        return cls(f"{head}<body><article><h1>{escape(title)}</h1>{markup}</article></body></html>", text)

    def stands_in(self, text: str) -> bool:
        """Whether a page that says this holds most of the item."""
        said = SPACES.sub("", text)
        sentences = [one for part in ENDS.split(self.text) if len(one := SPACES.sub("", part)) >= SHORTEST]
        there = sum(len(one) for one in sentences if one in said)
        return there >= STANDS * sum(map(len, sentences))


def item_of_element(element: lxml.etree._Element) -> FeedItem | None:
    """The item of RSS or Atom, if it holds its text."""
    title = element.findtext("{*}title") or ""
    found = (one for name in CONTENT for one in element.iterchildren(name))
    return next((item for one in found if (item := FeedItem.of(title.strip(), _markup(one)))), None)


def item_of_json(item: Mapping[str, Any]) -> FeedItem | None:
    """The item of a JSON feed, if it holds its text."""
    markup, text = item.get("content_html"), item.get("content_text")
    if not isinstance(markup, str) and isinstance(text, str):
        markup = "".join(f"<p>{escape(line)}</p>" for line in text.splitlines())
    return FeedItem.of(str(item.get("title") or ""), markup) if isinstance(markup, str) else None


def within(items: Mapping[str, FeedItem | None]) -> dict[str, FeedItem]:
    """Those that hold a text, the first ones, as many as a crawl carries along."""
    full = {url: item for url, item in items.items() if item is not None}
    sizes = accumulate(len(item.page) for item in full.values())
    return {url: item for (url, item), size in zip(full.items(), sizes, strict=True) if size <= MOST}


def _markup(element: lxml.etree._Element) -> str:
    """What an element holds: markup written as text, or elements (Atom's xhtml)."""
    if len(element) == 0:
        return element.text or ""
    return "".join(lxml.etree.tostring(child, encoding="unicode", with_tail=True) for child in element)
