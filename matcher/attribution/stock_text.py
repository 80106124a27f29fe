"""Recognize stock text and named sources.

Credits, farewells and quotations with their source accuse nobody. Code, lists of options, paths and English sentences
may be copied, but they accuse nobody where several works have them. A named source changes no verdict:
`matcher.attribution.verdict` decides by length what is a quotation.
"""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np

from fingerprinter.alphabet import Initials
from matcher.alignment.local_alignment import AlignedPassage
from matcher.model import Passage

_HAN = re.compile(r"[\u3400-\u9fff\U00020000-\U0003ffff]")
_COMMAND_OPTION = re.compile(r"\s{0,9}-{1,2}[A-Za-z][\w-]{0,40}\b")
_MENU_ARROW = re.compile(r"(?:→|➔|->|»|›|＞)")
_CREDIT = re.compile(
    r"(?:via|作者|译者|譯者|翻译|校对|校對|审校|选题|编辑|編輯|责编|排版|监制|来源|來源|原文(?:链接|地址)?|译自|编译|图片来源|转自)\s{0,2}[:：]|"
    r"本文由.{1,20}(?:编译|原创|推出|发布)"
)
_FAREWELL = re.compile(
    r"(?:感谢|谢谢).{0,6}(?:读|看|听)|欢迎.{0,14}(?:转|关注|订阅|留言|来信)|下(?:周|期|次|篇|回|个?月).{0,6}见|我是.{2,14}[，,。]|"
    r"以上就是|今天.{0,4}(?:到这里|全部内容)|如果你?(?:也)?喜欢|转给|点个(?:赞|在看)|公众号"
)
_MIN_FAREWELLS = 2  # farewells in one line
_MAX_LIST_LINE = 80  # characters of a line with options or a menu
_MAX_CREDIT_LINE = 140  # characters
_MAX_HAN_SHARE = 0.15  # share of Han characters below which a line is code, a path or English
_SAMPLED_LINE_SHARE = 0.3  # share of a line that is counted first
_MIN_STOCK_SHARE = 0.85  # share of a passage in stock lines, from which it is stock text
_MAX_STOCK_CHARACTERS = 400  # characters of a passage that can be stock text
_MAX_QUOTED_CHARACTERS = 100  # characters of a quotation
_MIN_NAMED_SHARE = 0.7  # share of the agreeing letters in names, from which a passage is only names
MAX_NAMES_WEIGHT = 45.0  # weight of all passages of names, above which a list was copied
_LATIN_WORD = re.compile(r"[A-Za-z]+")
_NAME_PARTICLES = frozenset(("of", "and", "the", "for", "in", "on", "de", "at"))
# With its source before or behind it.
_SOURCED_QUOTATION = re.compile(
    rf"(?:《[^》\n]{{1,30}}》|引自|摘自|出自|语出|載|所载|记载)[^“”「」『』\n]{{0,24}}[“「『][^”」』\n]{{8,{_MAX_QUOTED_CHARACTERS}}}[”」』]|"
    rf"[“「『][^”」』\n]{{8,{_MAX_QUOTED_CHARACTERS}}}[”」』]\s{{0,2}}(?:——|—|[（(](?:引自|摘自|出自|见)?)\s{{0,2}}[^（(\n]{{0,12}}《[^》\n]{{1,30}}》"
)


def is_stock_text(page_text: str, work_text: str, aligned: AlignedPassage) -> bool:
    """Whether a passage is short, and credits, a farewell or a quotation with its source."""
    # The work shows the original text, as the page may be disguised.
    start, end = aligned.passage.work_start, aligned.passage.work_end
    if end - start > _MAX_STOCK_CHARACTERS:
        return False
    is_stock = _share_of_lines(work_text, start, end, _is_credit_or_farewell) >= _MIN_STOCK_SHARE
    return is_stock or _is_sourced_quotation(page_text, aligned.passage.page_start, aligned.passage.page_end)


def is_proper_names(work_text: str, work: Initials, aligned: AlignedPassage) -> bool:
    """Whether nearly all that agrees in a short passage in letters is names: bodies, places, titles."""
    start, end = aligned.passage.work_start, aligned.passage.work_end
    if aligned.han or end - start > _MAX_STOCK_CHARACTERS or not len(aligned.agreed):
        return False
    in_name = np.zeros(end - start, np.bool_)
    is_name = False
    for word in _LATIN_WORD.finditer(work_text, start, end):
        is_name = word[0].istitle() or (is_name and word[0] in _NAME_PARTICLES)
        in_name[word.start() - start : word.end() - start] = is_name
    places = work.starts[aligned.agreed[:, 1]].astype(np.int64) - start
    return bool(in_name[places[(places >= 0) & (places < end - start)]].mean() >= _MIN_NAMED_SHARE)


def is_technical_text(work_text: str, aligned: AlignedPassage) -> bool:
    """Whether a passage is code, program output, options, paths, menus, or English."""
    return (
        _share_of_lines(work_text, aligned.passage.work_start, aligned.passage.work_end, _is_technical_line)
        >= _MIN_STOCK_SHARE
    )


def _share_of_lines(text: str, start: int, end: int, kind: Callable[[str], bool]) -> float:
    """Share of a span in lines of a kind, without spaces."""
    whole = of_kind = 0
    line_start = text.rfind("\n", 0, start) + 1
    while line_start < end:
        line_end = text.find("\n", line_start)
        line_end = len(text) if line_end < 0 else line_end
        length = len("".join(text[max(line_start, start) : min(line_end, end)].split()))
        whole += length
        of_kind += length if kind(text[line_start:line_end]) else 0
        line_start = line_end + 1
    return of_kind / whole if whole else 0.0


def _is_credit_or_farewell(line: str) -> bool:
    if len(line) > _MAX_CREDIT_LINE:
        return False
    return _CREDIT.search(line) is not None or len(_FAREWELL.findall(line)) >= _MIN_FAREWELLS


def _is_technical_line(line: str) -> bool:
    if len(line) <= _MAX_LIST_LINE and (_COMMAND_OPTION.match(line) or len(_MENU_ARROW.findall(line)) > 1):
        return True
    plain = "".join(line.split())
    few = _MAX_HAN_SHARE * len(plain)
    # Most lines have enough Han characters at their beginning.
    return len(_HAN.findall(plain, 0, int(_SAMPLED_LINE_SHARE * len(plain)))) < few and len(_HAN.findall(plain)) < few


def _is_sourced_quotation(text: str, start: int, end: int) -> bool:
    """Whether nearly all of a span is a quotation that names its source."""
    begin = max(0, start - _MAX_QUOTED_CHARACTERS)
    for quotation in _SOURCED_QUOTATION.finditer(text[begin : end + _MAX_QUOTED_CHARACTERS]):
        both = min(begin + quotation.end(), end) - max(begin + quotation.start(), start)
        if both >= _MIN_STOCK_SHARE * (end - start):
            return True
    return False


_SOURCE_BEFORE = 80  # code points before a passage in which its source may be named
_SOURCE_AFTER = 60  # code points behind it
_QUOTATION_MARK_DISTANCE = 3  # code points between a quotation mark and the end of the passage
_SOURCE_PHRASE = re.compile(
    r"(?:来源|來源|出处|出處|转载自|轉載自|转自|轉自|摘自|选自|選自|引自|出自|节选自|節選自|原载|原載|编译自|編譯自|原文(?:链接|地址)?|作者|文)\s*[:：/／|｜]"
    r"|(?:转载自|轉載自|摘自|选自|選自|引自|出自|节选自|節選自|原载于?|原載於?)\s*[《“「『\w]"
    r"|据[^，。\n]{1,20}(?:报道|消息|介绍)|據[^，。\n]{1,20}(?:報道|報導|消息|介紹)"
    r"|(?:经|經)[^，。\n]{0,12}(?:授权|授權)(?:转载|轉載|发布|發布)"
    r"|[^，。\n]{1,20}(?:写道|寫道|指出|说过|說過)\s*[:：]"
)
_OPENING_MARKS, _CLOSING_MARKS = "“‘「『《>＞", "”’」』》"


def is_attributed(page: str, passage: Passage, *, title: str, author: str | None) -> bool:
    """Whether the page names a source beside the passage: a phrase such as 摘自, or the work's title or author."""
    before = page[max(0, passage.page_start - _SOURCE_BEFORE) : passage.page_start]
    after = page[passage.page_end : passage.page_end + _SOURCE_AFTER]
    names = [f"《{title}》", *([author] if author and len(author) > 1 else [])]
    return any(_names_source(beside) or any(name in beside for name in names) for beside in (before, after))


@lru_cache(maxsize=256)  # asked for each work that shares a sentence with the page
def _names_source(beside: str) -> bool:
    return _SOURCE_PHRASE.search(beside) is not None


def is_quoted(page: str, passage: Passage) -> bool:
    """Whether the passage stands between quotation marks."""
    opening = page[max(0, passage.page_start - _QUOTATION_MARK_DISTANCE) : passage.page_start + 1]
    closing = page[max(0, passage.page_end - 1) : passage.page_end + _QUOTATION_MARK_DISTANCE]
    return any(mark in opening for mark in _OPENING_MARKS) and any(mark in closing for mark in _CLOSING_MARKS)


def attribution_reasons(page: str, passages: Sequence[Passage], *, title: str, author: str | None) -> tuple[str, ...]:
    """Return message keys with the number of attributed passages, and of those also quoted, if any."""
    attributed = [passage for passage in passages if is_attributed(page, passage, title=title, author=author)]
    quoted = [passage for passage in attributed if is_quoted(page, passage)]
    figures = (("attributed", len(attributed)), ("quoted", len(quoted)))
    return tuple(f"{key}:{figure}" for key, figure in figures if figure)
