"""What texts share without one having been copied from the other, decided by what the shared words are.

Credits, a farewell and a quotation with its source accuse nobody. Code, lists of options, paths and English sentences
may have been copied; they accuse nobody where several works have them.
"""

import re
from collections.abc import Callable

from matcher.alignment.align import Aligned

_HAN = re.compile(r"[\u3400-\u9fff\U00020000-\U0003ffff]")
_OPTION = re.compile(r"\s{0,9}-{1,2}[A-Za-z][\w-]{0,40}\b")
_MENU = re.compile(r"(?:→|➔|->|»|›|＞)")
_CREDIT = re.compile(
    r"(?:via|作者|译者|譯者|翻译|校对|校對|审校|选题|编辑|編輯|责编|排版|监制|来源|來源|原文(?:链接|地址)?|译自|编译|图片来源|转自)\s{0,2}[:：]|"
    r"本文由.{1,20}(?:编译|原创|推出|发布)"
)
_FAREWELL = re.compile(
    r"(?:感谢|谢谢).{0,6}(?:读|看|听)|欢迎.{0,14}(?:转|关注|订阅|留言|来信)|下(?:周|期|次|篇|回|个?月).{0,6}见|我是.{2,14}[，,。]|"
    r"以上就是|今天.{0,4}(?:到这里|全部内容)|如果你?(?:也)?喜欢|转给|点个(?:赞|在看)|公众号"
)
_SAYINGS = 2  # of a line that takes leave
_LIST_LINE = 80  # characters of a line of options or of a menu
_CREDIT_LINE = 140
_FEW_HAN = 0.15  # share of Han characters below which a line is code, a path, English
_BEGINNING = 0.3  # share of a line that is looked at first
_MOST = 0.85  # share of what is shared in petty lines, from which it is petty
_LONGEST = 400  # characters; who takes more takes a text
_QUOTED = 100  # characters of a quotation
# Source before it, or behind it.
_QUOTATION = re.compile(
    rf"(?:《[^》\n]{{1,30}}》|引自|摘自|出自|语出|載|所载|记载)[^“”「」『』\n]{{0,24}}[“「『][^”」』\n]{{8,{_QUOTED}}}[”」』]|"
    rf"[“「『][^”」』\n]{{8,{_QUOTED}}}[”」』]\s{{0,2}}(?:——|—|[（(](?:引自|摘自|出自|见)?)\s{{0,2}}[^（(\n]{{0,12}}《[^》\n]{{1,30}}》"
)


def is_petty(page_text: str, work_text: str, one: Aligned) -> bool:
    """Whether what a passage shares is nobody's in particular, and little of it."""
    # The work says what was written; the page may have disguised it as anything.
    start, end = one.passage.work_start, one.passage.work_end
    if end - start > _LONGEST:
        return False
    said = _share(work_text, start, end, _is_credit_or_farewell) >= _MOST
    return said or _is_quoted(page_text, one.passage.page_start, one.passage.page_end)


def is_slight(work_text: str, one: Aligned) -> bool:
    """Whether what a passage shares is code, what a program printed, options, paths, menus, or English."""
    return _share(work_text, one.passage.work_start, one.passage.work_end, _is_technical) >= _MOST


def _share(text: str, start: int, end: int, kind: Callable[[str], bool]) -> float:
    """Share of a stretch that stands in lines of a kind; spaces do not count."""
    whole = of_kind = 0
    at = text.rfind("\n", 0, start) + 1
    while at < end:
        behind = text.find("\n", at)
        behind = len(text) if behind < 0 else behind
        inside = len("".join(text[max(at, start) : min(behind, end)].split()))
        whole += inside
        of_kind += inside if kind(text[at:behind]) else 0
        at = behind + 1
    return of_kind / whole if whole else 0.0


def _is_credit_or_farewell(line: str) -> bool:
    if len(line) > _CREDIT_LINE:
        return False
    return _CREDIT.search(line) is not None or len(_FAREWELL.findall(line)) >= _SAYINGS


def _is_technical(line: str) -> bool:
    if len(line) <= _LIST_LINE and (_OPTION.match(line) or len(_MENU.findall(line)) > 1):
        return True
    plain = "".join(line.split())
    few = _FEW_HAN * len(plain)
    # Most lines have enough in their beginning.
    return len(_HAN.findall(plain, 0, int(_BEGINNING * len(plain)))) < few and len(_HAN.findall(plain)) < few


def _is_quoted(text: str, start: int, end: int) -> bool:
    """Whether nearly all of a stretch is a quotation that names its source."""
    begin = max(0, start - _QUOTED)
    for quotation in _QUOTATION.finditer(text[begin : end + _QUOTED]):
        both = min(begin + quotation.end(), end) - max(begin + quotation.start(), start)
        if both >= _MOST * (end - start):
            return True
    return False
