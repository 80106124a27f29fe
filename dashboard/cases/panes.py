"""A text cut at the borders of its copied passages, ready to be shown beside its partner."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

CHUNK: Final = 3_000  # characters, about, that a browser lays out at a time
WHOLE: Final = 200_000  # up to this length a text is shown whole
CONTEXT: Final = 2_000  # of longer ones, this much beside each passage


@dataclass(frozen=True, slots=True)
class Span:
    """One stretch of a passage, in code points of its text; `kind` is the sort of change in it.

    `meet` names a place at which both texts say the same, by a number that the stretch of the other text has as well.
    """

    passage: int
    start: int
    end: int
    kind: str
    meet: int | None = None


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text with one look.

    `passages` are the passages that cover it (none: ignored text), `begins` those whose first piece it is, `left_out`
    the characters that are not shown after it, `meet` as in `Span`.
    """

    text: str
    passages: tuple[int, ...] = ()
    begins: tuple[int, ...] = ()
    kind: str = ""
    left_out: int = 0
    meet: int | None = None


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
            kind = running[0].kind if running else ""
            meet = next((span.meet for span in starting.get(start, []) if span.meet is not None), None)
            words = text[start:end].lstrip() if begins else text[start:end]
            if words and (space := end - start - len(words)):  # a passage is numbered where its words begin
                shown.append(Piece(text[start : start + space], covering, (), kind))
                shown.append(Piece(words, covering, begins, kind, meet=meet))
            else:
                shown.append(Piece(text[start:end], covering, begins, kind, meet=meet))
        else:
            shown.extend(_ignored(text[start:end], whole=len(text) <= WHOLE))
    return shown


def chunks(pieces: Sequence[Piece]) -> list[list[Piece]]:
    """The pieces in chunks that end with a line, so that each can be a block of its own; the feed stays its last sign.

    A text without lines is one chunk.
    """
    found: list[list[Piece]] = [[]]
    length = 0
    for piece in pieces:
        rest = piece
        while length + len(rest.text) >= CHUNK and (feed := rest.text.find("\n", max(0, CHUNK - length))) >= 0:
            cut = feed + 1
            found[-1].append(replace(rest, text=rest.text[:cut], left_out=0))
            found.append([])
            rest = replace(rest, text=rest.text[cut:], begins=(), meet=None)
            length = 0
        if rest.text or rest.begins or rest.left_out:
            found[-1].append(rest)
            length += len(rest.text)
    return [chunk for chunk in found if chunk]


def _ignored(text: str, *, whole: bool) -> Iterator[Piece]:
    if whole or len(text) <= 2 * CONTEXT:
        yield Piece(text)
    else:
        yield Piece(text[:CONTEXT], left_out=len(text) - 2 * CONTEXT)
        yield Piece(text[-CONTEXT:])
