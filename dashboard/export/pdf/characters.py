"""What of a text can stand on paper: each character as a sign, or by the name of its code point."""

import re
import unicodedata
from typing import Final

_SIGNLESS: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})  # categories that no font has signs for
_PLAIN: Final = {0x09: " ", 0x0A: "\n", 0x0D: ""}
_BREAK: Final = "\u200b"  # a line may end here; it has no width
_LONG: Final = re.compile(r"[!-~\xa1-\u024f]{24,}")  # without a place where a line could end
_PART: Final = 12


class _Signs(dict[int, str]):
    """Code point → how it is printed, filled as texts bring it."""

    def __missing__(self, code: int) -> str:
        sign = chr(code)
        self[code] = f"⟨U+{code:04X}⟩" if unicodedata.category(sign) in _SIGNLESS else sign
        return self[code]


_SIGNS: Final = _Signs(_PLAIN)


def in_signs(text: str) -> str:
    """The text with the code point, `⟨U+202E⟩`, for each character without a sign: controls, marks that turn the
    direction of writing, private and unassigned ones.
    """
    return text.translate(_SIGNS)


def on_paper(text: str) -> str:
    """As `in_signs`; long addresses may be broken."""
    return _LONG.sub(_breakable, in_signs(text))


def _breakable(long: re.Match[str]) -> str:
    whole = long.group()
    return _BREAK.join(whole[at : at + _PART] for at in range(0, len(whole), _PART))
