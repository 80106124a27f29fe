"""A text cut at the borders of its copied passages, ready to be shown beside its partner."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

WHOLE: Final = 200_000  # up to this length a text is shown whole
CONTEXT: Final = 2_000  # of longer ones, this much beside each passage


@dataclass(frozen=True, slots=True)
class Span:
    """One stretch of a passage, in code points of its text; `kind` is the sort of change in it."""

    passage: int
    start: int
    end: int
    kind: str


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text with one look.

    `passages` are the passages that cover it (none: ignored text), `begins` those whose first piece it is, `left_out`
    the characters that are not shown after it.
    """

    text: str
    passages: tuple[int, ...] = ()
    begins: tuple[int, ...] = ()
    kind: str = ""
    left_out: int = 0


def pieces(text: str, spans: Sequence[Span]) -> list[Piece]:
    """Cut the text at the borders of the spans; spans may overlap, and where they do the first one gives the look."""
    starting: dict[int, list[Span]] = {}
    for span in spans:
        starting.setdefault(max(0, min(span.start, len(text))), []).append(span)
    borders = sorted({0, len(text), *starting, *(max(0, min(span.end, len(text))) for span in spans)})
    shown: list[Piece] = []
    running: list[Span] = []
    seen: set[int] = set()
    for start, end in zip(borders, [*borders[1:], len(text)], strict=True):
        running = [span for span in running + starting.get(start, []) if span.end > start]
        begins = tuple(dict.fromkeys(span.passage for span in starting.get(start, []) if span.passage not in seen))
        seen.update(begins)
        covering = tuple(dict.fromkeys(span.passage for span in running)) if end > start else ()
        if start == end and not begins:
            continue
        if covering or begins:
            shown.append(Piece(text[start:end], covering, begins, running[0].kind if running else ""))
        else:
            shown.extend(_ignored(text[start:end], whole=len(text) <= WHOLE))
    return shown


def _ignored(text: str, *, whole: bool) -> Iterator[Piece]:
    if whole or len(text) <= 2 * CONTEXT:
        yield Piece(text)
    else:
        yield Piece(text[:CONTEXT], left_out=len(text) - 2 * CONTEXT)
        yield Piece(text[-CONTEXT:])
