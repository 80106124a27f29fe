"""What of a text can stand on paper: each character as a sign, or by the name of its code point."""

import re
from typing import Final

from store.rules.visible_signs import in_signs

_BREAK: Final = "\u200b"  # a line may end here; it has no width
_LONG: Final = re.compile(r"[!-~\xa1-\u024f]{24,}")  # without a place where a line could end
_PART: Final = 12


def on_paper(text: str) -> str:
    """As `in_signs`; long addresses may be broken."""
    return _LONG.sub(_breakable, in_signs(text))


def _breakable(long: re.Match[str]) -> str:
    whole = long.group()
    return _BREAK.join(whole[at : at + _PART] for at in range(0, len(whole), _PART))
