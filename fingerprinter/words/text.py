"""Clean a text, segment it into words, and weigh these, once for all schemes."""

import math
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path

from fingerprinter.alphabet import Initials
from fingerprinter.initials.to_initials import to_initials
from fingerprinter.words.segmenter import UserWord, segment_words

# Furniture around the text: timestamps, counters and adverts that sites add.
#
# A date inside a sentence stays, because it belongs to the news. A timestamp is a clock time with its date, or stands
# on a line of its own or after a label. A line is removed whole if it only has furniture, or is a short advert.
# Everything else stays, so a scheme that minds invisible characters shows it.


_DATE = r"(?:\d{4}\s*[-/.年]\s*)?\d{1,2}\s*[-/.月]\s*\d{1,2}\s*日?"
_ZONE = r"(?:\s*(?:Z\b|(?:UTC|GMT)?\s*[+-]\d{2}:?\d{2}))?"
_CLOCK = rf"\d{{1,2}}[:：]\d{{2}}(?:[:：]\d{{2}})?{_ZONE}"
_AGO = r"(?:\d+\s*(?:秒|分钟|小时|天|周|个月|年)前|刚刚|(?:昨|前|今)天)"
_TIME_STAMP = rf"(?:{_DATE}(?:(?:\s|T)*{_CLOCK})?|{_AGO}(?:\s*{_CLOCK})?)"
_LABEL = r"(?:(?:发布|发表|更新|编辑|修改|上传|收录)(?:时间|日期|于)|(?:时间|日期)[:：])"
_COUNTER_NAME = (
    r"(?:阅读|浏览|点击|点赞|评论|回复|转发|转载|收藏|分享|播放|查看|推荐|人气|字数|在看|赞|踩|楼层)"
    r"(?:量|数|次数|人数|总数)?"
)
_NUMBER = r"\d[\d,，.]*\s*[万亿wWkK+]*"
_COUNTER_VALUE = rf"{_NUMBER}\s*(?:次|人|条|个|字)?"
_ADVERT = (
    r"(?:一秒记住|记住本站|牢记本站|本站(?:网址|域名|地址|首发)|最新(?:网址|域名|章节)|手机(?:用户|阅读|版)请?|最快更新|无弹窗|求(?:收藏|订阅|打赏)"
    r"|求推荐票|求月票|投推荐票|加入书签|未完待续"
    r"|(?:本章|本页|章节)未完|下一页继续|点击下一页|扫码关注|关注(?:本站|公众号|我们)|公众号[:：]|加(?:微信|群|QQ)|微信号|加[Vv][:：]|Q群\s*[:：]?\s*\d{5,}"
    r"|(?:扫描|识别)(?:[上下]方|图中)?二维码\W?(?:关注|阅读|领取|加入|下载)|打开(?:APP|客户端)(?:阅读|查看)(?:全文|更多|原文)"
    r"|限时优惠|立即抢购|免费领取|领红包|包邮|广告[:：]|全文免费阅读|请(?:大家)?收藏|下载(?:APP|客户端|本站)|看(?:正版|最新)(?:章节|小说)"
    r"|版权归原作者|转载请注明)"
)
_BLANK = r"[^\S\n]"
# Items that may share a line of furniture.
_FURNITURE = "|".join(
    (
        rf"(?:本文|全文|本章)?\s*(?:共|已有|约)?\s*{_COUNTER_VALUE}\s*{_COUNTER_NAME}",
        rf"(?:本章)?{_COUNTER_NAME}\s*[:：(（]?\s*{_COUNTER_VALUE}\s*[)）]?",
        rf"(?:本文|全文|本章)\s*共?\s*{_NUMBER}\s*字",
        r"阅读(?:约)?(?:需要?|大约)\s*\d+\s*分钟",
        rf"(?:{_LABEL}|更新|posted\s+on|published(?:\s+on)?)?\s*[:：]?\s*{_DATE}"
        rf"(?:(?:\s|T)*(?:(?:星期|周)[一二三四五六日天])?\s*(?:[上下中]午|凌晨|晚上)?\s*{_CLOCK})?",
        rf"(?:{_LABEL}\s*[:：]?\s*)?{_AGO}",
        _CLOCK,
        r"\d{1,2}时\d{2}分(?:\d{2}秒)?",
        r"(?:星期|周)[一二三四五六日天]",
        r"第?\s*\d+\s*页?\s*[/／]\s*共?\s*\d+\s*页?|[(（]\s*\d+\s*[/／]\s*\d+\s*[)）]",
        r"(?:[上下]一?(?:章|页|篇|节|回)|(?:返回)?(?:目录|书页|首页|顶部))(?:\s+\d+)*",
        r"分享到?\s*[:：]|微信|微博|QQ(?:空间|好友)?|朋友圈|复制链接",
        r"(?:来源|责任编辑|责编|编辑|校对)\s*[:：]\s*[^ \t\n\u3000,，。|｜]{1,16}",
        r"[\[【(（]?广告[\]】)）]?",
        r"字体\s*[:：]?(?:\s*[大中小])+",
    )
).replace(r"\s", _BLANK)
_MAX_FURNITURE_LINE = 80  # characters of a line that may be removed whole
_OPENING_BRACKETS, _CLOSING_BRACKETS = "【（〔［\\[(〖", "】）〕］\\])〗"

_LINE_PATTERNS = tuple(
    re.compile(pattern, re.MULTILINE | re.IGNORECASE)
    for pattern in (
        # Possessive, so that a mismatch is known at once, and no line takes more than linear time.
        rf"^(?=[^\n]{{1,{_MAX_FURNITURE_LINE}}}$){_BLANK}*+(?>(?>{_FURNITURE}){_BLANK}*+[|｜·•/、,，;；-]?{_BLANK}*+)++$",
        rf"^(?=.{{1,{_MAX_FURNITURE_LINE}}}$).*{_ADVERT}.*$",
        rf"^{_BLANK}*(?:微信|QQ|VX?){_BLANK}*[:：]{_BLANK}*[A-Za-z0-9_-]{{5,}}{_BLANK}*$",
    )
)
_SPAN_PATTERNS = tuple(
    # Bounded, because white space twice in a row would take quadratic time.
    re.compile(pattern.replace(r"(?:\s|T)*", r"[\sT]{0,9}").replace(r"\s*", r"\s{0,9}"), re.IGNORECASE)
    for pattern in (
        rf"[{_OPENING_BRACKETS}][^{_OPENING_BRACKETS}{_CLOSING_BRACKETS}\n]{{0,60}}{_ADVERT}[^{_OPENING_BRACKETS}{_CLOSING_BRACKETS}\n]{{0,60}}[{_CLOSING_BRACKETS}]",
        r"[—-]{2}\s*广告[^—\n]{0,60}[—-]{2}",
        r"https?://[\w\-./?%&=#:~+]+|www\.[\w\-./?%&=#:~+]+",
        rf"{_LABEL}\s*[:：]?\s*{_TIME_STAMP}",
        rf"{_DATE}(?:\s|T)*{_CLOCK}",
        rf"{_COUNTER_NAME}\s*[:：(（]\s*{_COUNTER_VALUE}\s*[)）]?",
    )
)


def clean_text(text: str) -> str:
    """Return the text without timestamps, counters and adverts. A second cleaning changes nothing."""
    while True:
        cleaned = text
        for pattern in (*_LINE_PATTERNS, *_SPAN_PATTERNS):
            cleaned = pattern.sub("", cleaned)
        if cleaned == text:
            return cleaned
        text = cleaned


# Words as jieba cuts them. Stop words are function words, particles, pronouns and measure words of modern and classical
# Chinese, and a few of English.


# Function words, particles, pronouns and measure words of modern and of classical Chinese, and a few of English.
STOP_WORDS = frozenset((Path(__file__).parent / "stop_words.txt").read_text(encoding="utf-8").split())


def cut_words(text: str) -> tuple[str, ...]:
    """Return the words of a text in order and lower case, without punctuation and white space.

    Equal words are one object, so that many texts fit in memory.
    """
    return tuple(map(sys.intern, segment_words(text.lower())))


def make_cutter(user: tuple[UserWord, ...]) -> Callable[[str], tuple[str, ...]]:
    """Return `cut_words` with the user's own words."""
    known = tuple(word._replace(word=word.word.lower()) for word in user)
    return lambda text: tuple(map(sys.intern, segment_words(text.lower(), known)))


def remove_stop_words(words: tuple[str, ...]) -> list[str]:
    """Return the words without stop words, in order."""
    return [word for word in words if word not in STOP_WORDS]


# Word weights: inverse document frequencies, from a general table or from an own corpus.
#
# IDF(w) = ln(N / n(w)) for N texts, of which n(w) contain the word (Spärck Jones 1972). A general table does not fit
# every field: in a library of recipes 酱油 says nothing.


@dataclass(frozen=True, slots=True)
class WordWeights:
    """Weights of words. name: of the table, which fingerprints record. unknown: the weight of any other word."""

    name: str
    table: Mapping[str, float] = field(repr=False)
    unknown: float

    def __getitem__(self, word: str) -> float:
        return self.table.get(word, self.unknown)

    def save(self, path: Path) -> None:
        """Write the table, a word and its weight a line, in the form of `load_weights` and jieba."""
        lines = (f"{word} {weight:.6f}\n" for word, weight in sorted(self.table.items()))
        path.write_text("".join(lines), encoding="utf-8")


class WeightTableError(ValueError):
    """A line of a weight table has no number. The message is the parser's."""


class WeightRangeError(ValueError):
    """A weight table is empty, or a weight is negative or not finite."""


class EmptyCorpus(ValueError):
    """There are no texts to learn weights from."""


@cache
def default_weights() -> WordWeights:
    """Return jieba's general table from the installed package. Unknown words get its median."""
    from jieba.analyse.tfidf import DEFAULT_IDF

    return load_weights(Path(DEFAULT_IDF), name="jieba")


def load_weights(path: Path, *, name: str | None = None) -> WordWeights:
    """Load a table of words and weights, one a line, separated by a space.

    Raise OSError for an unreadable file, `WeightTableError` for a missing or invalid weight, `WeightRangeError` for a
    negative or infinite one.
    """
    lines = path.read_text(encoding="utf-8-sig").splitlines()
    try:
        table = {
            word: float(weight) for line in lines if line.strip() for word, _, weight in [line.strip().rpartition(" ")]
        }
    except ValueError as error:
        raise WeightTableError(str(error)) from error
    if not table or not all(math.isfinite(weight) and weight >= 0 for weight in table.values()):
        raise WeightRangeError
    return WordWeights(name or path.stem, table, sorted(table.values())[len(table) // 2])


def learn_weights(name: str, texts: Iterable[Sequence[str]]) -> WordWeights:
    """Return the weights of the words of a corpus. Each text is given as its words. Unknown words get the greatest
    weight.

    ln((N + 1) / n(w)) leaves a little weight to a word of every text. Raise `EmptyCorpus` for no texts.
    """
    holding: Counter[str] = Counter()
    count = 0
    for words in texts:
        holding.update(set(words))
        count += 1
    if not count:
        raise EmptyCorpus
    return WordWeights(name, {word: math.log((count + 1) / n) for word, n in holding.items()}, math.log(count + 1))


def tf_idf(words: Sequence[str], weights: WordWeights) -> dict[str, float]:
    """Return each word's share of the text times its weight."""
    return {word: count / len(words) * weights[word] for word, count in Counter(words).items()}


# A text as the schemes read it: cleaned, and converted to words and initials at most once.


class SchemeText:
    """One text. Words and initials are made at first use. segment: text -> words."""

    def __init__(self, raw: str, *, segment: Callable[[str], tuple[str, ...]] = cut_words) -> None:
        self.characters = clean_text(raw)
        self._segment = segment

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Return the words in order."""
        return self._segment(self.characters)

    @cached_property
    def letters(self) -> Initials:
        """Return the pinyin initials."""
        return to_initials(self.characters)
