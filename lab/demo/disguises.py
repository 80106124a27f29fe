"""What the sites of the little web do to a text before they show it. All of it gives the same result on every run."""

import re
from collections.abc import Callable, Sequence
from itertools import cycle

from lab.demo.homophones import swap_homophones
from lab.demo.traditional import to_traditional

Disguise = Callable[[Sequence[str]], tuple[str, ...]]  # paragraphs -> paragraphs

ADVERTS = (
    "【一秒记住本站网址，最新章节抢先看】",
    "（手机用户请搜索本站同名小程序，免费无弹窗）",
    "——广告：正宗山泉水，满两箱包邮——",
    "【看书领红包，加群七七八二零四一】",
    "（本页未完，请点下一页继续浏览）",
)
INVISIBLE = ("\u200b", "\u200c", "\u2060", "\ufeff")
_HOMOPHONE_PERCENT = 50  # of the characters with one sure reading: about every tenth of all
_ADVERT_EVERY = 6  # clauses
_INVISIBLE_EVERY = 3  # characters

_CLAUSE = re.compile(r"[^，。！？；：]*[，。！？；：”]*")


def as_it_is(paragraphs: Sequence[str]) -> tuple[str, ...]:
    """A plain copy."""
    return tuple(paragraphs)


def traditional(paragraphs: Sequence[str]) -> tuple[str, ...]:
    """In traditional characters."""
    return tuple(map(to_traditional, paragraphs))


def homophone(paragraphs: Sequence[str]) -> tuple[str, ...]:
    """Every tenth character or so swapped for another of the same sound."""
    return tuple(swap_homophones(paragraph, _HOMOPHONE_PERCENT) for paragraph in paragraphs)


def ads(paragraphs: Sequence[str]) -> tuple[str, ...]:
    """An advert after every sixth clause of a paragraph."""
    adverts = cycle(ADVERTS)
    return tuple(_with_adverts(paragraph, adverts) for paragraph in paragraphs)


def _with_adverts(paragraph: str, adverts: "cycle[str]") -> str:
    clauses = [clause for clause in _CLAUSE.findall(paragraph) if clause]
    return "".join(
        clause + (next(adverts) if number % _ADVERT_EVERY == 0 else "") for number, clause in enumerate(clauses, 1)
    )


def invisible(paragraphs: Sequence[str]) -> tuple[str, ...]:
    """A character of no width after every third."""
    unseen = cycle(INVISIBLE)
    return tuple(
        "".join(
            char + (next(unseen) if place % _INVISIBLE_EVERY == 0 else "") for place, char in enumerate(paragraph, 1)
        )
        for paragraph in paragraphs
    )


DISGUISES: dict[str, Disguise] = {
    "none": as_it_is,
    "traditional": traditional,
    "homophone": homophone,
    "ads": ads,
    "invisible": invisible,
}


def apply(disguise: str, paragraphs: Sequence[str]) -> tuple[str, ...]:
    """The paragraphs under a disguise: a name of `DISGUISES`, or several joined by "+", in that order."""
    for name in disguise.split("+"):
        paragraphs = DISGUISES[name](paragraphs)
    return tuple(paragraphs)
