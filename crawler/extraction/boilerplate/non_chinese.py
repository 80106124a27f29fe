"""Choose the lines of a page in another language, with trafilatura as a second judge.

Both readers name lines of the page. What both take is the text. The library never adds a line that our own reading of
the page does not hold, so hidden text stays out.
"""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from crawler.extraction.page_lines import PageBlocks

MAX_MARKUP_CHARACTERS = 1_000_000  # of a page that the library reads
MAX_TAGS = 30_000  # of such a page, since the library's time grows with their square: three seconds at worst
MAX_CHINESE_SHARE = 0.1  # share of Han characters among a page's words, from which it is Chinese
MIN_KANA_SHARE = 0.1  # share of kana among these and Han characters, from which it is Japanese
MIN_VOTED_SHARE = 0.5  # share of a line's pairs of words in the library's text
MIN_SHARED = 0.5  # share of the shorter reading that both must hold, or one of them read another place
MIN_KEPT = 0.5  # share of our own reading: no choice leaves out more than it keeps; .2 gains .006 on one public set
_HAN_RUN: Final = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]+")
_KANA_RUN: Final = re.compile(r"[\u3040-\u30ff]+")
_WORD: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]|[^\W_]+")

WordPairs = frozenset[tuple[str, ...]]


def is_chinese(text: str) -> bool:
    """Tell whether a text may be Chinese: by the share of Han characters among its words. Japanese has kana.

    >>> is_chinese("PDF 文件如何打开 Open a file"), is_chinese("The ferry"), is_chinese("渡し船は朝に出る")
    (True, False, False)
    """
    han, kana = (sum(map(len, runs.findall(text))) for runs in (_HAN_RUN, _KANA_RUN))
    if MIN_KANA_SHARE * (han + kana) <= kana > 0:
        return False
    # Words are counted only where the letters do not decide, because that takes a tenth of the whole extraction.
    return han >= MAX_CHINESE_SHARE * len(text) or han >= MAX_CHINESE_SHARE * len(_WORD.findall(text))


def may_be_judged(html: str) -> bool:
    """Tell whether the library reads a page of this markup in bounded time."""
    return len(html) <= MAX_MARKUP_CHARACTERS and html.count("<") <= MAX_TAGS


def choose_lines(shown: Sequence[str], blocks: "PageBlocks", html: str) -> list[str]:
    """Return the lines of a page's text.

    shown: our own reading. html: the page's markup. Where the library fails, has no text, or lost most of ours, ours
    stands. Where it read another place of the page, the page's lines in its text are the text.
    """
    ours = list(shown)
    peer_words = _split_words(_read_with_trafilatura(html))
    pairs = _pair_words(peer_words) | {(word,) for word in peer_words}
    headings = {line.text for line in blocks.lines if blocks.elements[line.element].tag == "h1"}
    shared = [line for line in ours if line in headings or _is_voted(line, pairs)]
    length, own_length = _count_words(shared), _count_words(ours)
    if length >= max(MIN_SHARED * min(own_length, len(peer_words)), MIN_KEPT * own_length, 1):
        return shared
    other = [
        line.text
        for line in blocks.lines
        if not blocks.elements[line.element].hidden
        and 2 * line.linked <= len(line.text)
        and _is_voted(line.text, pairs)
    ]
    return other if _count_words(other) >= max(MIN_KEPT * own_length, MIN_SHARED * len(peer_words), 1) else ours


def _read_with_trafilatura(html: str) -> str:
    import trafilatura  # takes .4 s and 36 MB, which Chinese pages do not need

    # The quick reading: the fallbacks of the whole one cost twice the time and add nothing where two readers agree.
    try:
        return trafilatura.extract(html, fast=True, include_comments=False, include_tables=True) or ""
    except Exception:  # noqa: BLE001  the text that we read ourselves is not lost for any fault of the library
        return ""


def _is_voted(line: str, pairs: WordPairs) -> bool:
    own = _pair_words(_split_words(line))
    return bool(own) and sum(pair in pairs for pair in own) >= MIN_VOTED_SHARE * len(own)


def _pair_words(words: Sequence[str]) -> WordPairs:
    return frozenset(pairwise(words)) if len(words) > 1 else frozenset((word,) for word in words)


def _split_words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _count_words(lines: Sequence[str]) -> int:
    return len(_split_words("\n".join(lines)))
