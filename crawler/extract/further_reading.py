"""Parts of a page that begin with a heading such as 相关阅读 or 网友评论, known by that heading."""

import re
from collections.abc import Sequence
from itertools import islice

from crawler.extract.blocks import Element, PageBlocks, TextLine
from crawler.extract.prose import prose_of, runs_on

HEADING = re.compile(
    r"^[\s▎■●|【\[]*(?:(?:推荐|相关|延伸|热门|精选|更多|猜你喜欢|最新|精彩|热点|今日|本周|大家都在看|编辑)"
    r"(?:阅读|推荐|新闻|文章|报道|资讯|内容|主题帖|帖子|图集|图片|精彩|排行|热点|热搜|要闻|评论|小说|作品)|"
    r"猜你喜欢|你?可能(?:还|也)?(?:会)?(?:感兴趣|喜欢).{0,4}|大家都在看|看过本文的人还看了|"
    r"(?:网友|读者|全部|热门|最新|精彩)(?:评论|留言|点评)|发表评论|评论区|(?:全部|共)?\s*\d+\s*条(?:评论|回复|留言)|"
    r"related (?:articles|posts|stories|reading)|comments|recommended(?: for you)?)[\s:：】\]]*(?:[(（]\d+[)）])?$",
    re.IGNORECASE,
)
OF_READERS = re.compile(r"评论|留言|点评|回复|帖|comments", re.IGNORECASE)
_REPLIES = re.compile(r"评论|留言|点评|comments", re.IGNORECASE)  # the posts of a forum are called otherwise
MOST_HEADINGS = 20  # of a page
_LEFT = 80  # characters of running text that a page must have beside the replies to it
LONGEST = 16  # characters of such a heading


def without_further_reading(lines: Sequence[TextLine], elements: Sequence[Element]) -> list[TextLine]:
    """The lines without the parts that such headings begin, but never without half of them.

    A part reaches to the end of the smallest element around its heading that holds more than the heading. Of it stays
    what is prose by itself, but for what readers wrote.
    """
    kept = list(lines)
    whole = sum(len(line.text) for line in lines)
    headings = (place for place, line in enumerate(lines) if len(line.text) <= LONGEST and HEADING.match(line.text))
    for place in islice(headings, MOST_HEADINGS):
        part = _part(lines, elements, place)
        if not OF_READERS.search(lines[place].text):
            prose = set(map(id, prose_of(part)))
            part = [one for one in part if id(one) not in prose]
        if 2 * sum(len(one.text) for one in part) < whole:
            gone = set(map(id, part))
            kept = [one for one in kept if id(one) not in gone]
    return kept


def replies_under_headings(blocks: PageBlocks) -> set[int]:
    """The elements that hold nothing but what readers wrote about the page, as a heading over them says."""
    headings = (place for place, line in enumerate(blocks.lines) if len(line.text) <= LONGEST and _is_of_replies(line))
    found: set[int] = set()
    for place in islice(headings, MOST_HEADINGS):
        found.update(line.element for line in _part(blocks.lines, blocks.elements, place))
    found -= {line.element for line in blocks.lines[: next(iter(_places(blocks, found)), 0)]}
    left = sum(len(line.text) for line in blocks.lines if line.element not in found and runs_on(line))
    return found if left >= _LEFT else set()


def _is_of_replies(line: TextLine) -> bool:
    return HEADING.match(line.text) is not None and _REPLIES.search(line.text) is not None


def _places(blocks: PageBlocks, elements: set[int]) -> Sequence[int]:
    return [place for place, line in enumerate(blocks.lines) if line.element in elements]


def _part(lines: Sequence[TextLine], elements: Sequence[Element], place: int) -> list[TextLine]:
    around = lines[place].element
    last = max(line.element for line in lines)
    while True:
        inside = _within(elements, around, last)
        part = [line for line in lines[place:] if line.element in inside]
        if len(part) > 1 or around == 0:
            return part
        around = elements[around].parent


def _within(elements: Sequence[Element], around: int, last: int) -> set[int]:
    inside = {around}
    for index in range(around + 1, last + 1):
        if elements[index].parent in inside:
            inside.add(index)
    return inside
