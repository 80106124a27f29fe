"""Strip advertising and watermarks that copying sites insert into novels.

They evade filters with spaces, symbols, full-width and look-alike letters. So they are searched for in a projection of
the line: its letters and digits alone, normalized. The capture keeps them.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache

LOOKALIKES = str.maketrans("ωωѡшщｗсоемаерх〇零點", "wwwwwwcoemaepx00点")
DOMAIN_ENDINGS = "com|net|org|info|cc|la|cn|tw|me|xyz|top|vip|app|site|club|co"
ADDRESS_MARK = (
    rf"(?:https?)?(?:(?:www|三w|wap)点?[a-z0-9\u4e00-\u9fff]{{2,20}}?|m点[a-z0-9]{{2,20}}点?|[a-z0-9]{{3,20}}点)"
    rf"(?:{DOMAIN_ENDINGS})(?![a-z点])"
)
PHRASE_MARK = (
    r"(?:天才)?一秒记住|记住(?:本站|我们)?(?:的)?(?:最新)?(?:网址|域名|地址)|本(?:书|章|文|小说)(?:由.{0,10})?首发|"
    r"(?:首发|本站|备用|永久|最新)(?:域名|网址|地址)|首发(?:网站|平台|于)|"
    r"手机(?:用户|版|端|站)(?:同步|请|可)?(?:浏览|访问|阅读|登[录陆]|到m点)|请?(?:大家|读者)?收藏(?:本站|本书|我们|好?网址)|"
    r"(?:点击)?加入书签|方便(?:您)?(?:下次|以后|日后)(?:继续)?阅读|无弹窗|(?:无|去)广告(?:阅读|小说|版)|更新(?:速度)?最快|"
    r"(?:最新|最快|全部)(?:最新)?章节(?:尽在|请[到上去]|就[到上在]|更新)|(?:全文|免费|在线)免?费?阅读(?:小说|全文)|"
    r"(?:本章|此章|本节)(?:未完|尚未结束)|点击?下一页继续(?:阅读|观看)|小?(?:说)?(?:本章)?还没有?完请?点击?下一页|"
    r"(?:跪|再|拜|急)?求(?:月票|推荐票|订阅|打赏)|(?:读者|书友|交流)?q?q?群号?码?\d{6,11}|txt(?:全集|电子书)?下载|"
    r"章节(?:错误|报错)|点此举报|(?:退出|关闭)(?:转码|畅读|阅读模式)|转码(?:页面|阅读|失败)|支持正版(?:阅读|订阅)|"
    r"喜欢.{1,20}请大家收藏|(?:更多|精彩)(?:精彩)?(?:内容|小说)(?:尽在|请[到上去]|就[到上在])|"
    r"阅读更优质的阅读体验|注册(?:即|就)?送|点击领取|下载(?:app|客户端)"
)
WATERMARK = re.compile(rf"(?P<address>{ADDRESS_MARK})|(?P<phrase>{PHRASE_MARK})")
WATERMARK_SIGN = re.compile(
    r"[址域发秒藏签弹告最未完求群载举码正下章手注领阅方wｗωѡшＷWcCｃＣⓒⓦ点點]"
)  # every watermark has one of these
CLAUSE_STOPS = "，。！？；,!?;"
OPENING_BRACKETS, CLOSING_BRACKETS = "（(【[《<{「〔［", "）)】]》>}」〕］"
MAX_LINE_CHARACTERS = 400  # characters of a line that is examined
MIN_REMAINING_SHARE = 0.4  # share of a line that must remain; otherwise the whole line is advertising


def strip_watermarks(lines: Iterable[str]) -> list[str]:
    """Return the lines of a chapter without advertising and watermarks.

    >>> strip_watermarks(["雨点砸了下来【本 书 首-发 ｗ w ω．abc．ＣＯＭ】，打在水面上。", "请收藏本站：www.abc.com"])
    ['雨点砸了下来，打在水面上。']
    """
    return [clean for line in lines if (clean := _strip_line(line))]


def _strip_line(line: str) -> str:
    if len(line) > MAX_LINE_CHARACTERS * 10 or WATERMARK_SIGN.search(line) is None:
        return line
    letters, places = _project_line(line)
    spans = list(_watermark_spans(line, letters, places))
    if not spans:
        return line
    kept, start = [], 0
    for begin, end in spans:
        kept.append(line[start:begin])
        start = max(start, end)
    rest = "".join((*kept, line[start:])).strip()
    return rest if sum(map(str.isalnum, rest)) > MIN_REMAINING_SHARE * len(letters) else ""


def _project_line(line: str) -> tuple[str, list[int]]:
    """Return the letters and digits of a line, normalized, and the position of each in the line."""
    letters, places = [], []
    for place, character in enumerate(line):
        for plain in _plain_character(character):
            letters.append(plain)
            places.append(place)
    return "".join(letters), places


@lru_cache(maxsize=20_000)
def _plain_character(character: str) -> str:
    plain = unicodedata.normalize("NFKC", character).lower().translate(LOOKALIKES)
    if character in ".．。·•" or plain == ".":
        return "点" if character != "。" else ""
    return "".join(part for part in plain if part.isalnum())


def _watermark_spans(line: str, letters: str, places: list[int]) -> Iterator[tuple[int, int]]:
    for mark in WATERMARK.finditer(letters):
        begin, end = places[mark.start()], places[mark.end() - 1] + 1
        around = _bracket_span(line, begin, end)
        yield around or (begin, _clause_end(line, end) if mark["phrase"] else end)


def _bracket_span(line: str, begin: int, end: int) -> tuple[int, int] | None:
    """Return the brackets around a span, if they separate the watermark from the sentence."""
    opened = max(line.rfind(bracket, 0, begin + 1) for bracket in OPENING_BRACKETS)
    closed = min((place for bracket in CLOSING_BRACKETS if (place := line.find(bracket, end - 1)) >= 0), default=-1)
    inside = line[opened + 1 : begin] if opened >= 0 else ""
    if (
        opened < 0
        or closed < 0
        or closed - opened > MAX_LINE_CHARACTERS // 4
        or any(bracket in inside for bracket in CLOSING_BRACKETS)
    ):
        return None
    return opened, closed + 1


def _clause_end(line: str, end: int) -> int:
    return min((place for stop in CLAUSE_STOPS if (place := line.find(stop, end)) >= 0), default=len(line))
