"""A text cut at the borders of its copied passages, ready to be shown beside its partner."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

CHUNK: Final = 3_000  # characters, about, that a browser lays out at a time
WHOLE: Final = 200_000  # up to this length a text is shown whole
CONTEXT: Final = 2_000  # of longer ones, this much beside each passage
GAP: Final = "gap"  # the kind of what looks the same where nothing was copied: it gives way to any other


@dataclass(frozen=True, slots=True)
class Span:
    """One stretch of a text, in code points; `kind` is its look.

    `passage` is the number of the passage that it is a part of, `source` that of the work that it was copied from; 0
    where it is of none. `meet` names a place at which both texts say the same, by a number that the stretch of the
    other text has as well.
    """

    passage: int
    start: int
    end: int
    kind: str
    meet: int | None = None
    source: int = 0


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text with one look.

    `passages` are the passages that cover it, `begins` those whose first piece it is, `sources` the works that it was
    copied from (neither: ignored text), `left_out` the characters that are not shown after it, `meet` as in `Span`.
    `reason` says why the text was not counted, and `unmatched` how it stood on the page: as a part of a `line`, or as a
    `block` of lines.
    """

    text: str
    passages: tuple[int, ...] = ()
    begins: tuple[int, ...] = ()
    kind: str = ""
    left_out: int = 0
    meet: int | None = None
    sources: tuple[int, ...] = ()
    reason: str = ""
    unmatched: str = ""


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
        new = starting.get(start, [])
        running = [span for span in running + new if span.end > start]
        begins = tuple(dict.fromkeys(span.passage for span in new if span.passage and span.passage not in seen))
        seen.update(begins)
        if start == end and not begins:
            continue
        if begins or running:
            meet = next((span.meet for span in new if span.meet is not None), None)
            shown.extend(_covered(text[start:end], running if end > start else [], begins, meet))
        else:
            shown.extend(_ignored(text[start:end], whole=len(text) <= WHOLE))
    return shown


def _covered(text: str, spans: Sequence[Span], begins: tuple[int, ...], meet: int | None) -> Iterator[Piece]:
    kinds = [span.kind for span in spans if span.passage]
    piece = Piece(
        text,
        passages=tuple(dict.fromkeys(span.passage for span in spans if span.passage)),
        kind=next((kind for kind in kinds if kind != GAP), GAP) if kinds else "",
        sources=tuple(sorted({span.source for span in spans if span.source})),
        reason=next((span.kind for span in spans if not span.passage and not span.source), ""),
    )
    words = text.lstrip() if begins else text
    if words and words != text:  # a passage is numbered where its words begin
        yield replace(piece, text=text[: -len(words)])
    yield replace(piece, text=words or text, begins=begins, meet=meet)


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
