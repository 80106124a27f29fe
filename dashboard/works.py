"""The works whose copies are looked for."""

from typing import Final

from flask import Blueprint, render_template, request

from dashboard.paging import SIZE, paging
from dashboard.services import services

blueprint = Blueprint("works", __name__, url_prefix="/works")

_CASES: Final = 200
_QUERY: Final = 200  # characters
_OPENING: Final = 2_000  # characters of the text that a work's page shows


@blueprint.get("/")
def find() -> str:
    """The list, with search."""
    works = services().store.works
    typed = request.args.get("q", "")[:_QUERY]
    query = "".join(letter for letter in typed if letter.isprintable()).strip() or None
    page = paging(works.count(query=query))
    return render_template(
        "works.html", works=works.find(query=query, skip=page.skip, limit=SIZE), query=query, paging=page
    )


@blueprint.get("/one")
def show() -> str:
    """One work with its versions and its cases; the id, which may hold any character, is an argument."""
    store = services().store
    work = store.works.get(request.args.get("id", ""))
    return render_template(
        "work.html",
        work=work,
        cases=store.cases.find(work_id=work.id, limit=_CASES),
        case_count=store.cases.count(work_id=work.id),
        opening=store.blobs.get_text(work.text_digest)[:_OPENING],
    )
