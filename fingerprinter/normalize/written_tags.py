"""Tags that stand in a text as they are written, <b>云</b> or [b]云[/b]: what they mark is read, they are not.

Among Han characters only; a lesson on HTML keeps those that it shows.
"""

import re

from fingerprinter.normalize.invisible import filled

SIGNS = "<["  # no text has tags without one of these
_FILL = filled("", " ")
_NAME = r"(?!r[tubp])[A-Za-z][A-Za-z0-9]{0,15}"  # but for <ruby>, whose readings are no part of the text
_TAG = rf"<{_FILL}*[/!]?{_NAME}(?:\s[^<>=]{{0,40}}=[^<>]{{0,300}}|[\s/]*)>"
_BB_NAMES = "b|i|u|s|url|img|color|size|font|quote|code|center|align|indent|list|table|tr|td|backcolor|p|hr|hide|attach"
_BB_TAG = rf"\[/?(?:{_BB_NAMES})(?:=[^\[\]\n]{{0,200}})?\]"
_TAGS = re.compile(f"{_TAG}|{_BB_TAG}", re.IGNORECASE)
_ANY = re.compile(rf"<{_FILL}*[/!]?[A-Za-z]")
_LAST_LATIN = "\u024f"
_SPACES = f" \t\n\r\u3000{_FILL}"


def without_tags(text: str) -> str:
    r"""The text with each tag beside other script replaced by invisible characters, so that no offset changes.

    >>> without_tags("<b>云</b>") == "\u200b" * 3 + "云" + "\u200b" * 4
    True
    """
    if ("[" in text and "[/" in text) or ("<" in text and _ANY.search(text)):
        blanked = list(text)
        for begin, end in _runs(text):
            if max(text[max(0, begin - 1) : begin] + text[end : end + 1], default="") > _LAST_LATIN:
                blanked[begin:end] = [char if char == "\n" else _FILL for char in text[begin:end]]
        text = "".join(blanked)
    return text


def _runs(text: str) -> list[tuple[int, int]]:
    """Where tags stand, those together that have but spaces between."""
    runs: list[tuple[int, int]] = []
    for tag in _TAGS.finditer(text):
        if runs and not text[runs[-1][1] : tag.start()].strip(_SPACES):
            runs[-1] = runs[-1][0], tag.end()
        else:
            runs.append(tag.span())
    return runs
