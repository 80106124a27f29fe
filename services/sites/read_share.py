"""How much of what a page shows was read: its visible prose against the text that was extracted."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

GRAM: Final = 6  # characters that stand together in both: one is read where any such run holds it
_LEAST: Final = 20  # characters of a line of prose, with a sign between its clauses or at its end
_CLAUSES: Final = re.compile(r"[，。！？；：、,.!?;…]")
_BLANK: Final = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class ReadShare:
    """visible: characters of prose that are shown; read: of those, how many are in the extracted text; unread: the
    longest stretch of shown prose that is not.
    """

    visible: int
    read: int
    unread: str

    @property
    def share(self) -> float:
        """From 0 to 1; 1 of a page that shows no prose."""
        return self.read / self.visible if self.visible else 1.0


def read_share(visible: str, text: str) -> ReadShare:
    """Compare them, whatever stands between their words. visible: a line each paragraph."""
    plain = _BLANK.sub("", text)
    known = {plain[at : at + GRAM] for at in range(len(plain) - GRAM + 1)}
    lines = [line for line in (_BLANK.sub("", one) for one in visible.splitlines()) if _is_prose(line)]
    held = [_held(line, known) for line in lines]
    unread = max(
        (one for line, marks in zip(lines, held, strict=True) for one in _unread(line, marks)), key=len, default=""
    )
    return ReadShare(sum(map(len, lines)), sum(map(sum, held)), unread)


def _is_prose(line: str) -> bool:
    return len(line) >= _LEAST and _CLAUSES.search(line) is not None


def _held(line: str, known: set[str]) -> list[bool]:
    """For each character whether it was read."""
    held = [False] * len(line)
    for at in range(len(line) - GRAM + 1):
        if line[at : at + GRAM] in known:
            held[at : at + GRAM] = [True] * GRAM
    return held


def _unread(line: str, held: list[bool]) -> Iterator[str]:
    begin = 0
    for at, is_read in enumerate([*held, True]):
        if is_read:
            if at > begin:
                yield line[begin:at]
            begin = at + 1
