"""List, add and remove common texts."""

from typing import Final

from flask import Blueprint, Response, flash, render_template, request

from dashboard.frame.context import current_actor, services, t
from dashboard.frame.requests import (
    ACCEPTED_SUFFIXES,
    ROWS_PER_PAGE,
    current_paging,
    printable_words,
    redirect_to,
    uploaded_files,
)
from dashboard.frame.security import needs
from wenhen.common.service import add_common_upload, remove_common_text
from wenhen.kit.rights import Right
from wenhen.kit.size_and_time_limits import MAX_IMPORT_MB
from wenhen.works.importers.drafts import Refused

common_blueprint = Blueprint("common", __name__, url_prefix="/works/common")

_MAX_QUERY_CHARACTERS: Final = 200


@common_blueprint.get("/")
@needs(Right.READ)
def show() -> str:
    """Show the list with a search, and the form to add texts."""
    return _render_list()


@common_blueprint.post("/")
@needs(Right.WORKS)
def add() -> str | Response | tuple[str, int]:
    """Add the texts of the files. List refused texts with the reason, and accept the rest."""
    files = uploaded_files("files")
    if not files:
        return _render_list(problem=t("intake.no_file")), 400
    results = [add_common_upload(current_actor(), name, content) for name, content in files]
    refused = [refusal for result in results for refusal in result.refused]
    taken = sum(result.counts().accepted_count for result in results)
    if taken:
        flash(t("common_texts.added", count=taken))
    if refused:
        return _render_list(refused=refused)
    return redirect_to("common.show")


@common_blueprint.post("/remove")
@needs(Right.WORKS)
def remove() -> Response:
    """Remove a common text, and match the pages with its text again."""
    text = remove_common_text(current_actor(), request.form.get("id", ""))
    return redirect_to("common.show", t("common_texts.removed", title=text.title))


def _render_list(*, problem: str | None = None, refused: list[Refused] | None = None) -> str:
    works = services().store.works
    query = printable_words(request.args.get("q", "")[:_MAX_QUERY_CHARACTERS])
    page = current_paging(works.count_common(query=query))
    return render_template(
        "common/common_texts.html",
        texts=works.find_common(query=query, skip=page.skip, limit=ROWS_PER_PAGE),
        query=query,
        paging=page,
        problem=problem,
        refused=refused or [],
        accepted=ACCEPTED_SUFFIXES,
        limit=MAX_IMPORT_MB,
    )
