"""Write, edit, approve, send and answer notices, print them as letters, and assign incoming mails to them."""

from flask import Blueprint, Response, render_template, request

from dashboard.frame.context import current_actor, fix_link, language, numbered_case, services, shows_refusal, t
from dashboard.frame.requests import (
    day_field,
    day_start,
    file_response,
    form_choice,
    parse_number,
    redirect_to,
    report_language_argument,
    shared_link_address,
    uploaded_file,
)
from dashboard.frame.security import needs
from wenhen.cases.decisions import decide_cases
from wenhen.cases.model import CaseStatus
from wenhen.holders.service import missing_requirements_of_name
from wenhen.kit.clock import china_day
from wenhen.kit.errors import Conflict, Message, NotFound, SetupError, Unavailable
from wenhen.kit.rights import Right
from wenhen.notices.content import make_notice_subject
from wenhen.notices.delisting import check_delisting
from wenhen.notices.drafting import (
    MAX_NOTICE_CHARACTERS,
    MAX_TERM_DAYS,
    approve_notice,
    edit_notice,
    remove_notice,
    write_notices,
)
from wenhen.notices.due_tasks import ToDo, group_tasks, list_tasks
from wenhen.notices.mailbox import fetch_reply_mails, is_mailbox_set
from wenhen.notices.model import AnswerKind, SentBy
from wenhen.notices.platforms import all_platforms, get_platform
from wenhen.notices.replies import StatesRead, assign_reply, classify_answer, dismiss_reply, read_address_states
from wenhen.notices.sending import find_case_notices, load_answer_file, mail_notice, record_answer, record_sent_notice
from wenhen.notices.word_templates import WordKind
from wenhen.reports.notice_files import (
    WORD_MEDIA_TYPE,
    AddressFile,
    gather_mail_parts,
    write_addresses,
    write_notice_bundle,
    write_notice_word,
)

letter_blueprint = Blueprint("notice", __name__, url_prefix="/cases")


@letter_blueprint.get("/<int:number>/notice")
@needs(Right.PROCEED)
def show_preview(number: int) -> str:
    """Show the letter to a receiver about this case and other cases of the same site and holder."""
    return _render_notice_preview(None, number)


def _render_notice_preview(refusal: Message | None, number: int) -> str:
    """Render the letter as of now.

    `refusal` says why the notice was not written, or why its cases did not move.
    """
    product, platform = services().product, request.values.get("platform") or None
    case = numbered_case(number)
    return render_template(
        "notices/notice.html",
        notice=make_notice_subject(product, case, get_platform(product, platform) if platform else None),
        asked=platform,
        today=china_day(services().clock()),
        platforms=all_platforms(product),
        written=find_case_notices(product, case.number),
        two=product.settings.notice.two_persons,
        refusal=refusal,
        mend=fix_link(refusal) if refusal else None,
    )


@letter_blueprint.post("/<int:number>/notice")
@needs(Right.PROCEED)
@shows_refusal(_render_notice_preview)
def record_sent(number: int) -> Response:
    """Record that the letter was sent for the cases that it lists."""
    case = numbered_case(number)
    numbers = [listed for text in request.form.getlist("case") if (listed := parse_number(text)) is not None]
    decided = decide_cases(current_actor(), numbers, CaseStatus.NOTICE_SENT, undoable=True)
    return redirect_to("case.show", t("suspects.done_notice_sent", count=len(decided.moved)), number=case.number)


# Mails in the mailbox for notices: fetched immediately, and assigned by hand if their notice is unknown.


replies_blueprint = Blueprint("replies", __name__, url_prefix="/replies")


def _back_with_refusal(refusal: Message) -> Response:
    return redirect_to("notices.find", refusal.text(language()), "refused", _anchor="mails")


@replies_blueprint.post("/fetch")
@needs(Right.PROCEED)
@shows_refusal(_back_with_refusal, Unavailable)
def fetch_now() -> Response:
    """Fetch new mails from the mailbox."""
    reply_mails = fetch_reply_mails(current_actor())
    counts = {"assigned": reply_mails.assigned, "waiting": reply_mails.waiting, "left": reply_mails.left}
    return redirect_to("notices.find", t("replies.fetched", **counts), _anchor="mails")


@replies_blueprint.post("/assign")
@needs(Right.PROCEED)
@shows_refusal(_back_with_refusal, NotFound)
def assign() -> Response:
    """Assign a mail to its notice, or dismiss it."""
    id, number = request.form.get("id", ""), request.form.get("notice", "").strip()
    if request.form.get("aside"):
        dismiss_reply(current_actor(), id)
        return redirect_to("notices.find", _anchor="mails")
    assign_reply(current_actor(), id, number)
    return redirect_to("notices.show", id=number, _anchor="answers")


@replies_blueprint.get("/<string:id>.eml")
@needs(Right.PROCEED)
def mail(id: str) -> Response:
    """Download a mail unchanged."""
    store = services().store
    return file_response(f"{id[:12]}.eml", store.blobs.get(store.replies.get(id).id))


notices_blueprint = Blueprint("notices", __name__, url_prefix="/notices")

_MAX_HOLDER_CHARACTERS = 200
_TASK_FILTERS = {  # conditions of the cases of a group of tasks, which the queue decides together
    ToDo.ANSWER_DUE: {"status": "notice_sent", "order": "deadline"},
    ToDo.COUNTER_DUE: {"status": "countered", "order": "deadline"},
    ToDo.REMOVED: {"removal": "yes"},
    ToDo.RETURNED: {"returned": "yes"},
}
_MANUAL_CHANNELS = (SentBy.FORM, SentBy.POST)


@notices_blueprint.get("/")
@needs(Right.PROCEED)
def find() -> str:
    """Show the tasks by due date, the drafts, and the sent notices."""
    store, product = services().store, services().product
    holder = request.args.get("holder", "").strip()[:_MAX_HOLDER_CHARACTERS] or None
    return render_template(
        "notices/notices.html",
        holder=holder,
        tasks=group_tasks(list_tasks(product, holder=holder)),
        task_filters=_TASK_FILTERS,
        now=product.now(),
        drafts=store.notices.recent(sent=False, holder=holder),
        sent=store.notices.recent(sent=True, holder=holder),
        mails=store.replies.find_waiting(),
        fetches=is_mailbox_set(product.settings.notice),
        names={platform.id: platform.name for platform in all_platforms(product) if platform.hosts},
    )


@notices_blueprint.post("/of/<int:number>")
@needs(Right.PROCEED)
@shows_refusal(_render_notice_preview, Conflict, conflict=409)
def write(number: int) -> Response:
    """Write the notices about a case, to its platform or to another one."""
    written = write_notices(current_actor(), number, request.form.get("platform") or None)
    numbers = " ".join(notice.id for notice in written)
    return redirect_to("notices.show", t("notices.written", count=len(written), numbers=numbers), id=written[0].id)


@notices_blueprint.get("/<string:id>")
@needs(Right.PROCEED)
def show(id: str) -> str:
    """Show one notice."""
    return _render_notice(None, id)


def _render_notice(refusal: Message | None, id: str, states_read: StatesRead | None = None) -> str:
    product = services().product
    notice, two = product.store.notices.get(id), product.settings.notice.two_persons
    try:
        to = get_platform(product, notice.platform)
    except NotFound:
        to = None
    return render_template(
        "notices/letter.html",
        notice=notice,
        to=to,
        cases=sorted(product.store.cases.many(notice.case_numbers).values(), key=lambda case: case.number),
        lacking=missing_requirements_of_name(product, notice.holder) if notice.sent_at is None else [],
        has_mail=bool(product.settings.notice.smtp and product.settings.notice.sender),
        two=two,
        awaits=two and notice.approved_by is None,
        may_approve=current_actor().who not in (notice.written_by, notice.edited_by),
        looks_up=to is not None and product.settings.discover.answers_for(to.engine),
        relook_days=product.settings.discover.relook_days,
        text=request.form.get("text", notice.text),
        refusal=refusal,
        states_read=states_read,
        mend=fix_link(refusal) if refusal else None,
        by_hand=_MANUAL_CHANNELS,
        kinds=list(AnswerKind),
        words=list(WordKind),
        longest=MAX_NOTICE_CHARACTERS,
        most_days=MAX_TERM_DAYS,
    )


@notices_blueprint.post("/<string:id>/text")
@needs(Right.PROCEED)
@shows_refusal(_render_notice, Conflict, conflict=409)
def edit(id: str) -> Response:
    """Edit the text and the deadline of a notice."""
    days = parse_number(request.form.get("days", ""), digits=4) or 0
    edit_notice(current_actor(), id, text=request.form.get("text", ""), days=days)
    return redirect_to("notices.show", t("notices.kept"), id=id)


@notices_blueprint.post("/<string:id>/approval")
@needs(Right.PROCEED)
@shows_refusal(_render_notice, Conflict, conflict=409)
def approve(id: str) -> Response:
    """Approve a notice in its current version."""
    approve_notice(current_actor(), id)
    return redirect_to("notices.show", t("notices.approved_now"), id=id)


@notices_blueprint.post("/<string:id>/sent")
@needs(Right.PROCEED)
@shows_refusal(_render_notice, Conflict, conflict=409)
def note_sent(id: str) -> Response:
    """Record that a person sent the notice by a form or a letter."""
    notice = record_sent_notice(current_actor(), id, form_choice("how", SentBy), sent_at=day_start(day_field("at")))
    return redirect_to("notices.show", t("notices.sent_now", id=id, count=len(notice.case_numbers)), id=id)


@notices_blueprint.post("/<string:id>/mail")
@needs(Right.PROCEED)
@shows_refusal(_render_notice, Conflict, conflict=409)
def by_mail(id: str) -> Response:
    """Send the notice by e-mail, with its report and list of evidence."""
    parts = gather_mail_parts(current_actor(), id, shared_link_address)
    notice = mail_notice(current_actor(), id, request.form.get("to", ""), parts.files, parts.appendix)
    if problem := notice.sendings[-1].problem:
        return redirect_to("notices.show", problem.text(language()), "refused", id=id)
    return redirect_to("notices.show", t("notices.sent_now", id=id, count=len(notice.case_numbers)), id=id)


@notices_blueprint.post("/<string:id>/listings")
@needs(Right.PROCEED)
@shows_refusal(_render_notice, SetupError, Unavailable)
def look_up_listings(id: str) -> Response:
    """Ask the receiving search engine whether its results still lead to the notice's pages."""
    check_delisting(current_actor(), id)
    return redirect_to("notices.show", id=id, _anchor="listings")


@notices_blueprint.get("/<string:id>/addresses.<any(txt, csv):form>")
@needs(Right.PROCEED)
def addresses(id: str, form: str) -> Response:
    """Download the addresses of the notice for the form of its platform."""
    return file_response(*write_addresses(services().product, id, AddressFile(form)))


@notices_blueprint.post("/<string:id>/states")
@needs(Right.PROCEED)
@shows_refusal(_render_notice)
def read_states(id: str) -> str:
    """Read what the platform did about each address, and show which rows were refused."""
    file = uploaded_file("file")
    content = file[1] if file else request.form.get("rows", "").encode()
    return _render_notice(None, id, read_address_states(current_actor(), id, content, move="move" in request.form))


@notices_blueprint.post("/<string:id>/answers")
@needs(Right.PROCEED)
@shows_refusal(_render_notice)
def answer(id: str) -> Response:
    """Store an answer to the notice."""
    record_answer(
        current_actor(),
        id,
        form_choice("kind", AnswerKind),
        request.form.get("text", ""),
        received_at=day_start(day_field("at")),
        file=uploaded_file("file"),
    )
    return redirect_to("notices.show", t("notices.answer_kept"), id=id, _anchor="answers")


@notices_blueprint.get("/<string:id>/answers/<int:place>")
@needs(Right.PROCEED)
def answer_file(id: str, place: int) -> Response:
    """Download the file of an answer. The browser must not open it."""
    return file_response(*load_answer_file(services().product, id, place))


@notices_blueprint.post("/<string:id>/answers/<int:place>")
@needs(Right.PROCEED)
@shows_refusal(lambda refusal, id, **_: _render_notice(refusal, id))
def read(id: str, place: int) -> Response:
    """Classify an answer."""
    classify_answer(current_actor(), id, place, form_choice("kind", AnswerKind), move="move" in request.form)
    return redirect_to("notices.show", t("replies.was_read"), id=id, _anchor="answers")


@notices_blueprint.get("/<string:id>/<any(notice, authority, evidence):kind>.docx")
@needs(Right.PROCEED)
def word(id: str, kind: str) -> Response:
    """Download the notice, its power of attorney or its list of evidence as a Word file."""
    chosen = report_language_argument(request.args.get("language"))
    return file_response(*write_notice_word(current_actor(), id, WordKind(kind), language=chosen), WORD_MEDIA_TYPE)


@notices_blueprint.get("/<string:id>/bundle.zip")
@needs(Right.PROCEED)
def bundle(id: str) -> Response:
    """Download the notice's bundle for counsel."""
    chosen = report_language_argument(request.args.get("language"))
    return file_response(*write_notice_bundle(current_actor(), id, language=chosen), "application/zip")


@notices_blueprint.post("/remove")
@needs(Right.PROCEED)
@shows_refusal(lambda refusal: _render_notice(refusal, request.form.get("id", "")), Conflict, conflict=409)
def remove() -> Response:
    """Delete a notice that was not sent."""
    remove_notice(current_actor(), request.form.get("id", ""))
    return redirect_to("notices.find", t("holders.removed"))
