"""Write marked copies, and trace the text of a case, a page or a form."""

from io import BytesIO
from typing import Any, Final
from zipfile import ZIP_DEFLATED, ZipFile

from flask import Blueprint, Response, render_template, request

from dashboard.frame.context import current_actor, language, services, shows_refusal, t
from dashboard.frame.requests import ACCEPTED_SUFFIXES, file_response, parse_number, redirect_to, uploaded_files
from dashboard.frame.security import needs
from wenhen.kit.errors import BadInput, Message, NotFound
from wenhen.kit.rights import Right
from wenhen.kit.size_and_time_limits import MAX_CHECK_MB
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
@shows_refusal(lambda refusal: _render_marks(refusal=refusal.text(language())), NotFound)
def make() -> Response:
    """Download a copy for each recipient: a text, or a ZIP file of several."""
    name, text = _given_text()
    title = request.form.get("title", "").strip() or name
    written = mark_text(current_actor(), title, text, request.form.get("recipients", "").splitlines())
    if len(written) == 1:
        return file_response(_file_name(title, written[0]), _encode(written[0].text), "text/plain; charset=utf-8")
    return file_response(f"{title[:80]}.zip", _zip_copies(title, written), "application/zip")


@marks_blueprint.post("/read")
@needs(Right.DETAILS)
@shows_refusal(lambda refusal: _render_marks(unread=refusal.text(language())), NotFound)
def read() -> str:
    """Show which copy a text stems from."""
    page = request.form.get("page", "").strip()
    suspect = load_suspect(services().product, page) if page else _given_text()[1]
    return _render_marks(traced=trace_text(current_actor(), suspect))


def _back_to_exhibits(number: int, notice: str, look: str = "message") -> Response:
    return redirect_to("case.show", notice, look, number=number, _anchor="exhibits")


def _back_with_refusal(refusal: Message, number: int) -> Response:
    return _back_to_exhibits(number, refusal.text(language()), "refused")


@marks_blueprint.post("/state/<int:number>")
@needs(Right.EXPORT)
@shows_refusal(_back_with_refusal, NotFound)
def state(number: int) -> Response:
    """Let exhibits and reports of a case say which copy its text stems from, by the holder's word."""
    state_marks(current_actor(), number, request.form.get("text", ""), word=request.form.get("word", ""))
    return _back_to_exhibits(number, t("marks.stated"))


@marks_blueprint.post("/withdraw/<int:number>")
@needs(Right.EXPORT)
@shows_refusal(_back_with_refusal, NotFound)
def withdraw(number: int) -> Response:
    """Let later exhibits and reports of a case say nothing of marks."""
    withdraw_marks(current_actor(), number)
    return _back_to_exhibits(number, t("marks.withdrawn"))


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
        case_number=parse_number(request.form.get("page", "").strip().removeprefix("#")),
        word_length=MAX_WORD_CHARACTERS,
        shown=MAX_SHOWN_COPIES,
        refusal=refusal,
        unread=unread,
        accepted=ACCEPTED_SUFFIXES,
        limit=MAX_CHECK_MB,
        form=request.form,
        **more,
    )
