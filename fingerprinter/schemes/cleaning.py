"""What is not the text: time stamps, counters and adverts that sites put around and between sentences.

A date inside a sentence stays (it belongs to the news); a time stamp is a clock time with its date, or stands on a line
of its own or behind a label. Everything else is left as it is: a scheme that minds invisible characters shows it.
"""

import re

_DATE = r"(?:\d{4}\s*[-/.年]\s*)?\d{1,2}\s*[-/.月]\s*\d{1,2}\s*日?"
_CLOCK = r"\d{1,2}[:：]\d{2}(?:[:：]\d{2})?"
_AGO = r"(?:\d+\s*(?:秒|分钟|小时|天|周|个月|年)前|刚刚|(?:昨|前|今)天)"
_STAMP = rf"(?:{_DATE}(?:[\sT]*{_CLOCK})?|{_AGO}(?:\s*{_CLOCK})?)"
_LABEL = r"(?:(?:发布|发表|更新|编辑|修改|上传|收录)(?:时间|日期|于)|(?:时间|日期)[:：])"
_COUNTED = (
    r"(?:阅读|浏览|点击|点赞|评论|回复|转发|转载|收藏|分享|播放|查看|推荐|人气|字数|赞|踩|楼层)"
    r"(?:量|数|次数|人数|总数)?"
)
_COUNT = r"\d[\d,，.]*\s*[万亿wWkK+]*\s*(?:次|人|条|个|字)?"
_ADVERT = (
    r"(?:一秒记住|记住本站|本站(?:网址|域名|地址|首发)|最新(?:网址|域名|章节)|手机(?:用户|阅读|版)请?|最快更新|无弹窗|求收藏|求推荐票|求月票"
    r"|(?:本章|本页|章节)未完|下一页继续|点击下一页|扫码关注|关注(?:本站|公众号|我们)|公众号[:：]|加(?:微信|群|QQ)|微信号"
    r"|领红包|包邮|广告[:：]|全文免费阅读|请收藏|下载(?:APP|客户端|本站)|看(?:正版|最新)(?:章节|小说)"
    r"|版权归原作者|转载请注明)"
)
_SHORT = 80  # characters of a line that can be an advert as a whole
_OPEN, _CLOSE = "【（〔［\\[(〖", "】）〕］\\])〗"

_LINES = tuple(
    re.compile(pattern, re.MULTILINE | re.IGNORECASE)
    for pattern in (
        rf"^\s*(?:{_LABEL}\s*[:：]?\s*)?{_STAMP}\s*$",
        rf"^(?=.{{1,{_SHORT}}}$).*{_ADVERT}.*$",
        r"^\s*第\s*\d+\s*页\s*[/／共]\s*共?\s*\d+\s*页\s*$",
    )
)
_SPANS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"[{_OPEN}][^{_OPEN}{_CLOSE}\n]{{0,60}}{_ADVERT}[^{_OPEN}{_CLOSE}\n]{{0,60}}[{_CLOSE}]",
        r"[—-]{2}\s*广告[^—\n]{0,60}[—-]{2}",
        r"https?://[\w\-./?%&=#:~+]+|www\.[\w\-./?%&=#:~+]+",
        rf"{_LABEL}\s*[:：]?\s*{_STAMP}",
        rf"{_DATE}[\sT]*{_CLOCK}",
        rf"{_COUNTED}\s*[:：(（]\s*{_COUNT}\s*[)）]?",
    )
)


def clean(text: str) -> str:
    """The text without time stamps, counters and adverts; cleaning twice changes nothing more."""
    while True:
        cleaned = text
        for pattern in (*_SPANS, *_LINES):
            cleaned = pattern.sub("", cleaned)
        if cleaned == text:
            return cleaned
        text = cleaned
