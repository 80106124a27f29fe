"""Character references left in a text (&nbsp; &#20013;): pages that were escaped twice, or on purpose."""

import html
import re
from html.entities import html5

_REFERENCE = re.compile(r"&(?:[A-Za-z][A-Za-z0-9]{1,30}|#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6});")
_INVISIBLE = "\N{ZERO WIDTH SPACE}"


def unescaped_in_place(text: str) -> str:
    r"""The text with each reference replaced by its character and as many invisible ones, so that no offset changes.

    >>> unescaped_in_place("云&nbsp;&#20013;") == "云\xa0" + "\u200b" * 5 + "中" + "\u200b" * 7
    True
    """
    return _REFERENCE.sub(_meant, text) if "&" in text else text


def _meant(reference: re.Match[str]) -> str:
    written = reference[0]
    meant = html.unescape(written) if written[1] == "#" else html5.get(written[1:], written)
    return meant + _INVISIBLE * (len(written) - len(meant))
