"""The posts of a text: of one page, or of a thread over several that make one text."""

import re
from collections.abc import Sequence
from datetime import datetime

from selectolax.lexbor import LexborHTMLParser

from crawler.extract.bounded_markup import bounded
from crawler.extract.charset import decode, header_charset
from crawler.extract.posts.by_structure import posts_by_structure
from crawler.extract.posts.in_data import posts_in_data
from crawler.extract.posts.in_markup import posts_in_markup
from crawler.extract.posts.post import PlacedPost, Post
from crawler.extract.posts.posts_in_text import placed
from crawler.extract.posts.softwares import has_signs

# A body, the headers that came with it, and when it was fetched, where that is known.
ThreadPage = tuple[bytes, tuple[tuple[str, str], ...], datetime | None]

_TIME = re.compile(rb"(?:19|20)\d\d(?:[-/.]|\D{2,3})\d{1,2}(?:[-/.]|\D{2,3})\d{1,2}\D{1,9}\d{1,2}:\d\d")
_UNITS = ("天前", "小时前", "分钟前", "小時前", "分鐘前")
_AGO = re.compile(
    b"|".join((rb"\d [a-z]{3,6}s? ago\b", *(one.encode(c) for one in _UNITS for c in ("utf-8", "gb18030"))))
)


def may_hold_posts(body: bytes) -> bool:
    """Whether there is any use in looking for posts: nearly no article is such, and no thread is not."""
    return has_signs(body) or any(sum(1 for _ in one.finditer(body)) > 1 for one in (_TIME, _AGO))


def posts_in_text(pages: Sequence[ThreadPage], text: str) -> tuple[PlacedPost, ...]:
    """Where in a text the posts of its pages stand, in its order; those that are no part of it are left out."""
    return placed([post for body, headers, fetched_at in pages for post in _posts(body, headers, fetched_at)], text)


def _posts(body: bytes, headers: tuple[tuple[str, str], ...], fetched_at: datetime | None) -> list[Post]:
    html = bounded(decode(body, header_charset(headers)).text).replace("\0", "")
    tree = LexborHTMLParser(html)
    return posts_in_markup(tree, html, fetched_at) or posts_in_data(tree) or posts_by_structure(tree, fetched_at)
