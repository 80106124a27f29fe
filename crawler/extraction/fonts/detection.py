"""Detect pages whose fonts show other characters than the markup. Extract embedded fonts."""

import base64
import binascii
import re
from collections.abc import Iterator

from crawler.extraction.fonts import MIN_CHARACTER_PAIRS, PLAUSIBILITY_SAMPLE
from wenhen.kit.errors import Message, message

FONT_FACE = re.compile(rb"@font-face\s*\{[^{}]*\}", re.IGNORECASE)
FONT_DATA_URL = re.compile(rb"url\(\s*[\"']?data:[^,\"')]{0,200};base64,([A-Za-z0-9+/=\s]+)", re.IGNORECASE)
MAX_PAGE_FONTS = 8  # fonts of a page
MAX_FONT_CHARACTERS = 8_000_000  # characters of one font


def extract_embedded_fonts(body: bytes) -> list[bytes]:
    """Return the fonts in data: addresses (RFC 2397), unchanged: WOFF2, WOFF, TrueType or OpenType."""
    return list(dict.fromkeys(_decode_fonts(body)))[:MAX_PAGE_FONTS]


def _decode_fonts(body: bytes) -> Iterator[bytes]:
    for face in FONT_FACE.findall(body):
        for written in FONT_DATA_URL.findall(face):
            if len(written) <= MAX_FONT_CHARACTERS:
                try:
                    yield base64.b64decode(b"".join(written.split()), validate=True)
                except binascii.Error:
                    continue


# Signs of font obfuscation: a font of the page maps its characters to others.


PRIVATE_CHARACTER = re.compile("[\ue000-\uf8ff\U000f0000-\U0010ffff]")
MIN_PRIVATE_CHARACTERS = 20  # private characters; icons are fewer, ...
MIN_PRIVATE_SHARE = 0.01  # ... and a smaller share of the text than this
MIN_WORD_PAIR_SHARE = 0.24  # share of pairs that form words; classical texts have more, random characters less
MIN_SYLLABLE_AFFINITY = 0.07  # syllable affinity; homophones have more, random characters less
_HAN_RUN = re.compile("[\u3400-\u9fff]{2,}")
# Each begins with a sign that has no other letter case, so that the regex engine passes over the rest of a page at
# once. The first is in nearly every page.
_FONT_DECLARATIONS = (
    re.compile(r"<link\b[^>]{0,2000}?\b(?:stylesheet|font)\b", re.IGNORECASE),
    re.compile(r"@(?:font-face|import)", re.IGNORECASE),
    re.compile(r"\((?<=\bFontFace\()", re.IGNORECASE),
)


def detect_font_obfuscation(text: str, html: str) -> Message | None:
    """Return the evidence for obfuscation in words, or None.

    html: the page, which declares the font, or a style sheet that may.
    """
    private = len(PRIVATE_CHARACTER.findall(text))
    if private >= MIN_PRIVATE_CHARACTERS and private >= MIN_PRIVATE_SHARE * len(text):
        return message("fonts.private", count=private, share=private / len(text))
    if not (_has_han_pairs(text) and declares_font(html)):
        return None
    from crawler.extraction.fonts.plausibility import (
        syllable_affinity,
        word_pair_share,  # with a dictionary, which only Chinese pages with fonts need
    )

    share = word_pair_share(text, MIN_WORD_PAIR_SHARE)
    if share is not None and share < MIN_WORD_PAIR_SHARE and syllable_affinity(text) < MIN_SYLLABLE_AFFINITY:
        return message("fonts.nonsense", share=share)
    return None


def declares_font(html: str) -> bool:
    """Tell whether a page declares a font, or links to a style sheet that may.

    >>> declares_font("<style>@FONT-FACE {}</style>"), declares_font("<link rel=icon>")
    (True, False)
    """
    return any(declaration.search(html) for declaration in _FONT_DECLARATIONS)


def _has_han_pairs(text: str) -> bool:
    """Tell whether a text may have enough adjacent Han characters to be judged."""
    pairs = 0
    for run in _HAN_RUN.finditer(text, 0, PLAUSIBILITY_SAMPLE):
        pairs += run.end() - run.start() - 1
        if pairs >= MIN_CHARACTER_PAIRS:
            return True
    return False
