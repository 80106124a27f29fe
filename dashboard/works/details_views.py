"""Export the details of works as a table, and import the edited table."""

from itertools import count, takewhile
from typing import Final

from flask import Blueprint, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from dashboard.frame.context import current_actor, services
from dashboard.frame.language import t
from dashboard.frame.requests import file_response, uploaded_files
from dashboard.frame.security import needs
from dashboard.works.form_views import work_refusal_words
from wenhen.kit.errors import BadInput
from wenhen.kit.rights import Right
from wenhen.works.import_export import EditedWorks, edit_works_csv, export_details_csv
from wenhen.works.importers.csv_rows import decode_csv

details_blueprint = Blueprint("details", __name__, url_prefix="/works/details")

_MAX_ROWS: Final = 1000  # works in one query
_MAX_SHOWN: Final = 500  # lines that the preview names


@details_blueprint.get("/")
@needs(Right.DETAILS)
def show() -> str:
    """Show the instructions, the table to download, and the upload form."""
    return _render_details()


@details_blueprint.get("/works.csv")
@needs(Right.DETAILS)
def table() -> Response:
    """Export all works, or those of a series."""
    works, series = services().store.works, request.args.get("series") or None
    pages = (works.find(series=series, skip=skip, limit=_MAX_ROWS) for skip in count(0, _MAX_ROWS))
    every = (work for page in takewhile(bool, pages) for work in page)
    return file_response(f"{t('details.file')}.csv", export_details_csv(every), "text/csv")


@details_blueprint.post("/preview")
@needs(Right.DETAILS)
def preview() -> str | tuple[str, int]:
    """Preview the changes and the refused lines of a file."""
    content = b"".join(content for _, content in uploaded_files("file"))
    try:
        return _render_details(
            result=edit_works_csv(current_actor(), content, preview=True), content=decode_csv(content)
        )
    except BadInput as error:
        return _render_details(refusal=work_refusal_words(error.message)), 400


@details_blueprint.post("/")
@needs(Right.DETAILS)
def take() -> str | Response | tuple[str, int]:
    """Change the works by the previewed lines. List refused lines with the reason."""
    try:
        done = edit_works_csv(current_actor(), request.form.get("content", "").encode("utf-8", "replace"))
    except BadInput as error:
        return _render_details(refusal=work_refusal_words(error.message)), 400
    flash(t("details.taken", count=len(done.edited)))
    return _render_details(result=done) if done.refused else redirect(url_for("works.find"), 303)


def _render_details(
    *, result: EditedWorks | None = None, content: str | None = None, refusal: str | None = None
) -> str:
    refused = (
        [(refusal.line, work_refusal_words(refusal.reason)) for refusal in result.refused[:_MAX_SHOWN]]
        if result
        else []
    )
    return render_template(
        "works/details.html", result=result, refused=refused, content=content, refusal=refusal, shown=_MAX_SHOWN
    )
