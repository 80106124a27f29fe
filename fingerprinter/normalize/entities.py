r"""What was escaped once too often, or on purpose, read in place.

Such are &nbsp; &#20013; \u4e2d %E4%B8%AD.
"""

import html
import re
from html.entities import html5
from urllib.parse import unquote

from fingerprinter.normalize.invisible import filled

_REFERENCE = re.compile(r"&(?:[A-Za-z][A-Za-z0-9]{1,30}|#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6});")
_ESCAPE = re.compile(r"\\u[0-9A-Fa-f]{4}")
# Three bytes of UTF-8, as all Chinese characters and punctuation have; and what ASCII stands before more of the kind.
_PERCENT = re.compile(r"%(?:[Ee][2-9A-CEFa-cef](?:%[89ABab][0-9A-Fa-f]){2}|[0-7][0-9A-Fa-f](?=%))")


def unescaped_in_place(text: str) -> str:
    r"""The text with each escape replaced by its character and as many invisible ones, so that no offset changes.

    >>> unescaped_in_place("云&nbsp;&#20013;") == "云\xa0" + "\u200b" * 5 + "中" + "\u200b" * 7
    True
    >>> unescaped_in_place("%E4%B8%AD") == "中" + "\u200b" * 8
    True
    """
    if "&" in text:
        text = _REFERENCE.sub(_meant, text)
    if "\\u" in text:
        text = _ESCAPE.sub(lambda found: filled(chr(int(found[0][2:], 16)), found[0]), text)
    if "%" in text:
        text = _PERCENT.sub(lambda found: filled(unquote(found[0]), found[0]), text)
    return text


def _meant(reference: re.Match[str]) -> str:
    written = reference[0]
    meant = html.unescape(written) if written[1] == "#" else html5.get(written[1:], written)
    return filled(meant, written)
