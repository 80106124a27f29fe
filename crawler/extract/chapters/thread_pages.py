"""The pages of a thread by their addresses, as the common forum programs write them.

They count pages or posts, in the midst of an address, and name the first page otherwise than those after it.
"""

import re

_THREAD = re.compile(r"thread|topic|(?<![a-z])tid[=-]|/(?:t|d|p|read)/|read\.php")
# What tells the number of a page (counted from 1), or of its first post (from 0); an address without it is the first's.
_PAGES = (
    re.compile(r"thread-\d+(?P<cut>-(?P<number>\d{1,5})-\d+)(?=\.html?$|$)"),  # Discuz!
    re.compile(r"(?:thread|tid)-\d+(?P<cut>-page-(?P<number>\d{1,5}))(?=\.html?$)"),  # MyBB, phpwind
    re.compile(r"(?P<cut>/page-?(?P<number>\d{1,5}))/?$"),  # XenForo, vBulletin
    re.compile(r"[?&](?P<cut>(?:page|pn)=(?P<number>\d{1,5})(?:&|$))"),
)
_POSTS = (
    re.compile(r"[?&](?P<cut>start=(?P<number>\d{1,7})(?:&|$))"),  # phpBB, Douban
    re.compile(r"[?&]topic=\d+(?P<cut>\.(?P<number>\d{1,7}))(?![^&])"),  # SMF
)


def is_thread(url: str) -> bool:
    """Whether an address may be one of a thread's.

    >>> is_thread("http://bbs.test/thread-7-1-1.html"), is_thread("http://a.test/news/7.html")
    (True, False)
    """
    return _THREAD.search(url) is not None


def is_beside(url: str, other: str, step: int) -> bool:
    """Whether `other` is the page before `url` (step -1), or after it (1), in a thread; both canonical.

    >>> is_beside("http://bbs.test/thread-7-1-1.html", "http://bbs.test/thread-7-2-1.html", 1)
    True
    >>> is_beside("http://bbs.test/viewtopic.php?t=7", "http://bbs.test/viewtopic.php?t=7&start=25", 1)
    True
    >>> is_beside("http://bbs.test/thread-7-1-1.html", "http://bbs.test/thread-8-1-1.html", 1)
    False
    """
    if not (is_thread(url) and is_thread(other)):
        return False
    by_page = any(_apart(shape, url, other, first=1) == step for shape in _PAGES)
    return by_page or any(step * _apart(shape, url, other, first=0) > 0 for shape in _POSTS)


def _apart(shape: re.Pattern[str], url: str, other: str, *, first: int) -> int:
    """By how many the two are apart; 0 where they are of different threads. first: the number of the first page."""
    here, there = _numbered(shape, url, first), _numbered(shape, other, first)
    return there[1] - here[1] if here[0] == there[0] else 0


def _numbered(shape: re.Pattern[str], url: str, first: int) -> tuple[str, int]:
    """The address without what tells the number, and the number."""
    found = shape.search(url)
    if found is None:
        return url.rstrip("/?&"), first
    return (url[: found.start("cut")] + url[found.end("cut") :]).rstrip("/?&"), int(found["number"])
