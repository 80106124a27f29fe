"""What changed from one text to the next, line by line and inside the lines."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Final, NamedTuple

from rapidfuzz.distance import Indel, Levenshtein

CONTEXT: Final = 60  # characters that are shown beside a change
_CLOSELY: Final = 4_000_000  # product of the lengths up to which a stretch is compared character by character


class DiffPart(NamedTuple):
    """A stretch that is ``same``, ``deleted`` or ``inserted``; `left_out` characters are not shown after it."""

    kind: str
    text: str
    left_out: int = 0


def differences(before: str, after: str) -> list[DiffPart]:
    """The second text with what it lost and gained; what stayed the same only beside the changes."""
    joined = list(_joined(_by_line(before, after)))
    last = len(joined) - 1
    return [
        shown
        for at, part in enumerate(joined)
        for shown in (_shortened(part.text, at > 0, at < last) if part.kind == "same" else [part])
    ]


def _joined(parts: Iterable[DiffPart]) -> Iterator[DiffPart]:
    """Between two stretches that stayed the same, first what was lost, then what came in its place."""
    for same, run in groupby(parts, key=lambda part: part.kind == "same"):
        stretch = list(run)
        for kind in ("same",) if same else ("deleted", "inserted"):
            if text := "".join(part.text for part in stretch if part.kind == kind):
                yield DiffPart(kind, text)


def _by_line(before: str, after: str) -> Iterator[DiffPart]:
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    for step in Levenshtein.opcodes(old, new):
        lost, gained = "".join(old[step.src_start : step.src_end]), "".join(new[step.dest_start : step.dest_end])
        if step.tag == "equal":
            yield DiffPart("same", gained)
        elif lost and gained and len(lost) * len(gained) <= _CLOSELY:
            yield from _by_character(lost, gained)
        else:
            yield from (part for part in (DiffPart("deleted", lost), DiffPart("inserted", gained)) if part.text)


def _by_character(lost: str, gained: str) -> Iterator[DiffPart]:
    kinds = {"equal": "same", "delete": "deleted", "insert": "inserted"}
    for step in Indel.opcodes(lost, gained):
        text = lost[step.src_start : step.src_end] or gained[step.dest_start : step.dest_end]
        yield DiffPart(kinds[step.tag], text)


def _shortened(text: str, after_change: bool, before_change: bool) -> list[DiffPart]:
    head, tail = CONTEXT * after_change, CONTEXT * before_change
    if len(text) <= head + tail + CONTEXT:
        return [DiffPart("same", text)]
    return [DiffPart("same", text[:head], len(text) - head - tail), DiffPart("same", text[len(text) - tail :])]
