"""What is said of many works, as a table: taken away, changed in a spreadsheet, looked at and taken in."""

from itertools import count, takewhile
from typing import Final

from flask import Blueprint, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from dashboard.frame.context import acting, services
from dashboard.frame.downloads import as_file
from dashboard.frame.language import t
from dashboard.frame.permissions import needs
from dashboard.frame.uploads import sent
from dashboard.works.work_form import told
from services.importing.csv_lines import text_of
from services.library.details_csv import EditedWorks, edit_csv, table_of
from store.errors import BadInput
from store.rules.role_rights import Right

blueprint = Blueprint("details", __name__, url_prefix="/works/details")

_ROWS: Final = 1000  # works in one look-up
_SHOWN: Final = 500  # lines that the preview names


@blueprint.get("/")
@needs(Right.DETAILS)
def show() -> str:
    """How it goes, the table to take away, and the form."""
    return _page()


@blueprint.get("/works.csv")
@needs(Right.DETAILS)
def table() -> Response:
    """All works, or those of a series."""
    works, series = services().store.works, request.args.get("series") or None
    pages = (works.find(series=series, skip=skip, limit=_ROWS) for skip in count(0, _ROWS))
    every = (work for page in takewhile(bool, pages) for work in page)
    return as_file(f"{t('details.file')}.csv", table_of(every), "text/csv")


@blueprint.post("/preview")
@needs(Right.DETAILS)
def preview() -> str | tuple[str, int]:
    """What a file would change, and what of it is refused."""
    content = b"".join(content for _, content in sent("file"))
    try:
        return _page(result=edit_csv(acting(), content, preview=True), content=text_of(content))
    except BadInput as error:
        return _page(refusal=told(error.message)), 400


@blueprint.post("/")
@needs(Right.DETAILS)
def take() -> str | Response | tuple[str, int]:
    """Change the works as the lines say that were looked at; those that are refused are listed with their reason."""
    try:
        done = edit_csv(acting(), request.form.get("content", "").encode("utf-8", "replace"))
    except BadInput as error:
        return _page(refusal=told(error.message)), 400
    flash(t("details.taken", count=len(done.edited)))
    return _page(result=done) if done.refused else redirect(url_for("works.find"), 303)


def _page(*, result: EditedWorks | None = None, content: str | None = None, refusal: str | None = None) -> str:
    refused = [(one.line, told(one.reason)) for one in result.refused[:_SHOWN]] if result else []
    return render_template(
        "works/details.html", result=result, refused=refused, content=content, refusal=refusal, shown=_SHOWN
    )
