"""Write marked copies, and trace the text of a case, a page or a form."""

from io import BytesIO
from typing import Any, Final
from zipfile import ZIP_DEFLATED, ZipFile

from flask import Blueprint, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from dashboard.frame.context import current_actor, language, services, t
from dashboard.frame.requests import ACCEPTED_SUFFIXES, MAX_CHECK_MB, file_response, uploaded_files
from dashboard.frame.security import needs
from wenhen.kit.errors import BadInput, NotFound
from wenhen.kit.rights import Right
from wenhen.marks.model import TracedText, WrittenCopy
from wenhen.marks.service import (
    MAX_WORD_CHARACTERS,
    list_copies,
    load_suspect,
    mark_text,
    state_marks,
    trace_text,
    withdraw_marks,
)
from wenhen.texts.source_lookup import read_uploaded_texts

marks_blueprint = Blueprint("marks", __name__, url_prefix="/works/marks")

MAX_SHOWN_COPIES: Final = 5  # likeliest copies of each text
_MAX_LISTED: Final = 200  # recipients that the list of a text names


@marks_blueprint.get("/")
@needs(Right.DETAILS)
def show() -> str:
    """Show the marked texts, the recipients of one, and the forms."""
    return _render_marks()


@marks_blueprint.post("/")
@needs(Right.WORKS)
def make() -> Response | tuple[str, int]:
    """Download a copy for each recipient: a text, or a ZIP file of several."""
    try:
        name, text = _given_text()
        title = request.form.get("title", "").strip() or name
        written = mark_text(current_actor(), title, text, request.form.get("recipients", "").splitlines())
    except (BadInput, NotFound) as error:
        return _render_marks(refusal=error.message.text(language())), 400
    if len(written) == 1:
        return file_response(_file_name(title, written[0]), _encode(written[0].text), "text/plain; charset=utf-8")
    return file_response(f"{title[:80]}.zip", _zip_copies(title, written), "application/zip")


@marks_blueprint.post("/read")
@needs(Right.DETAILS)
def read() -> str | tuple[str, int]:
    """Show which copy a text stems from."""
    page = request.form.get("page", "").strip()
    try:
        suspect = load_suspect(services().product, page) if page else _given_text()[1]
        traced = trace_text(current_actor(), suspect)
    except (BadInput, NotFound) as error:
        return _render_marks(unread=error.message.text(language())), 400
    return _render_marks(traced=traced)


@marks_blueprint.post("/state/<int:number>")
@needs(Right.EXPORT)
def state(number: int) -> Response:
    """Let exhibits and reports of a case say which copy its text stems from, by the holder's word."""
    try:
        state_marks(current_actor(), number, request.form.get("text", ""), word=request.form.get("word", ""))
        flash(t("marks.stated"))
    except (BadInput, NotFound) as error:
        flash(error.message.text(language()), "refused")
    return redirect(url_for("case.show", number=number, _anchor="exhibits"), 303)


@marks_blueprint.post("/withdraw/<int:number>")
@needs(Right.EXPORT)
def withdraw(number: int) -> Response:
    """Let later exhibits and reports of a case say nothing of marks."""
    try:
        withdraw_marks(current_actor(), number)
        flash(t("marks.withdrawn"))
    except NotFound as error:
        flash(error.message.text(language()), "refused")
    return redirect(url_for("case.show", number=number, _anchor="exhibits"), 303)


def _case_number(page: str) -> int | None:
    """Return the number of the case that the form names, if it names one."""
    number = page.removeprefix("#")
    return int(number) if number.isascii() and number.isdecimal() else None


def _given_text() -> tuple[str, str]:
    """Return name and text of the form's only text. Raises `BadInput`."""
    pasted = request.form.get("text", "").replace("\r\n", "\n")
    if pasted.strip():
        return t("check.pasted"), pasted
    for name, content in uploaded_files("file"):
        texts, refused = read_uploaded_texts(name, content, 2)
        if refused:
            raise BadInput(refused[0].reason.code, **refused[0].reason.figures)
        if len(texts) != 1:
            raise BadInput("marks.not_one_text", file=name, count=len(texts))
        return texts[0].name, texts[0].text
    raise BadInput("marks.nothing_to_read")


def _file_name(title: str, written: WrittenCopy) -> str:
    recipient = "".join(x if x.isalnum() else "_" for x in written.copy.recipient)[:80]
    return f"{title[:80].replace('/', '_')}-{recipient}-{written.copy.id[:6]}.txt"


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _zip_copies(title: str, written: list[WrittenCopy]) -> bytes:
    packed = BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
        for each in written:
            archive.writestr(_file_name(title, each), _encode(each.text))
    return packed.getvalue()


def _render_marks(
    *, traced: list[TracedText] | None = None, refusal: str | None = None, unread: str | None = None
) -> str:
    chosen = request.args.get("text", "")
    more: dict[str, Any] = {}
    if chosen:
        copies = list_copies(current_actor(), chosen)
        more = {"chosen": chosen, "copies": copies[:_MAX_LISTED], "left_out": max(0, len(copies) - _MAX_LISTED)}
    return render_template(
        "works/marks.html",
        texts=services().store.marked_texts.all(),
        traced=traced,
        case_number=_case_number(request.form.get("page", "").strip()),
        word_length=MAX_WORD_CHARACTERS,
        shown=MAX_SHOWN_COPIES,
        refusal=refusal,
        unread=unread,
        accepted=ACCEPTED_SUFFIXES,
        limit=MAX_CHECK_MB,
        form=request.form,
        **more,
    )
