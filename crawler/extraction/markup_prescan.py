"""Scan the bytes of a page before parsing: which tags it names, whether it may hold posts."""

import re
from typing import Final

import re2  # searches for many words at once

from crawler.extraction.posts.forum_software import FORUM_SOFTWARE, has_forum_signs

# Signs of tags in the markup, all searched at once.
#
# An absent sign cannot be in the tree, where searching for it takes ten times as long.


BASE_TAG: Final = "<base"
STYLE_TAG: Final = "<style"
LINKED_DATA_TYPE: Final = "application/ld"
AUTHOR_WORD: Final = "author"
BYLINE_WORD: Final = "byline"
TIME_TAG: Final = "<time"
TIME_SIGNS: Final = ("datepublished", "pubtime", "publish_time", "news-time", "data-ptime")  # of time elements
WECHAT_SIGN: Final = "js_content"  # the element of an article's text
FORUM_SIGN: Final = "forum"  # a sign of a program that writes posts


def scan_markup(markup: bytes) -> frozenset[str]:
    """Return the signs that occur in the markup, in any letter case. markup: in UTF-8."""
    return frozenset(_PATTERN_NAMES[number] for number in _PATTERN_SET.Match(markup) or ())


_SCAN_PATTERNS = {
    **{
        f"(?i){word}": word
        for word in (BASE_TAG, STYLE_TAG, LINKED_DATA_TYPE, AUTHOR_WORD, BYLINE_WORD, TIME_TAG, WECHAT_SIGN)
    },
    **{f"(?i){sign}": TIME_TAG for sign in TIME_SIGNS},
    **{re2.escape(sign): FORUM_SIGN for software in FORUM_SOFTWARE for sign in software.signs},  # case-sensitive
}
_PATTERN_NAMES = tuple(_SCAN_PATTERNS.values())
_PATTERN_SET = re2.Set.SearchSet()
for _pattern in _SCAN_PATTERNS:
    _PATTERN_SET.Add(_pattern)
_PATTERN_SET.Compile()


_DATE_AND_TIME = re.compile(rb"(?:19|20)\d\d(?:[-/.]|\D{2,3})\d{1,2}(?:[-/.]|\D{2,3})\d{1,2}\D{1,9}\d{1,2}:\d\d")
_AGO_UNITS = ("天前", "小时前", "分钟前", "小時前", "分鐘前")
_AGO_PATTERN = re.compile(
    b"|".join(
        (rb"\d [a-z]{3,6}s? ago\b", *(ago_unit.encode(c) for ago_unit in _AGO_UNITS for c in ("utf-8", "gb18030")))
    )
)


def may_hold_posts(body: bytes) -> bool:
    """Tell whether it is worth searching for posts: true for every thread, and for almost no article."""
    return has_forum_signs(body) or any(
        sum(1 for _ in pattern.finditer(body)) > 1 for pattern in (_DATE_AND_TIME, _AGO_PATTERN)
    )
