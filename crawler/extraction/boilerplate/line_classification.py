"""Classify lines: navigation, bylines, buttons, running text, dates and credits."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from crawler.extraction.boilerplate.site_notices import is_site_notice
from crawler.extraction.page_lines import TextLine

# Navigation lines are no text. `page_sections` finds navigation by element names.


_MIN_LINKED_SHARE: Final = 0.5  # share of link characters from which a line is navigation
_MIN_LABELLED_SHARE: Final = 0.2  # share from which its letters are counted
_MAX_LABEL_LETTERS: Final = 6  # letters of a label before or between a row of links
_SENTENCE_STOP: Final = re.compile(r"[。！？；，]")


def is_navigation(line: TextLine) -> bool:
    """Tell whether links are most of a line, brackets and arrows aside, or all of it after a label.

    >>> is_navigation(TextLine(0, "[收藏] [打印]", linked=4)), is_navigation(TextLine(0, "标签：渡船", linked=2))
    (True, True)
    """
    if line.linked > _MIN_LINKED_SHARE * len(line.text):
        return True
    return (
        line.linked > _MIN_LABELLED_SHARE * len(line.text)
        and _SENTENCE_STOP.search(line.text) is None
        and _has_little_else(line)
    )


def _has_little_else(line: TextLine) -> bool:
    letters = sum(map(str.isalnum, line.text))
    if letters - line.linked > _MAX_LABEL_LETTERS:
        return False
    label, colon, _ = line.text[: _MAX_LABEL_LETTERS + 1].partition("：")
    return line.linked > _MIN_LINKED_SHARE * letters or (bool(colon) and line.linked >= letters - len(label))


# Lines around the text of any page: dates and bylines, buttons.


MAX_BYLINE_CHARACTERS = 60  # characters of a byline, ...
MAX_DATED_BYLINE_CHARACTERS = 160  # ... and of one that is mostly dates
DATE_OR_COUNT = (
    r"(?:(?:19|20)?\d\d\s*[-/.年])?\s*\d{1,2}\s*[-/.月]\s*\d{1,2}\s*日?|\d{1,2}\s*[:：]\s*\d\d(?:\s*[:：]\s*\d\d)?|"
    r"\d+\s*(?:秒|分钟|小时|天|周|个?月|年)前|刚刚|昨天|前天|星期[一二三四五六日天]|[上下]午|\d+"
)
SENTENCE_STOPS = re.compile(r"[。！？，；”]")
FULL_DATE = re.compile(r"(?:19|20)\d\d\s*[-/.年]\s*\d{1,2}\s*[-/.月]\s*\d{1,2}")
BYLINE_LABEL = re.compile(
    r"^[（(\[【]?\s*(?:(?:我要)?纠错[】\])）]\s*)?(?:本文)?(?:来源|來源|稿源|文章来源|信息来源|作者|责任编辑|责编|編輯|编辑|校对|审核|监制|值班编辑|供稿|撰稿|摄影|[初复终一二三]审|签发|"
    r"记者|通讯员|发布时间|发表时间|更新时间|时间|日期|发布者|发布人|字号|字体|阅读(?:量|数|次数)?|浏览(?:量|数|次数)?|"
    r"点击(?:量|数|次数)?|(?:文章)?标签|標籤|分类(?:专栏)?|关键[词字]|(?:本文|原文)(?:链接|地址|网址)|Source|Author|Editor|Published|Updated)\s*[:：/／]",
    re.IGNORECASE,
)
SOURCE_LABEL = re.compile(r"(?:来源|來源|稿源)\s*[:：]")
BUTTON_WORDS = (
    r"只看(?:该作者|楼主)|[正倒]序(?:浏览|查看)|发表于|发布于|回复|引用|支持|反对|举报|分享到?|收藏本?[文页帖]?|点赞|赞同|不赞同|"
    r"说点什么|喜欢|转发|转载|条?评论|跟帖|我要|发表|关注(?:问题)?|写回答|邀请回答|打印(?:本页)?|关闭(?:窗口|本页)?|纠错|反馈|扫一扫|用?手机(?:看|打开)|添加|展开|收起|全文|编辑|"
    r"字号|字体|放大|缩小|正常|[大中小]|微信|微博|新浪|腾讯|QQ|空间|朋友圈|豆瓣|知乎|微信支付|支付宝|没有?帮助|有帮助|楼主?|沙发|板凳|返回(?:列表|顶部|首页|目录)?|"
    r"主题|帖子|积分|精华|威望|注册会员|新手上路|IP\s*属地[\W_]*[\u4e00-\u9fff]{2,4}|顶部|复制链接|阅读(?:原文|全文|更多)?|浏览|查看|更多|登录|注册|首页|目录|上一[页章篇节]|"
    r"下一[页章篇节]|加入书[签架]|投推荐票|赞|章节(?:目录|列表|报错)|书签|推荐(?:本[书页文])?|评论|挑错|[顶踩]一下|[回返]?回?(?:书目|目录)|reply|share|like|report|edit|print"
)
DATE_OR_BUTTON = re.compile(f"{DATE_OR_COUNT}|(?P<word>{BUTTON_WORDS})")
PAGE_COUNTER = re.compile(r"\d{1,3}\s*/\s*\d{1,3}")  # the third of eight pictures
PAGE_NUMBERS = re.compile(r"(?:[【\[（(]\s?\d{1,3}\s?[】\]）)]\s?){2,}")  # the links to the pages of a text
# Possessive, so that a line of digits does not backtrack.
BUTTON_LINE = re.compile(rf"(?>{DATE_OR_COUNT}|{BUTTON_WORDS}|[\W_])++")


@lru_cache(maxsize=10_000)
def is_button_line(text: str) -> bool:
    """Tell whether a line holds only button words, with counts and times between them.

    >>> is_button_line("发表于 2023-4-1 09:11 | 只看该作者 回复(3)"), is_button_line("他回复说不去。")
    (True, False)
    """
    if text[:1].isdecimal() and PAGE_COUNTER.fullmatch(text):
        return True
    if text[:1] in "【[（(" and PAGE_NUMBERS.fullmatch(text):
        return True
    if len(text) > MAX_BYLINE_CHARACTERS or not BUTTON_LINE.fullmatch(text) or SENTENCE_STOPS.search(text):
        return False
    are_words = [bool(match["word"]) for match in DATE_OR_BUTTON.finditer(text)]
    return any(are_words) and len(are_words) > 1  # a single word may be a heading


def is_byline(text: str) -> bool:
    """Tell whether a line states only who wrote or when.

    >>> is_byline("2019-09-07 09:59:22　来源: 新京报　举报"), is_byline("2019年9月7日，我们第一次见面。")
    (True, False)
    """
    if len(text) > MAX_DATED_BYLINE_CHARACTERS or SENTENCE_STOPS.search(text):
        return False
    if len(text) > MAX_BYLINE_CHARACTERS:
        if is_dated_line(text):
            return True
        return FULL_DATE.search(text) is not None and 2 * sum(map(str.isdecimal, text)) > sum(map(str.isalnum, text))
    return bool(BYLINE_LABEL.match(text) or FULL_DATE.search(text) or SOURCE_LABEL.search(text)) or is_dated_line(text)


PUNCTUATION = re.compile(r"[。！？；，、：…”,.!?;:]")
SENTENCE_END = re.compile(r"[。！？；…”]|[.!?;]\s")
SHORT_LINE_CHARACTERS = 25  # characters; shorter lines count as running text only with punctuation
LONG_LINE_CHARACTERS = 60  # characters; no title is longer
# Consecutive lines without anything between. Teasers have a title before each line.
_MIN_PROSE_LINES = 3
_MIN_PROSE_CHARACTERS = 140


def is_running_text(line: TextLine) -> bool:
    """Tell whether a line is running text and not a title. The line keeps the answer, as a dozen rules ask for it."""
    if line.running is None:
        sentence = len(line.text) >= SHORT_LINE_CHARACTERS and SENTENCE_END.search(line.text) is not None
        line.running = (sentence or len(line.text) >= LONG_LINE_CHARACTERS) and not (
            is_navigation(line) or is_site_notice(line.text)
        )
    return line.running


def select_prose(lines: Sequence[TextLine]) -> list[TextLine]:
    """Return the lines that are prose by themselves: consecutive paragraphs without anything between."""
    return [line for run in _running_text_runs(lines) if _is_prose_run(run) for line in run]


def _is_prose_run(run: Sequence[TextLine]) -> bool:
    return len(run) >= _MIN_PROSE_LINES and sum(len(line.text) for line in run) >= _MIN_PROSE_CHARACTERS


def _running_text_runs(lines: Sequence[TextLine]) -> Iterator[list[TextLine]]:
    run: list[TextLine] = []
    for line in lines:
        if is_running_text(line):
            run.append(line)
        else:
            yield run
            run = []
    yield run


# Lines that state a date, a picture credit or a writer, also in Western languages.


_MONTH: Final = r"[^\W\d_]{3,10}"
_WRITTEN_DATE: Final = re.compile(
    rf"\b\d{{1,2}}(?:st|nd|rd|th|er|º)?[. ]{{1,2}}(?:de )?{_MONTH}[.,]{{0,2}} (?:del? )?(?:19|20)\d\d\b|"
    rf"\b{_MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?,? (?:19|20)\d\d\b|"
    r"\b\d{1,2}[./-]\d{1,2}[./-](?:19|20)\d\d\b|\b(?:19|20)\d\d[./-]\d{1,2}[./-]\d{1,2}\b"
)
_TIME: Final = re.compile(r"\b\d{1,2}[:.h]\d\d(?::\d\d)?(?: ?[ap]\.?m\b\.?)?", re.IGNORECASE)
_DATED_LINE_STOP: Final = re.compile(r"[。！？；]|[^\W\d_]{3}[.!?](?:\s|$)")
_MAX_DATED_CHARACTERS: Final = 160
_MAX_OTHER_LETTERS: Final = 45  # letters of such a line besides its dates and times
_CREDIT_LABEL: Final = re.compile(
    r"[\W_]{0,3}(?:©|\(c\) |(?:fotos?|bild(?:er|quelle|nachweis)?|photos?|photograph(?:s|ed|y)?|pictures?|images?|"
    r"credits?|cr[ée]dit[oe]?s?(?: photos?)?|fotograf[íi]as?|im[aá]gen(?:es)?|imagem|zdj[ęe]ci[ea]|fot|foto di|"
    r"afbeelding|写真|사진)\b ?(?:[:：/.|]|by\b|via\b|copyright\b|courtesy\b|von\b|de\b)|image copyright\b)",
    re.IGNORECASE,
)
_MAX_CREDIT_CHARACTERS: Final = 90
_WRITER: Final = re.compile(
    r"(?:By|BY|Von|Par|Por|Di|Od|Texto?|Texte):? "
    r"(?:(?:and|und|et|y|de|van|von|der|del|la) |[A-ZÀ-ÞĀ-Ž][\w.'’-]{0,20},?(?: |$)){2,8}"
)
_MAX_WRITER_CHARACTERS: Final = 60
_MAIL_ADDRESS: Final = re.compile(r"\w@[\w-]+\.\w")
_MAX_ADDRESSED_CHARACTERS: Final = 120


@lru_cache(maxsize=10_000)
def is_dated_line(text: str) -> bool:
    """Tell whether a line holds a date in words or numbers, and little else.

    >>> is_dated_line("on January 14, 2015 at 2:30 PM, updated January 14, 2015 at 3:55 PM")
    True
    >>> is_dated_line("Am 3. Mai 2019 fuhr die Fähre wieder. Alle kamen.")
    False
    """
    if len(text) > _MAX_DATED_CHARACTERS or not any(map(str.isdecimal, text)):
        return False
    rest, dates = _WRITTEN_DATE.subn(" ", text)
    if not dates:
        return False
    rest = _TIME.sub(" ", rest)
    return sum(map(str.isalnum, rest)) <= _MAX_OTHER_LETTERS and _DATED_LINE_STOP.search(rest) is None


@lru_cache(maxsize=10_000)
def is_picture_credit(text: str) -> bool:
    """Tell whether a line credits the picture beside it.

    >>> is_picture_credit("Foto: Agentur Fluss"), is_picture_credit("© Agentur Fluss")
    (True, True)
    """
    return (
        len(text) <= _MAX_CREDIT_CHARACTERS
        and _CREDIT_LABEL.match(text) is not None
        and not _DATED_LINE_STOP.search(text)
    )


def is_writer_line(text: str) -> bool:
    """Tell whether a line before a text names its writer, in words or by an address.

    >>> is_writer_line("By Anna Ferry and Tom Bank"), is_writer_line("By the river stood a ferry.")
    (True, False)
    """
    if "@" in text and len(text) <= _MAX_ADDRESSED_CHARACTERS and _DATED_LINE_STOP.search(text) is None:
        return _MAIL_ADDRESS.search(text) is not None
    return len(text) <= _MAX_WRITER_CHARACTERS and _WRITER.fullmatch(text) is not None
