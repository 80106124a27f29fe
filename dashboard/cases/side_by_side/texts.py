"""Both texts of a case, cut and marked for the two panes."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from dashboard.cases.side_by_side.changes import typed, whole
from dashboard.cases.side_by_side.marking import PRESENT, Marked, common_of_work, marked, source_spans, with_unmatched
from dashboard.cases.side_by_side.panes import Piece, chunks, pieces
from services.cases.unmatched_text import unmatched_of
from services.context import Product
from store.errors import NotFound
from store.ports import Blobs
from store.records import Case, Match, Passage

Numbered = list[tuple[int, Passage]]


@dataclass(frozen=True, slots=True)
class Pane:
    """One of the two texts; None when the store has lost it."""

    chunks: list[list[Marked]] | None
    length: int  # code points of the text that was matched


@dataclass(frozen=True, slots=True)
class CaseTexts:
    """Both panes. unmatched: whether the page shows more than was matched. common: something is common property."""

    page: Pane
    work: Pane
    unmatched: bool
    common: bool


def numbered(match: Match) -> Numbered:
    """The passages in the order of the page, from 1."""
    return list(enumerate(sorted(match.passages, key=lambda one: (one.page_start, one.work_start)), 1))


def texts(product: Product, case: Case, matches: Sequence[Match], shown: Collection[int]) -> CaseTexts:
    """Both texts as they are shown. matches: of the page's sources, the case's own first; shown: their numbers."""
    page, work = (_text(product.store.blobs, digest) for digest in (case.page_text_digest, case.work_text_digest))
    passages = numbered(case.match)
    sides = whole(passages) if page is None or work is None else typed(page, work, passages)
    beside = [] if page is None else unmatched_of(product, case, page)
    on_page = [] if page is None else [*with_unmatched(pieces(page, [*sides.page, *source_spans(matches)]), beside)]
    on_work = pieces(work or "", [*sides.work, *common_of_work(case.match)])
    return CaseTexts(
        Pane(None if page is None else _marked(on_page, shown), len(page or "")),
        Pane(None if work is None else _marked(on_work, {PRESENT}), len(work or "")),
        unmatched=bool(beside),
        common=any(match.common for match in matches),
    )


def _marked(pieces: Sequence[Piece], shown: Collection[int]) -> list[list[Marked]]:
    cut = chunks(pieces)
    looks = marked((piece for chunk in cut for piece in chunk), shown)
    return [[next(looks) for _ in chunk] for chunk in cut]


def _text(blobs: Blobs, digest: str) -> str | None:
    try:
        return blobs.get_text(digest)
    except NotFound:
        return None
