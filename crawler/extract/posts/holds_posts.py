"""Whether a page may be one of a thread, told from its bytes, before anything is read."""

import re
from datetime import datetime

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
