"""What a few words, or a phrase, find in everything."""

import re
from typing import NamedTuple

from flask import Blueprint, render_template, request

from dashboard.frame.context import services
from dashboard.frame.permissions import needs
from services.search.everything import COUNTED, QUERY_LENGTH, search
from services.search.phrase_search import LOOKED_AT
from store.records import OwnerKind
from store.rules.role_rights import Right

blueprint = Blueprint("search", __name__, url_prefix="/search")


class QueryPiece(NamedTuple):
    """A part of a text, and whether it is what was asked for."""

    text: str
    asked_for: bool


@blueprint.get("/")
@needs(Right.READ)
def find() -> str:
    """The first of each kind; the lists of works, cases and pages have the rest."""
    query = "".join(letter for letter in request.args.get("q", "") if letter.isprintable()).strip()[:QUERY_LENGTH]
    return render_template(
        "search/search.html",
        query=query,
        found=search(services().product, query),
        marked=lambda text: marked(text, query),
        PAGE=OwnerKind.PAGE,
        counted=COUNTED,
        looked_at=LOOKED_AT,
    )


def marked(text: str, query: str) -> list[QueryPiece]:
    """A text in pieces, with the words of a query told from the rest, whatever their case.

    >>> marked("潮汐簿 第一章", "潮汐")
    [QueryPiece(text='潮汐', asked_for=True), QueryPiece(text='簿 第一章', asked_for=False)]
    """
    words = sorted(set(query.split()), key=len, reverse=True)
    if not words:
        return [QueryPiece(text, False)]
    cut = re.split(f"({'|'.join(map(re.escape, words))})", text, flags=re.IGNORECASE)
    return [QueryPiece(piece, at % 2 == 1) for at, piece in enumerate(cut) if piece]
