"""Does a page say where a passage comes from? Quotation marks around it, and a source named beside it.

It changes no verdict: what is a quotation is decided by length, in `matcher.verdict.quotation`.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from store.records import Passage

_BEFORE = 80  # code points of the page before a passage in which its source may be named
_AFTER = 60
_EDGE = 3  # code points between a quotation mark and where the alignment puts the passage's end
_SOURCE = re.compile(
    r"(?:来源|來源|出处|出處|转载自|轉載自|转自|轉自|摘自|选自|選自|引自|出自|节选自|節選自|原载|原載|编译自|編譯自|原文(?:链接|地址)?|作者|文)\s*[:：/／|｜]"
    r"|(?:转载自|轉載自|摘自|选自|選自|引自|出自|节选自|節選自|原载于?|原載於?)\s*[《“「『\w]"
    r"|据[^，。\n]{1,20}(?:报道|消息|介绍)|據[^，。\n]{1,20}(?:報道|報導|消息|介紹)"
    r"|(?:经|經)[^，。\n]{0,12}(?:授权|授權)(?:转载|轉載|发布|發布)"
    r"|[^，。\n]{1,20}(?:写道|寫道|指出|说过|說過)\s*[:：]"
)
_OPENING, _CLOSING = "“‘「『《>＞", "”’」』》"


def attributed(page: str, passage: Passage, *, title: str, author: str | None) -> bool:
    """The page names a source beside the passage: by a phrase such as 摘自, or by the work's title or author."""
    before = page[max(0, passage.page_start - _BEFORE) : passage.page_start]
    after = page[passage.page_end : passage.page_end + _AFTER]
    names = [f"《{title}》", *([author] if author and len(author) > 1 else [])]
    return any(_names_a_source(beside) or any(name in beside for name in names) for beside in (before, after))


@lru_cache(maxsize=256)  # of a page that many works share a sentence with, the same is asked for each
def _names_a_source(beside: str) -> bool:
    return _SOURCE.search(beside) is not None


def quoted(page: str, passage: Passage) -> bool:
    """The passage stands between quotation marks."""
    opening = page[max(0, passage.page_start - _EDGE) : passage.page_start + 1]
    closing = page[max(0, passage.page_end - 1) : passage.page_end + _EDGE]
    return any(mark in opening for mark in _OPENING) and any(mark in closing for mark in _CLOSING)


def attribution(page: str, passages: Sequence[Passage], *, title: str, author: str | None) -> tuple[str, ...]:
    """Message keys with their figures: how many passages are attributed, and how many are quoted as well; none where
    none is.
    """
    named = [one for one in passages if attributed(page, one, title=title, author=author)]
    both = [one for one in named if quoted(page, one)]
    figures = (("attributed", len(named)), ("quoted", len(both)))
    return tuple(f"{key}:{figure}" for key, figure in figures if figure)
