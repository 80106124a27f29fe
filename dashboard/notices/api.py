"""Serve the API of notices, replies, tasks and platforms."""

from marshmallow import Schema, fields, validate
from werkzeug.wrappers import Response

from dashboard.frame.api import (
    FILE_SCHEMA,
    OPTIONAL,
    ApiBlueprint,
    JsonObject,
    LanguageQuery,
    choice_field,
    moment_field,
    record_schema,
    text_field,
)
from dashboard.frame.context import current_actor, services
from dashboard.frame.requests import OCTET_STREAM_TYPE, file_response, shared_link_address
from wenhen.cases.notice_deadlines import NOTICE_TERM
from wenhen.kit.errors import Language
from wenhen.kit.rights import Right
from wenhen.notices.delisting import check_delisting
from wenhen.notices.drafting import (
    MAX_NOTICE_CHARACTERS,
    MAX_TERM_DAYS,
    approve_notice,
    edit_notice,
    remove_notice,
    write_notices,
)
from wenhen.notices.due_tasks import Task, list_tasks
from wenhen.notices.mailbox import Fetched, fetch_reply_mails
from wenhen.notices.model import AnswerKind, Notice, NoticeLaw, Platform, Reply, SentBy
from wenhen.notices.platforms import all_platforms, reset_platform, set_platform
from wenhen.notices.replies import StatesRead, assign_reply, classify_answer, dismiss_reply, read_address_states
from wenhen.notices.sending import (
    MAX_ANSWER_CHARACTERS,
    load_answer_file,
    mail_notice,
    record_answer,
    record_sent_notice,
)
from wenhen.notices.word_templates import WordKind
from wenhen.reports.notice_files import (
    WORD_MEDIA_TYPE,
    AddressFile,
    gather_mail_parts,
    write_addresses,
    write_notice_bundle,
    write_notice_word,
)

notices_blp = ApiBlueprint("notices", "Notices to those who run sites, and what each asks for")

NoticeOut = record_schema(Notice, leave_out=("follows_since",))
PlatformOut = record_schema(Platform)
ReplyOut = record_schema(Reply)


class NoticesQuery(Schema):
    """The conditions of the notices to list."""

    sent = fields.Boolean(load_default=None)
    case = fields.Integer(
        load_default=None,
        validate=validate.Range(1, 2**53),
        metadata={"description": "those that name this case, however many"},
    )


class WriteIn(Schema):
    """The case, and the platform. Without one, the notice goes to the platform of the case's site."""

    case = fields.Integer(required=True, validate=validate.Range(1, 2**53))
    platform = text_field(40, **OPTIONAL)


class EditIn(Schema):
    """The text of a notice, and its deadline in days."""

    text = text_field(MAX_NOTICE_CHARACTERS, least=1, required=True)
    days = fields.Integer(required=True, validate=validate.Range(1, MAX_TERM_DAYS))


class SentIn(Schema):
    """The way, the receiver and the time of sending by a person."""

    how = choice_field(SentBy, required=True)
    to = text_field(300, **OPTIONAL)
    sent_at = moment_field(data_key="at", **OPTIONAL)


class MailIn(Schema):
    """The address of the receiver."""

    to = text_field(200, least=1, required=True)


class AnswerIn(Schema):
    """An answer to a notice."""

    kind = choice_field(AnswerKind, required=True)
    text = text_field(MAX_ANSWER_CHARACTERS, least=1, required=True)
    received_at = moment_field(data_key="at", **OPTIONAL)


class ReadIn(Schema):
    """The classification of an answer."""

    kind = choice_field(AnswerKind, required=True)
    move = fields.Boolean(load_default=True, metadata={"description": "the cases of the notice go where that leads"})


class StatesIn(Schema):
    """The states of a notice's addresses."""

    rows = text_field(2_000_000, least=1, required=True, metadata={"description": "CSV: an address and a state a row"})
    words = fields.Dict(
        text_field(100, least=1),
        choice_field(AnswerKind),
        load_default={},
        metadata={"description": "meanings of further words for states"},
    )
    move = fields.Boolean(load_default=True, metadata={"description": "the cases go where their state leads"})


class AssignIn(Schema):
    """The notice to which a mail belongs."""

    notice = text_field(40, least=1, required=True)


class PlatformIn(Schema):
    """The requirements of a platform."""

    name = text_field(200, least=1, required=True)
    hosts = fields.List(text_field(300, least=1), load_default=[], validate=validate.Length(max=100))
    law = choice_field(NoticeLaw, load_default=NoticeLaw.CHINA)
    required = fields.List(text_field(500, least=1), load_default=[], validate=validate.Length(max=50))
    links = fields.Integer(**OPTIONAL, validate=validate.Range(1, 100_000))
    entry = text_field(500, **OPTIONAL)
    mail_megabytes = fields.Integer(
        **OPTIONAL,
        validate=validate.Range(1, 1_000),
        metadata={"description": "largest mail that it takes; null: 10"},
    )
    mail = text_field(300, **OPTIONAL)
    days = fields.Integer(load_default=NOTICE_TERM.days, validate=validate.Range(1, MAX_TERM_DAYS))
    delists = fields.Boolean(
        load_default=False, metadata={"description": "a search engine: notices to it move no case"}
    )
    engine = text_field(
        40,
        **OPTIONAL,
        metadata={"description": "of a search engine: what SearXNG calls it, to look up what it lists"},
    )
    source = text_field(500, **OPTIONAL)
    checked = fields.Boolean(load_default=False, metadata={"description": "compared today with what it says"})


@notices_blp.get("/notices")
@notices_blp.arguments(NoticesQuery, location="query")
@notices_blp.response(200, NoticeOut(many=True))
@notices_blp.scope(Right.PROCEED)
def find(query: JsonObject) -> list[Notice]:
    """The newest 200, the last written first."""
    notices = services().store.notices
    sent = query["sent"]
    if query["case"] is None:
        return notices.recent(sent=sent)
    return [case for case in notices.of_cases([query["case"]]) if sent in (None, case.sent_at is not None)]


@notices_blp.post("/notices")
@notices_blp.arguments(WriteIn)
@notices_blp.response(201, NoticeOut(many=True))
@notices_blp.scope(Right.PROCEED)
def write(body: JsonObject) -> list[Notice]:
    """Write the notices about a case: as many as the platform's bound on links asks for."""
    return write_notices(current_actor(), body["case"], body["platform"])


@notices_blp.get("/notices/<string:id>")
@notices_blp.response(200, NoticeOut)
@notices_blp.scope(Right.PROCEED)
def get(id: str) -> Notice:
    """One notice."""
    return services().store.notices.get(id)


@notices_blp.put("/notices/<string:id>/text")
@notices_blp.arguments(EditIn)
@notices_blp.response(200, NoticeOut)
@notices_blp.scope(Right.PROCEED)
def edit(body: JsonObject, id: str) -> Notice:
    """Set its words; who agreed before has to agree again."""
    return edit_notice(current_actor(), id, **body)


@notices_blp.post("/notices/<string:id>/approval")
@notices_blp.response(200, NoticeOut)
@notices_blp.scope(Right.PROCEED)
def approve(id: str) -> Notice:
    """Agree to it, as another than who wrote it."""
    return approve_notice(current_actor(), id)


@notices_blp.post("/notices/<string:id>/sendings")
@notices_blp.arguments(SentIn)
@notices_blp.response(200, NoticeOut)
@notices_blp.scope(Right.PROCEED)
def send(body: JsonObject, id: str) -> Notice:
    """Note that a person sent it; its cases go on, and the deadline runs."""
    return record_sent_notice(current_actor(), id, **body)


@notices_blp.post("/notices/<string:id>/mails")
@notices_blp.arguments(MailIn)
@notices_blp.response(200, NoticeOut)
@notices_blp.scope(Right.PROCEED)
def by_mail(body: dict[str, str], id: str) -> Notice:
    """Send it by e-mail, with evidence and rights documents; what was not taken stands in the last of `sendings`."""
    parts = gather_mail_parts(current_actor(), id, shared_link_address)
    return mail_notice(current_actor(), id, body["to"], parts.files, parts.appendix)


@notices_blp.post("/notices/<string:id>/listings")
@notices_blp.response(200, NoticeOut)
@notices_blp.scope(Right.PROCEED)
def look_up_listings(id: str) -> Notice:
    """Ask the search engine that it is to whether it leads to each of its pages; `listings` says what was found."""
    return check_delisting(current_actor(), id)


@notices_blp.post("/notices/<string:id>/answers")
@notices_blp.arguments(AnswerIn)
@notices_blp.response(200, NoticeOut)
@notices_blp.scope(Right.PROCEED)
def answer(body: JsonObject, id: str) -> Notice:
    """Keep what came back."""
    return record_answer(current_actor(), id, **body)


@notices_blp.patch("/notices/<string:id>/answers/<int:place>")
@notices_blp.arguments(ReadIn)
@notices_blp.response(200, NoticeOut)
@notices_blp.scope(Right.PROCEED)
def read(body: JsonObject, id: str, place: int) -> Notice:
    """Say what an answer amounts to; the notice's cases go where that leads, as far as their path allows."""
    return classify_answer(current_actor(), id, place, body["kind"], move=body["move"])


@notices_blp.get("/notices/<string:id>/answers/<int:place>/file")
@notices_blp.response(200, FILE_SCHEMA, content_type=OCTET_STREAM_TYPE)
@notices_blp.scope(Right.PROCEED)
def answer_file(id: str, place: int) -> Response:
    """The file of an answer; of a mail, the mail as it came."""
    return file_response(*load_answer_file(services().product, id, place))


@notices_blp.delete("/notices/<string:id>")
@notices_blp.response(204)
@notices_blp.scope(Right.PROCEED)
def remove(id: str) -> None:
    """Throw one away that was not sent."""
    remove_notice(current_actor(), id)


@notices_blp.get("/notices/<string:id>/word/<any(notice, authority, evidence):kind>")
@notices_blp.arguments(LanguageQuery, location="query")
@notices_blp.response(200, FILE_SCHEMA, content_type=WORD_MEDIA_TYPE)
@notices_blp.scope(Right.PROCEED)
def word(query: dict[str, Language], id: str, kind: str) -> Response:
    """The notice, its power of attorney or its list of evidence, as a Word file."""
    return file_response(*write_notice_word(current_actor(), id, WordKind(kind), **query), WORD_MEDIA_TYPE)


@notices_blp.get("/notices/<string:id>/bundle")
@notices_blp.arguments(LanguageQuery, location="query")
@notices_blp.response(200, FILE_SCHEMA, content_type="application/zip")
@notices_blp.scope(Right.PROCEED)
def bundle(query: dict[str, Language], id: str) -> Response:
    """Counsel's bundle: Word files, report as PDF and workbook, exhibits, the holder's papers."""
    return file_response(*write_notice_bundle(current_actor(), id, **query), "application/zip")


@notices_blp.get("/notices/<string:id>/addresses.<any(txt, csv):form>")
@notices_blp.response(200, FILE_SCHEMA, content_type=OCTET_STREAM_TYPE)
@notices_blp.scope(Right.PROCEED)
def addresses(id: str, form: str) -> Response:
    """The addresses of the notice: one a line, or a table with cases, works and their own addresses."""
    return file_response(*write_addresses(services().product, id, AddressFile(form)))


@notices_blp.post("/notices/<string:id>/states")
@notices_blp.arguments(StatesIn)
@notices_blp.response(200, record_schema(StatesRead))
@notices_blp.scope(Right.PROCEED)
def read_states(body: JsonObject, id: str) -> StatesRead:
    """Read what the receiver did about each address. Rows that cannot be read are listed in `refused`."""
    content, move = body["rows"].encode(), body["move"]
    words = {word: AnswerKind(kind) for word, kind in body["words"].items()}
    return read_address_states(current_actor(), id, content, words=words, move=move)


@notices_blp.get("/replies")
@notices_blp.response(200, ReplyOut(many=True))
@notices_blp.scope(Right.PROCEED)
def find_replies() -> list[Reply]:
    """The mails that came and belong to no notice yet, the last first."""
    return list(services().store.replies.find_waiting())


@notices_blp.post("/replies/fetch")
@notices_blp.response(200, record_schema(Fetched))
@notices_blp.scope(Right.PROCEED)
def fetch_replies() -> Fetched:
    """Fetch what came to the mailbox of notices since the last time."""
    return fetch_reply_mails(current_actor())


@notices_blp.post("/replies/<string:id>/notice")
@notices_blp.arguments(AssignIn)
@notices_blp.response(200, ReplyOut)
@notices_blp.scope(Right.PROCEED)
def assign(body: dict[str, str], id: str) -> Reply:
    """Say to which notice a mail belongs."""
    return assign_reply(current_actor(), id, body["notice"])


@notices_blp.post("/replies/<string:id>/aside")
@notices_blp.response(200, ReplyOut)
@notices_blp.scope(Right.PROCEED)
def set_aside(id: str) -> Reply:
    """Say that a mail belongs to no notice."""
    return dismiss_reply(current_actor(), id)


@notices_blp.get("/replies/<string:id>/file")
@notices_blp.response(200, FILE_SCHEMA, content_type=OCTET_STREAM_TYPE)
@notices_blp.scope(Right.PROCEED)
def reply_file(id: str) -> Response:
    """A mail as it came."""
    return file_response(f"{id[:12]}.eml", services().store.blobs.get(services().store.replies.get(id).id))


@notices_blp.get("/tasks")
@notices_blp.response(200, record_schema(Task)(many=True))
@notices_blp.scope(Right.PROCEED)
def find_tasks() -> list[Task]:
    """Who has to do what by when: what is due first."""
    return list_tasks(services().product)


@notices_blp.get("/platforms")
@notices_blp.response(200, PlatformOut(many=True))
@notices_blp.scope(Right.READ)
def find_platforms() -> list[Platform]:
    """All platforms."""
    return all_platforms(services().product)


@notices_blp.put("/platforms/<string:id>")
@notices_blp.arguments(PlatformIn)
@notices_blp.response(200, PlatformOut)
@notices_blp.scope(Right.PLATFORMS)
def put_platform(body: JsonObject, id: str) -> Platform:
    """Set what a platform asks for."""
    checked, hosts, required = body.pop("checked"), body.pop("hosts"), body.pop("required")
    platform = Platform(id=id, hosts=tuple(hosts), required=tuple(required), **body)
    return set_platform(current_actor(), platform, checked=checked)


@notices_blp.delete("/platforms/<string:id>")
@notices_blp.response(204)
@notices_blp.scope(Right.PLATFORMS)
def remove_platform(id: str) -> None:
    """Take back what was set."""
    reset_platform(current_actor(), id)
