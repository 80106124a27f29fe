"""Simplified to traditional characters, by a table that covers the demo's own texts."""

import re
from functools import cache
from pathlib import Path

_TABLE = Path(__file__).parent / "tables" / "traditional.txt"


@cache
def table() -> dict[str, str]:
    """Simplified character or phrase -> traditional, of the same length."""
    lines = _TABLE.read_text(encoding="utf-8").splitlines()
    entries = [entry for line in lines if not line.startswith("#") for entry in line.split()]
    return dict(
        (before, after) if sign else (entry[0], entry[1])
        for entry in entries
        for before, sign, after in [entry.partition("=")]
    )


@cache
def _pattern() -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, sorted(table(), key=len, reverse=True))))


def to_traditional(text: str) -> str:
    """The text in traditional characters; its length stays, and converting twice changes nothing."""
    return _pattern().sub(lambda match: table()[match[0]], text)
