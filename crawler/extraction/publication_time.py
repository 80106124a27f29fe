"""Find when a page was published: in metadata, in the lines around its title, in its scripts, in its address."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from typing import Final

import re2
from selectolax.lexbor import LexborHTMLParser, LexborNode

from crawler.extraction.dates import iter_times, normalize_dates, parse_stamp, parse_time
from crawler.extraction.inline_data import LinkedData, linked_data_text
from crawler.extraction.page_lines import HAN_CHARACTER, TextLine

MIN_PUBLICATION_YEAR: Final = 1990  # programs write 1970 or 0001 for an unknown year
# Names of metadata in lower case without separators, the most reliable first.
TIME_META_NAMES: Final = (
    *("articlepublishedtime", "articlepublishtime", "articlepublished", "ogpublishedtime", "ogarticlepublishedtime"),
    *("rnewsdatepublished", "datepublished", "publisheddate", "publishdate", "publishtime", "publishedtime"),
    *("publishedat", "firstpublishedtime", "firstpublishtime", "pubdate", "pubtime", "apubtime", "ogpubdate"),
    *("ogreleasedate", "releasedate", "originalpublicationdate", "publicationdate", "publicationtime"),
    *("articledateoriginal", "sailthrudate", "parselypubdate", "cxenseparserecspublishtime", "btpubdate"),
    *("weiboarticlecreateat", "citationpublicationdate", "citationonlinedate", "citationdate", "dctermsissued"),
    *("dcdateissued", "dcissued", "dctermsdate", "dcdate", "dctermscreated", "dcdatecreated", "datecreated"),
    *("createdate", "createtime", "createdat", "ogtime", "ptime", "displaydate", "date", "dateupdate"),
)
TIME_DATA_NAMES: Final = ("datePublished", "pubDate", "publishDate", "dateCreated", "uploadDate")
NON_LETTERS: Final = re.compile(r"[^a-z0-9]+")

_TIME_SELECTOR: Final = (
    "time[datetime], [itemprop=datePublished], #publish_time, #news-time, #pubtime, #pubtime_baidu, [data-ptime]"
)
_TIME_ATTRIBUTES: Final = ("datetime", "content", "data-val", "data-ptime", "data-time", "data-timestamp")
_MAX_TIME_ELEMENTS: Final = 20
_MAX_ABOVE: Final = 12  # ancestors that are examined
_OTHER_PART: Final = re.compile(
    r"comment|reply|related|recommend|sidebar|widget|footer|\bnav\b|hot|rank|latest|updated|modified|\blist\b",
    re.IGNORECASE,
)

_MAX_LINE_CHARACTERS: Final = 100  # characters of a line that states a time
_MAX_BYLINE_HAN: Final = 24  # Han characters of a line besides its date and the words of bylines ...
_MAX_OTHER_HAN: Final = 10  # ... and besides its date if it has no such word
_LABELS: Final = re.compile(
    r"(?:本文|文章|稿件|新闻|信息|内容)?(?:发布|發布|發佈|发表|發表|刊发|刊登|刊载|发文|发稿|首发|上传|录入|添加|公布|公开|提交|出版|投稿)"
    r"(?:时间|時間|日期|时刻|于|於)?|(?:时间|時間|日期|Date|Posted|Published)(?:\s*on)?(?=\s*[:：])|Published|Posted|于(?=\s*\d)",
    re.IGNORECASE,
)
_PUBLICATION_LABEL: Final = re.compile(
    r"发布|發布|發佈|发表|發表|刊发|刊登|刊载|发稿|首发|Published|Posted|(?:时间|時間|日期)\s*[:：]", re.IGNORECASE
)
# Labels of other times: of a change, of today, of an event, of a document, of a reader.
_OTHER_LABEL: Final = re.compile(
    r"更新|修改|修订|修訂|编辑于|編輯於|最后|最後|上次|今天|今日|现在|現在|当前|當前|农历|農曆|生成|成文|截至|截止|有效|施行|实施|生效|"
    r"通过|報名|报名|注册|加入|登录|登錄|回复|跟帖|活动|会议|會議|开始|结束|开幕|举办|拍摄|创建|成立|出生|生于|下载|到期|开庭|开标|考试|面试|演出|上映|播出|比赛|出发|预约|"
    r"访问|抓取|建站|Copyright|©|版权|Updated|Modified|Edited|Last|Today|Joined|Since",
    re.IGNORECASE,
)
_LABEL_REACH: Final = 14  # characters before a date that may hold its label
_BYLINE_WORDS: Final = re.compile(
    r"来源|來源|稿源|作者|记者|記者|编辑|編輯|责编|責編|字号|字體|字体|阅读|閱讀|浏览|瀏覽|点击|點擊|评论|評論|分享|打印|人气|访问量|次数|"
    r"供稿|审核|校对|摄影|通讯员|原创|转载|投稿|星期[一二三四五六日]|出处|分类|栏目|标签|views?|comments?|by|author|source",
    re.IGNORECASE,
)
_SENTENCE_STOP: Final = re.compile(r"[。！？；]")
_YEAR_SIGN: Final = re.compile(r"(?:19|20)\d\d|民國|[〇○零Ｏ]|[０-９]")
_MAX_LINES_BEHIND_TITLE: Final = 25  # lines after a title that may state its time, ...
_MAX_BYLINE_LINES: Final = 6  # lines of a byline
_MAX_LINES_BEFORE_TITLE: Final = 15  # ... and before it
_MAX_FIRST_LINES: Final = 60  # lines of a page that does not show its title
_MAX_LABEL_CHARACTERS: Final = 10  # characters of a label in a line of its own
_MIN_LISTED_DATES: Final = 3  # dates below links that form a list
_WEEKDAY: Final = re.compile(r"星期[一二三四五六日天]|周[一二三四五六日]")
_ALMANAC: Final = re.compile(r"农历|農曆|[正腊冬初廿][一二三四五六七八九十月]")  # a lunar date means today
_LABEL_BEHIND: Final = re.compile(r"\s{0,3}(?:更新|修改|修订|编辑(?!\s*[:：])|生成|截止|截至|止|前报名|起施行|起实施)")
_LONG_LINK_CHARACTERS: Final = 8  # characters of a link that is a title in a list
_MAX_SIGNING_CHARACTERS: Final = 24  # characters of the date below a notice
_SIGNING_LINE: Final = re.compile(
    r"\W{0,3}(?:(?:19|20)\d\d)\s{0,2}年\s{0,2}\d{1,2}\s{0,2}月\s{0,2}\d{1,2}\s{0,2}日\W{0,3}"
)

URL_DATE: Final = re.compile(
    r"[/_.=-]t?(20\d\d)(?:[-/]?([01]\d)[-/]?([0-3]\d)|([-/])(\d{1,2})\4(\d{1,2}))(?=\d{6}(?!\d)|\D|$)"
)  # as /2020-03/02/, /2020/0302/, /t20200302_1.html, /2020/3/2/

_SCRIPT_TIME: Final = re2.compile(  # searches a whole page
    r"""(?i)\b(?P<key>ct|oriCreateTime|create_?time|publish_?time|pub_?time|pub_?date|publish_?date|ptime|published_?at)"""
    r"""["']?\s{0,3}[:=]\s{0,3}(?:JsDecode\(|htmlDecode\(|new Date\()?["']?"""
    r"""(?P<stamp>1\d{9}(?:\d{3})?|20\d\d[-/]\d{1,2}[-/]\d{1,2}[T \d:.Z+]{0,24})["']?"""
)
_WECHAT_SIGN: Final = "js_content"
_WECHAT_KEYS: Final = ("ct", "oricreatetime", "createtime", "create_time")
_MAX_SCRIPT_TIMES: Final = 50


@dataclass(frozen=True, slots=True)
class _LineTime:
    """Represent a time in a line, whether it is labelled as publication, and whether it may be today's."""

    moment: datetime
    place: int  # of the line
    labelled: bool
    today: bool


def find_publication_time(
    tree: LexborHTMLParser | None,
    html: str,
    metas: Mapping[str, str],
    stated: LinkedData,
    lines: Sequence[TextLine],
    title_place: int,
    title_length: int,
    url: str,
) -> datetime | None:
    """Return when a page was published, in UTC, or None if it does not state that.

    Times of changes, of events, of other articles and of today do not count. lines: of the whole page. title_place: the
    line that begins with the title, 0 for none. tree: None for a page without time elements.
    """
    candidates = (
        _meta_times(metas, stated),
        _element_times(tree) if tree is not None else (),
        _line_times(lines, title_place, title_length),
        _url_times(url),
        _script_times(html),
        _signing_times(lines),
    )
    times = (moment for source in candidates for moment in source)
    return next((moment for moment in times if moment.year >= MIN_PUBLICATION_YEAR), None)


def _meta_times(metas: Mapping[str, str], stated: LinkedData) -> Iterator[datetime]:
    plain: dict[str, str] = {}
    for name, content in metas.items():
        plain.setdefault(NON_LETTERS.sub("", name), content)
    stamps = (plain[name] for name in TIME_META_NAMES[:-1] if name in plain)
    yield from _parse_each(stamps)
    yield from _parse_each(linked_data_text(stated, key) or "" for key in TIME_DATA_NAMES)
    yield from _parse_each(plain[name] for name in TIME_META_NAMES[-1:] if name in plain)


def _parse_each(texts: Iterable[str]) -> Iterator[datetime]:
    for text in texts:
        if (moment := parse_stamp(text)) is not None:
            yield moment


def _element_times(tree: LexborHTMLParser) -> Iterator[datetime]:
    """Yield the times of dedicated elements, outside of other parts of the page."""
    for node in tree.css(_TIME_SELECTOR)[:_MAX_TIME_ELEMENTS]:
        if _is_other_part(node):
            continue
        attributes = node.attributes
        stamps = [attributes.get(name) or "" for name in _TIME_ATTRIBUTES if name in attributes]
        yield from _parse_each([*stamps, node.text(deep=True) or ""])


def _is_other_part(node: LexborNode) -> bool:
    """Tell whether an element is for a change, or is in a part outside of the article."""
    above: LexborNode | None = node
    for _ in range(_MAX_ABOVE):
        if above is None or above.tag in ("body", "article", "main"):
            break
        attributes = above.attributes
        label = f"{attributes.get('class') or ''} {attributes.get('id') or ''} {attributes.get('itemprop') or ''}"
        if above.tag in ("aside", "nav", "footer", "li") or _OTHER_PART.search(label.replace("published", "")):
            return "published" not in label.split()
        above = above.parent
    return False


def _line_times(lines: Sequence[TextLine], place: int, length: int) -> Iterator[datetime]:
    """Yield the times in short lines. After the title labelled ones come first, then bylines, then lines before it."""
    if place:  # a date in the title is no byline
        lines = [*lines[:place], replace(lines[place], text=lines[place].text[length:]), *lines[place + 1 :]]
    behind = _times_in_lines(lines, place, place + (_MAX_LINES_BEHIND_TITLE if place else _MAX_FIRST_LINES))
    if not place:  # today's date is above everything else
        behind.sort(key=lambda time: time.today)
    yield from (time.moment for time in behind if time.labelled and time.place <= behind[0].place + _MAX_BYLINE_LINES)
    yield from (time.moment for time in behind)
    before = _times_in_lines(lines, max(0, place - _MAX_LINES_BEFORE_TITLE), place)
    yield from (time.moment for time in before if time.labelled)
    yield from (time.moment for time in reversed(before) if not time.today)


def _times_in_lines(lines: Sequence[TextLine], begin: int, end: int) -> list[_LineTime]:
    """Return the times in these lines, without the dates of a list of links."""
    times: list[_LineTime] = []
    below_links: list[_LineTime] = []  # dates below a link, which may be a source, or a title in a list
    for place in range(begin, min(end, len(lines))):
        line, before = lines[place], lines[place - 1] if place else None
        if len(line.text) > _MAX_LINE_CHARACTERS or not _YEAR_SIGN.search(line.text) or _is_link(line):
            continue
        if (time := next(_line_moments(line, before, place), None)) is None:
            continue
        if not time.labelled and before is not None and _is_link(before):
            below_links.append(time)
            if before.linked >= _LONG_LINK_CHARACTERS and place + 1 < len(lines) and _is_link(lines[place + 1]):
                continue
        times.append(time)
    listed = below_links if len(below_links) >= _MIN_LISTED_DATES else []
    return [time for time in times if not any(time is other for other in listed)]


def _line_moments(line: TextLine, before: TextLine | None, place: int) -> Iterator[_LineTime]:
    for match, moment in iter_times(line.text):
        label = match.string[max(0, match.start() - _LABEL_REACH) : match.start()]
        if not label.strip() and before is not None and len(before.text) <= _MAX_LABEL_CHARACTERS:
            label = before.text
        labelled = _PUBLICATION_LABEL.search(label) is not None
        nearest = re.split(r"[\d\s]", label.strip())[-1] if labelled else label
        behind = match.string[match.end() : match.end() + _LABEL_REACH]
        if not (_OTHER_LABEL.search(nearest) or _LABEL_BEHIND.match(behind)) and _is_byline_like(match):
            today = not labelled and _WEEKDAY.search(line.text) is not None
            yield _LineTime(moment, place, labelled=labelled, today=today)


def _is_link(line: TextLine) -> bool:
    """Tell whether a line is mostly a link."""
    return 2 * line.linked > len(line.text)


def _is_byline_like(match: re.Match[str]) -> bool:
    """Tell whether a line has little besides its date and the words of bylines."""
    rest = _LABELS.sub("", match.string[: match.start()] + match.string[match.end() :])
    if _SENTENCE_STOP.search(rest) or _ALMANAC.search(rest):
        return False
    others = _BYLINE_WORDS.sub("", rest)
    most = _MAX_BYLINE_HAN if others != rest else _MAX_OTHER_HAN
    return len(HAN_CHARACTER.findall(others)) <= most


def _url_times(url: str) -> Iterator[datetime]:
    for match in URL_DATE.finditer(url):
        year, month, day, _, short_month, short_day = match.groups()
        if (moment := parse_time(f"{year}-{month or short_month}-{day or short_day}")) is not None:
            yield moment


def _script_times(html: str) -> Iterator[datetime]:
    """Yield the times in scripts: WeChat's own variables, or on other pages a name that occurs with one time only."""
    times: dict[str, list[datetime]] = {}
    for match in islice(_SCRIPT_TIME.finditer(html), _MAX_SCRIPT_TIMES):
        if (moment := parse_stamp(match["stamp"])) is not None:
            times.setdefault(match["key"].lower(), []).append(moment)
    if _WECHAT_SIGN in html:
        yield from (times[key][0] for key in _WECHAT_KEYS if key in times)
    yield from (stamps[0] for key, stamps in times.items() if key not in _WECHAT_KEYS and len(set(stamps)) == 1)


def _signing_times(lines: Sequence[TextLine]) -> Iterator[datetime]:
    """Yield the date in a line of its own below a notice."""
    for line in reversed(lines):
        if (
            len(line.text) <= _MAX_SIGNING_CHARACTERS
            and "日" in line.text
            and _SIGNING_LINE.fullmatch(normalize_dates(line.text))
        ):
            yield from _parse_each([line.text])
