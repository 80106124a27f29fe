"""Notices: what is written and what was sent; one of them with its text, its sendings and its answers."""

from flask import Blueprint, abort, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from dashboard.export.notice_files import WORD, mailed_files, notice_name, to_bundle, to_word
from dashboard.frame.context import acting, services
from dashboard.frame.downloads import as_file
from dashboard.frame.language import language, t
from dashboard.frame.mend_links import mending
from dashboard.frame.permissions import needs
from dashboard.frame.strict_arguments import beginning, day
from dashboard.frame.uploads import sent
from services.holders.holders import lacks_of
from services.notices import approval, platforms, send_by_mail, sent_and_answered, write_and_edit
from services.notices.delisting_look_up import look_up
from services.notices.replies import decisions_on_replies
from services.notices.replies.fetch_mails import is_set
from services.notices.tasks_due import tasks
from services.notices.word.word_templates import WordKind
from store.errors import BadInput, NotFound, SetupError, Unavailable
from store.messages import Message
from store.records import AnswerKind, Notice, SentBy
from store.rules.role_rights import Right

blueprint = Blueprint("notices", __name__, url_prefix="/notices")

_BY_HAND = (SentBy.FORM, SentBy.POST)


@blueprint.get("/")
@needs(Right.PROCEED)
def find() -> str:
    """What is to be done by when, the notices that wait, those that were sent."""
    store, product = services().store, services().product
    return render_template(
        "notices/notices.html",
        tasks=tasks(product),
        now=product.now(),
        drafts=store.notices.recent(sent=False),
        sent=store.notices.recent(sent=True),
        mails=store.replies.waiting(),
        fetches=is_set(product.settings.notice),
        names={one.id: one.name for one in platforms.platforms(product)},
    )


@blueprint.post("/of/<int:number>")
@needs(Right.PROCEED)
def write(number: int) -> Response:
    """Write those about a case, to its platform or to another."""
    try:
        written = write_and_edit.write(acting(), number, request.form.get("platform") or None)
    except BadInput as error:
        flash(error.message.text(language()))
        return redirect(url_for("notice.show", number=number), 303)
    flash(t("notices.written", count=len(written), numbers=" ".join(one.id for one in written)))
    return redirect(url_for("notices.show", id=written[0].id), 303)


@blueprint.get("/<string:id>")
@needs(Right.PROCEED)
def show(id: str) -> str:
    """One notice."""
    return _page(services().store.notices.get(id))


@blueprint.post("/<string:id>/text")
@needs(Right.PROCEED)
def edit(id: str) -> Response | tuple[str, int]:
    """Set its words."""
    days = request.form.get("days", "")
    try:
        number = int(days) if days.isascii() and days.isdecimal() and len(days) < 5 else 0
        write_and_edit.edit(acting(), id, text=request.form.get("text", ""), days=number)
    except BadInput as error:
        return _page(services().store.notices.get(id), error.message), 400
    flash(t("notices.kept"))
    return redirect(url_for("notices.show", id=id), 303)


@blueprint.post("/<string:id>/approval")
@needs(Right.PROCEED)
def approve(id: str) -> Response | tuple[str, int]:
    """Agree to it as it stands."""
    try:
        approval.approve(acting(), id)
    except BadInput as error:
        return _page(services().store.notices.get(id), error.message), 400
    flash(t("notices.approved_now"))
    return redirect(url_for("notices.show", id=id), 303)


@blueprint.post("/<string:id>/sent")
@needs(Right.PROCEED)
def note_sent(id: str) -> Response | tuple[str, int]:
    """Note that it was sent by a form or a letter."""
    try:
        how = SentBy(request.form.get("how", ""))
    except ValueError:
        abort(400)
    try:
        notice = sent_and_answered.note_sent(acting(), id, how, at=beginning(day("at")))
    except BadInput as error:
        return _page(services().store.notices.get(id), error.message), 400
    flash(t("notices.sent_now", id=id, count=len(notice.case_numbers)))
    return redirect(url_for("notices.show", id=id), 303)


@blueprint.post("/<string:id>/mail")
@needs(Right.PROCEED)
def by_mail(id: str) -> Response | tuple[str, int]:
    """Send it by e-mail, with its report and list of evidence."""
    try:
        notice = send_by_mail.mail(acting(), id, request.form.get("to", ""), mailed_files(acting(), id))
    except BadInput as error:
        return _page(services().store.notices.get(id), error.message), 400
    problem = notice.sendings[-1].problem
    flash(problem.text(language()) if problem else t("notices.sent_now", id=id, count=len(notice.case_numbers)))
    return redirect(url_for("notices.show", id=id), 303)


@blueprint.post("/<string:id>/listings")
@needs(Right.PROCEED)
def look_up_listings(id: str) -> Response | tuple[str, int]:
    """Ask the search engine that it is to whether it leads to its pages."""
    try:
        look_up(acting(), id)
    except (BadInput, SetupError, Unavailable) as error:
        return _page(services().store.notices.get(id), error.message), 400
    return redirect(url_for("notices.show", id=id) + "#listings", 303)


@blueprint.post("/<string:id>/answers")
@needs(Right.PROCEED)
def answer(id: str) -> Response | tuple[str, int]:
    """Keep what came back."""
    try:
        kind = AnswerKind(request.form.get("kind", ""))
    except ValueError:
        abort(400)
    try:
        file = next(iter(sent("file")), None)
        sent_and_answered.answer(acting(), id, kind, request.form.get("text", ""), at=beginning(day("at")), file=file)
    except BadInput as error:
        return _page(services().store.notices.get(id), error.message), 400
    flash(t("notices.answer_kept"))
    return redirect(url_for("notices.show", id=id) + "#answers", 303)


@blueprint.get("/<string:id>/answers/<int:place>")
@needs(Right.PROCEED)
def answer_file(id: str, place: int) -> Response:
    """The file of an answer, as bytes to be kept."""
    return as_file(*sent_and_answered.file_of(services().product, id, place))


@blueprint.post("/<string:id>/answers/<int:place>")
@needs(Right.PROCEED)
def read(id: str, place: int) -> Response | tuple[str, int]:
    """Say what an answer amounts to."""
    try:
        kind = AnswerKind(request.form.get("kind", ""))
    except ValueError:
        abort(400)
    try:
        decisions_on_replies.read(acting(), id, place, kind, move="move" in request.form)
    except BadInput as error:
        return _page(services().store.notices.get(id), error.message), 400
    flash(t("replies.was_read"))
    return redirect(url_for("notices.show", id=id) + "#answers", 303)


@blueprint.get("/<string:id>/<any(notice, authority, evidence):kind>.docx")
@needs(Right.PROCEED)
def word(id: str, kind: str) -> Response:
    """The notice, its power of attorney or its list of evidence, as a Word file."""
    content = to_word(acting(), id, WordKind(kind))
    name = f"{notice_name(id)}-{kind}.docx"
    return as_file(name, content, WORD)


@blueprint.get("/<string:id>/bundle.zip")
@needs(Right.PROCEED)
def bundle(id: str) -> Response:
    """All of it, for counsel."""
    content = to_bundle(acting(), id)
    return as_file(f"{notice_name(id)}.zip", content, "application/zip")


@blueprint.post("/remove")
@needs(Right.PROCEED)
def remove() -> Response:
    """Throw one away that was not sent."""
    write_and_edit.remove(acting(), request.form.get("id", ""))
    flash(t("holders.removed"))
    return redirect(url_for("notices.find"), 303)


def _page(notice: Notice, refusal: Message | None = None) -> str:
    product = services().product
    try:
        to = platforms.platform(product, notice.platform)
    except NotFound:
        to = None
    return render_template(
        "notices/letter.html",
        notice=notice,
        to=to,
        cases=sorted(product.store.cases.many(notice.case_numbers).values(), key=lambda one: one.number),
        lacking=lacks_of(product, notice.holder) if notice.sent_at is None else [],
        has_mail=bool(product.settings.notice.smtp and product.settings.notice.sender),
        two=product.settings.notice.two_persons,
        looks_up=to is not None and product.settings.discover.answers_for(to.engine),
        relook_days=product.settings.discover.relook_days,
        text=request.form.get("text", notice.text),
        refusal=refusal,
        mend=mending(refusal) if refusal else None,
        by_hand=_BY_HAND,
        kinds=list(AnswerKind),
        words=list(WordKind),
        longest=write_and_edit.LONGEST,
        most_days=write_and_edit.MOST_DAYS,
    )
