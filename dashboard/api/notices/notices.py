"""Notices, and those whom they go to."""

from typing import Any

from marshmallow import Schema, fields, validate
from werkzeug.wrappers import Response

from dashboard.api.blueprint import blueprint, scope
from dashboard.api.schemas import FILE, choice, moment, shown, words
from dashboard.export.notice_files import WORD, mailed_files, to_bundle, to_word
from dashboard.frame.context import acting, services
from dashboard.frame.downloads import BYTES, as_file
from services.notices import approval, platforms, send_by_mail, sent_and_answered, write_and_edit
from services.notices.delisting_look_up import look_up
from services.notices.replies import decisions_on_replies
from services.notices.replies.fetch_mails import Fetched, fetch
from services.notices.tasks_due import Task, tasks
from services.notices.word.word_templates import WordKind
from store.records import AnswerKind, Notice, NoticeLaw, Platform, Reply, SentBy
from store.rules.role_rights import Right

blp = blueprint("notices", "Notices to those who run sites, and what each asks for")

NoticeOut = shown(Notice, leave_out=("follows_since",))
PlatformOut = shown(Platform)
ReplyOut = shown(Reply)


class NoticesQuery(Schema):
    """Which notices."""

    sent = fields.Boolean(load_default=None)
    case = fields.Integer(
        load_default=None,
        validate=validate.Range(1, 2**53),
        metadata={"description": "those that name this case, however many"},
    )


class WriteIn(Schema):
    """About which case, and to whom; without a platform to the one that its site belongs to."""

    case = fields.Integer(required=True, validate=validate.Range(1, 2**53))
    platform = words(40, load_default=None, allow_none=True)


class EditIn(Schema):
    """The words, and how many days they give."""

    text = words(write_and_edit.LONGEST, least=1, required=True)
    days = fields.Integer(required=True, validate=validate.Range(1, write_and_edit.MOST_DAYS))


class SentIn(Schema):
    """How a person sent it, and when."""

    how = choice(SentBy, required=True)
    to = words(300, load_default=None, allow_none=True)
    at = moment(load_default=None, allow_none=True)


class MailIn(Schema):
    """To which address."""

    to = words(200, least=1, required=True)


class AnswerIn(Schema):
    """What came back."""

    kind = choice(AnswerKind, required=True)
    text = words(sent_and_answered.ANSWER_LENGTH, least=1, required=True)
    at = moment(load_default=None, allow_none=True)


class ReadIn(Schema):
    """What an answer amounts to."""

    kind = choice(AnswerKind, required=True)
    move = fields.Boolean(load_default=True, metadata={"description": "the cases of the notice go where that leads"})


class AssignIn(Schema):
    """To which notice a mail belongs."""

    notice = words(40, least=1, required=True)


class PlatformIn(Schema):
    """What a platform asks for."""

    name = words(200, least=1, required=True)
    hosts = fields.List(words(300, least=1), load_default=[], validate=validate.Length(max=100))
    law = choice(NoticeLaw, load_default=NoticeLaw.CHINA)
    required = fields.List(words(500, least=1), load_default=[], validate=validate.Length(max=50))
    links = fields.Integer(load_default=None, allow_none=True, validate=validate.Range(1, 100_000))
    entry = words(500, load_default=None, allow_none=True)
    mail = words(300, load_default=None, allow_none=True)
    days = fields.Integer(load_default=7, validate=validate.Range(1, write_and_edit.MOST_DAYS))
    delists = fields.Boolean(
        load_default=False, metadata={"description": "a search engine: notices to it move no case"}
    )
    engine = words(
        40,
        load_default=None,
        allow_none=True,
        metadata={"description": "of a search engine: what SearXNG calls it, to look up what it lists"},
    )
    source = words(500, load_default=None, allow_none=True)
    checked = fields.Boolean(load_default=False, metadata={"description": "compared today with what it says"})


@blp.get("/notices")
@blp.arguments(NoticesQuery, location="query")
@blp.response(200, NoticeOut(many=True))
@scope(Right.PROCEED, part="notices")
def find(query: dict[str, Any]) -> list[Notice]:
    """The newest 200, the last written first."""
    notices = services().store.notices
    sent = query["sent"]
    if query["case"] is None:
        return notices.recent(sent=sent)
    return [one for one in notices.of_cases([query["case"]]) if sent in (None, one.sent_at is not None)]


@blp.post("/notices")
@blp.arguments(WriteIn)
@blp.response(201, NoticeOut(many=True))
@scope(Right.PROCEED, part="notices")
def write(given: dict[str, Any]) -> list[Notice]:
    """Write the notices about a case: as many as the platform's bound on links asks for."""
    return write_and_edit.write(acting(), given["case"], given["platform"])


@blp.get("/notices/<string:id>")
@blp.response(200, NoticeOut)
@scope(Right.PROCEED, part="notices")
def get(id: str) -> Notice:
    """One notice."""
    return services().store.notices.get(id)


@blp.put("/notices/<string:id>/text")
@blp.arguments(EditIn)
@blp.response(200, NoticeOut)
@scope(Right.PROCEED, part="notices")
def edit(given: dict[str, Any], id: str) -> Notice:
    """Set its words; who agreed before has to agree again."""
    return write_and_edit.edit(acting(), id, **given)


@blp.post("/notices/<string:id>/approval")
@blp.response(200, NoticeOut)
@scope(Right.PROCEED, part="notices")
def approve(id: str) -> Notice:
    """Agree to it, as another than who wrote it."""
    return approval.approve(acting(), id)


@blp.post("/notices/<string:id>/sendings")
@blp.arguments(SentIn)
@blp.response(200, NoticeOut)
@scope(Right.PROCEED, part="notices")
def send(given: dict[str, Any], id: str) -> Notice:
    """Note that a person sent it; its cases go on, and the deadline runs."""
    return sent_and_answered.note_sent(acting(), id, **given)


@blp.post("/notices/<string:id>/mails")
@blp.arguments(MailIn)
@blp.response(200, NoticeOut)
@scope(Right.PROCEED, part="notices")
def by_mail(given: dict[str, str], id: str) -> Notice:
    """Send it by e-mail, with its report and list of evidence; what was not taken stands in the last of `sendings`."""
    return send_by_mail.mail(acting(), id, given["to"], mailed_files(acting(), id))


@blp.post("/notices/<string:id>/listings")
@blp.response(200, NoticeOut)
@scope(Right.PROCEED, part="notices")
def look_up_listings(id: str) -> Notice:
    """Ask the search engine that it is to whether it leads to each of its pages; `listings` says what was found."""
    return look_up(acting(), id)


@blp.post("/notices/<string:id>/answers")
@blp.arguments(AnswerIn)
@blp.response(200, NoticeOut)
@scope(Right.PROCEED, part="notices")
def answer(given: dict[str, Any], id: str) -> Notice:
    """Keep what came back."""
    return sent_and_answered.answer(acting(), id, **given)


@blp.patch("/notices/<string:id>/answers/<int:place>")
@blp.arguments(ReadIn)
@blp.response(200, NoticeOut)
@scope(Right.PROCEED, part="notices")
def read(given: dict[str, Any], id: str, place: int) -> Notice:
    """Say what an answer amounts to; the notice's cases go where that leads, as far as their path allows."""
    return decisions_on_replies.read(acting(), id, place, given["kind"], move=given["move"])


@blp.get("/notices/<string:id>/answers/<int:place>/file")
@blp.response(200, FILE, content_type=BYTES)
@scope(Right.PROCEED, part="notices")
def answer_file(id: str, place: int) -> Response:
    """The file of an answer; of a mail, the mail as it came."""
    return as_file(*sent_and_answered.file_of(services().product, id, place))


@blp.delete("/notices/<string:id>")
@blp.response(204)
@scope(Right.PROCEED, part="notices")
def remove(id: str) -> None:
    """Throw one away that was not sent."""
    write_and_edit.remove(acting(), id)


@blp.get("/notices/<string:id>/word/<any(notice, authority, evidence):kind>")
@blp.response(200, FILE, content_type=WORD)
@scope(Right.PROCEED, part="notices")
def word(id: str, kind: str) -> Response:
    """The notice, its power of attorney or its list of evidence, as a Word file."""
    return as_file(*to_word(acting(), id, WordKind(kind)), WORD)


@blp.get("/notices/<string:id>/bundle")
@blp.response(200, FILE, content_type="application/zip")
@scope(Right.PROCEED, part="notices")
def bundle(id: str) -> Response:
    """Counsel's bundle: Word files, report as PDF and workbook, exhibits, the holder's papers."""
    return as_file(*to_bundle(acting(), id), "application/zip")


@blp.get("/replies")
@blp.response(200, ReplyOut(many=True))
@scope(Right.PROCEED, part="notices")
def find_replies() -> list[Reply]:
    """The mails that came and belong to no notice yet, the last first."""
    return list(services().store.replies.waiting())


@blp.post("/replies/fetch")
@blp.response(200, shown(Fetched))
@scope(Right.PROCEED, part="notices")
def fetch_replies() -> Fetched:
    """Fetch what came to the mailbox of notices since the last time."""
    return fetch(acting())


@blp.post("/replies/<string:id>/notice")
@blp.arguments(AssignIn)
@blp.response(200, ReplyOut)
@scope(Right.PROCEED, part="notices")
def assign(given: dict[str, str], id: str) -> Reply:
    """Say to which notice a mail belongs."""
    return decisions_on_replies.assign(acting(), id, given["notice"])


@blp.post("/replies/<string:id>/aside")
@blp.response(200, ReplyOut)
@scope(Right.PROCEED, part="notices")
def set_aside(id: str) -> Reply:
    """Say that a mail belongs to no notice."""
    return decisions_on_replies.set_aside(acting(), id)


@blp.get("/replies/<string:id>/file")
@blp.response(200, FILE, content_type=BYTES)
@scope(Right.PROCEED, part="notices")
def reply_file(id: str) -> Response:
    """A mail as it came."""
    return as_file(f"{id[:12]}.eml", services().store.blobs.get(services().store.replies.get(id).id))


@blp.get("/tasks")
@blp.response(200, shown(Task)(many=True))
@scope(Right.PROCEED, part="notices")
def find_tasks() -> list[Task]:
    """Who has to do what by when: what is due first."""
    return tasks(services().product)


@blp.get("/platforms")
@blp.response(200, PlatformOut(many=True))
@scope(Right.READ, part="notices")
def find_platforms() -> list[Platform]:
    """All platforms."""
    return platforms.platforms(services().product)


@blp.put("/platforms/<string:id>")
@blp.arguments(PlatformIn)
@blp.response(200, PlatformOut)
@scope(Right.PLATFORMS, part="notices")
def put_platform(given: dict[str, Any], id: str) -> Platform:
    """Set what a platform asks for."""
    checked, hosts, required = given.pop("checked"), given.pop("hosts"), given.pop("required")
    one = Platform(id=id, hosts=tuple(hosts), required=tuple(required), **given)
    return platforms.put(acting(), one, checked=checked)


@blp.delete("/platforms/<string:id>")
@blp.response(204)
@scope(Right.PLATFORMS, part="notices")
def remove_platform(id: str) -> None:
    """Take back what was set."""
    platforms.remove(acting(), id)
