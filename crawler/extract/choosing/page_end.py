"""Where a text ends, and what a page says behind it begins: bylines, links to other pages, words of the site."""

import re
from collections.abc import Collection, Sequence
from functools import lru_cache

from crawler.extract.choosing.bylines_and_buttons import is_byline
from crawler.extract.choosing.disclaimers import is_reservation
from crawler.extract.choosing.navigation import is_navigation
from crawler.extract.choosing.prose import SHORT, runs_on
from crawler.extract.choosing.site_notices import is_foot, is_said_by_the_site
from crawler.extract.page_lines import TextLine

# Who saw to a text stands behind it; who wrote it may stand before a poem.
_CREDIT = re.compile(
    r"^[\s（(\[【]*(?:(?:我要)?纠错[】\])）]\s*)?(?:责任编辑|責任編輯|责编|值班编辑|编辑|編輯|校对|审核|监制|供稿|撰稿|[初复终一二三]审|签发)\s*[:：/／]"
)
_SAID = re.compile(r"[。！？；，、…”!?;]|[,.:：](?![\d\s]|$)")
_NEIGHBOUR = re.compile(r"^\W*[上下前后後]一?[篇条條页頁章则則]")
_ASIDE = 60  # characters of short sentences behind such a line


def end_of_text(lines: Sequence[TextLine], references: Collection[int], *, own_voice: bool) -> int:
    """The number of lines up to the end of the text.

    Short words without a sentence are passed by where something stands before them behind which nothing is said; short
    sentences, if they are few, where it is who saw to the text.
    """
    end, leads_on, aside = len(lines), True, 0
    prose = next((place for place, line in enumerate(lines) if runs_on(line)), end)
    for place in range(len(lines) - 1, -1, -1):
        line = lines[place]
        navigation = leads_on and is_navigation(line) and line.element not in references
        byline = is_byline(line.text)
        neighbour = navigation and place > prose and _NEIGHBOUR.match(line.text) is not None
        if (
            (navigation and place == end - 1)
            or neighbour
            or (not byline and not aside and _closes(line.text, own_voice))
        ):
            end = place
        elif byline and not own_voice and (place == end - 1 or (place > prose and is_credit(line.text))):
            end, leads_on, aside = place, False, 0  # links before a byline stand in the text
        elif not (navigation or byline or _says_nothing(line.text)):
            aside += len(line.text)
            if aside > _ASIDE or runs_on(line):
                break
    return end


@lru_cache(maxsize=10_000)
def is_credit(text: str) -> bool:
    """Whether a line says who saw to the text before it.

    >>> is_credit("（责任编辑：沈青）"), is_credit("编辑部里只有一个人。")
    (True, False)
    """
    return _CREDIT.match(text) is not None and is_byline(text)


def _says_nothing(text: str) -> bool:
    return _SAID.search(text) is None and sum(map(str.isalnum, text)) < SHORT


def _closes(text: str, own_voice: bool) -> bool:
    return is_foot(text) if own_voice else is_said_by_the_site(text) or is_reservation(text)
