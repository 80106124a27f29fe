"""Parts of a page that begin with a heading such as 相关阅读 or 网友评论, known by that heading."""

import re
from collections.abc import Sequence

from crawler.extract.choosing.prose import prose_of, runs_on
from crawler.extract.page_lines import Element, PageBlocks, TextLine, ends_of

HEADING = re.compile(
    r"^[\s▎■●|【\[]*(?:(?:推荐|相关|延伸|热门|精选|更多|猜你喜欢|最新|精彩|热点|今日|本周|大家都在看|编辑)"
    r"(?:阅读|推荐|新闻|文章|报道|资讯|内容|主题帖|帖子|图集|图片|精彩|排行|热点|热搜|要闻|评论|小说|作品|稿件|链接|解读|博文)|"
    r"猜你喜欢|你?可能(?:还|也)?(?:会)?(?:感兴趣|喜欢).{0,4}|大家都在看|看过本文的人还看了|"
    r"(?:网友|读者|用户|新闻|全部|热门|最新|精彩)(?:评论|留言|点评)(?:列表)?|评论(?:列表|\s*[\[（(]?(?:发评论|抢沙发|\d+)[\]）)]?)|评论区|(?:发表|添加新?|我要)(?:评论|留言)|"
    r"(?:全部|已有|共有?)?\s*\d+\s*条(?:评论|回复|留言)|"
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
    headings = [place for place, line in enumerate(lines) if is_heading(line.text)]
    kept = list(lines)
    if not headings:
        return kept
    ends = ends_of(elements)
    whole = sum(len(line.text) for line in lines)
    for place in headings[:MOST_HEADINGS]:
        part = _part(lines, elements, ends, place)
        if not OF_READERS.search(lines[place].text):
            prose = set(map(id, prose_of(part)))
            part = [one for one in part if id(one) not in prose]
        if 2 * sum(len(one.text) for one in part) < whole:
            gone = set(map(id, part))
            kept = [one for one in kept if id(one) not in gone]
    return kept


def replies_under_headings(blocks: PageBlocks, headings: Sequence[int]) -> set[int]:
    """The elements that hold nothing but what readers wrote about the page, as a heading over them says.

    headings: the lines that are such as `is_heading` tells.
    """
    headings = [place for place in headings if _REPLIES.search(blocks.lines[place].text)]
    if not headings:
        return set()
    found, ends = set[int](), ends_of(blocks.elements)
    for place in headings[:MOST_HEADINGS]:
        before = {line.element for line in blocks.lines[:place]}
        found.update({line.element for line in _part(blocks.lines, blocks.elements, ends, place)} - before)
    left = sum(len(line.text) for line in blocks.lines if line.element not in found and runs_on(line))
    return found if left >= _LEFT else set()


def is_heading(text: str) -> bool:
    """Whether a line begins such a part."""
    return len(text) <= LONGEST and HEADING.match(text) is not None


def _part(lines: Sequence[TextLine], elements: Sequence[Element], ends: Sequence[int], place: int) -> list[TextLine]:
    around, behind = lines[place].element, lines[place + 1 : place + 2]
    # What comes next stands in the smallest element that holds more, or behind it.
    while around and not any(around <= line.element < ends[around] for line in behind):
        around = elements[around].parent
    return [line for line in lines[place:] if around <= line.element < ends[around]]
