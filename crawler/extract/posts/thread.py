"""The posts of a text: of one page, or of a thread over several that make one text."""

from collections.abc import Sequence
from datetime import datetime

from selectolax.lexbor import LexborHTMLParser

from crawler.extract.charset import decode, header_charset
from crawler.extract.markup.bounded_markup import bounded
from crawler.extract.posts.by_structure import posts_by_structure
from crawler.extract.posts.holds_posts import ThreadPage
from crawler.extract.posts.in_data import posts_in_data
from crawler.extract.posts.in_markup import posts_in_markup
from crawler.extract.posts.post import PlacedPost, Post
from crawler.extract.posts.posts_in_text import placed


def posts_in_text(pages: Sequence[ThreadPage], text: str) -> tuple[PlacedPost, ...]:
    """Where in a text the posts of its pages stand, in its order; those that are no part of it are left out."""
    return placed([post for body, headers, fetched_at in pages for post in _posts(body, headers, fetched_at)], text)


def _posts(body: bytes, headers: tuple[tuple[str, str], ...], fetched_at: datetime | None) -> list[Post]:
    html = bounded(decode(body, header_charset(headers)).text).replace("\0", "")
    tree = LexborHTMLParser(html)
    return posts_in_markup(tree, html, fetched_at) or posts_in_data(tree) or posts_by_structure(tree, fetched_at)
