"""What of a text can be seen: characters without a sign are told by the name of their code point."""

import unicodedata
from typing import Final

_SIGNLESS: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})  # categories that no font has signs for
_PLAIN: Final = {0x09: " ", 0x0A: "\n", 0x0D: ""}


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
