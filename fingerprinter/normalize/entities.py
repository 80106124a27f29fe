r"""What was escaped once too often, or on purpose, read in place.

Such are &nbsp; &#20013; &amp;#20013; \u4e2d %u4E2D U+4E2D.
"""

import html
import re
import sys
from html.entities import html5

from fingerprinter.normalize.invisible import filled

SIGNS = "&\\%+"  # no text has any of it without one of these
# Browsers take numbers without a semicolon, too.
_REFERENCE = re.compile(
    r"&(?:amp;)*(?:[A-Za-z][A-Za-z0-9]{1,30};|#[0-9]{1,7};|#[xX][0-9A-Fa-f]{1,6};|#[0-9]{5}(?![0-9;])|#[xX][0-9A-Fa-f]{4}(?![0-9A-Fa-f;]))"
)
_ESCAPE = re.compile(r"\\u(?:([0-9A-Fa-f]{4})|\{([0-9A-Fa-f]{1,6})\})")
_PERCENT = re.compile(r"%u([0-9A-Fa-f]{4})")
_NAMED = re.compile(r"U\+([0-9A-Fa-f]{4,5})[ ,;]?")


def unescaped_in_place(text: str) -> str:
    r"""The text with each escape replaced by its character and as many invisible ones, so that no offset changes.

    >>> unescaped_in_place("云&nbsp;&#20013;") == "云\xa0" + "\u200b" * 5 + "中" + "\u200b" * 7
    True
    >>> unescaped_in_place("%u4E2D") == "中" + "\u200b" * 5
    True
    """
    if "&" in text:
        text = _REFERENCE.sub(_meant, text)
    if "\\" in text:
        text = _ESCAPE.sub(_coded, text)
    if "%" in text:
        text = _PERCENT.sub(_coded, text)
    if "+" in text:
        text = _NAMED.sub(_coded, text)
    return text


def _meant(reference: re.Match[str]) -> str:
    written = reference[0]
    once = written.replace("&amp;", "&", written.count("amp;") - (written == "&amp;" * written.count("amp;")))
    return filled(html.unescape(once) if "#" in once else html5.get(once[1:], written), written)


def _coded(escape: re.Match[str]) -> str:
    code = int(next(filter(None, escape.groups())), 16)
    return filled(chr(code), escape[0]) if code <= sys.maxunicode else escape[0]
