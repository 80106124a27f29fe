"""Where a page stands among the pages and chapters of a longer text."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ChapterPlace:
    """Where a page stands. Addresses are in full, as `crawler.crawl.canonical_addresses.canonical` writes them."""

    chapter: int | None = None
    volume: int | None = None
    previous_page: str | None = None  # of the same chapter, or article
    next_page: str | None = None
    previous_chapter: str | None = None
    next_chapter: str | None = None
    novel: bool = False  # a chapter of one, rather than a page of an article
