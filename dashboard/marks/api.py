"""Serve the API of marked copies."""

from marshmallow import Schema, fields, validate

from dashboard.frame.api import OPTIONAL, ApiBlueprint, JsonObject, record_schema, text_field
from dashboard.frame.context import current_actor, numbered_case, services
from matcher.marking.choices import MarkKind
from wenhen.kit.errors import BadInput, NotFound
from wenhen.kit.rights import Right
from wenhen.marks.model import MarkedCopy, MarkedText, MarkStatement, TracedText, WrittenCopy
from wenhen.marks.service import (
    find_statement,
    list_copies,
    load_suspect,
    mark_text,
    state_marks,
    trace_text,
    withdraw_marks,
)

marks_blp = ApiBlueprint("marks", "Marked copies, and whose copy leaked")

_MAX_RECIPIENTS = 100  # in one request
_MAX_SHOWN_COPIES = 20  # likeliest copies of each text

_text_schema = record_schema(MarkedText, leave_out=("sealed",))


class MarkIn(Schema):
    """A text, and those who get a copy of it."""

    title = text_field(300, load_default="")
    text = text_field(None, least=1, required=True)
    recipients = fields.List(
        text_field(200, least=1, required=True), required=True, validate=validate.Length(1, _MAX_RECIPIENTS)
    )
    kinds = fields.List(
        fields.Enum(MarkKind, by_value=True),
        load_default=list(MarkKind),
        validate=validate.Length(1),
        metadata={"description": "kinds of marks"},
    )


class SuspectIn(Schema):
    """A suspect's text, or the number of a case, or the id or address of a stored page."""

    text = text_field(None, **OPTIONAL)
    page = text_field(2000, **OPTIONAL, metadata={"description": "#12, an id or an address"})
    marked_text = text_field(100, **OPTIONAL, metadata={"description": "only this marked text"})


class TracedCopySchema(Schema):
    """How well a copy agrees. chance: that any uninvolved copy agrees so well."""

    recipient = fields.String(required=True, attribute="copy")
    agreeing = fields.Integer(required=True)
    places = fields.Integer(required=True)
    chance = fields.Float(required=True)
    named = fields.Boolean(required=True, attribute="is_named")


class TracedTextSchema(Schema):
    """A marked text of which the suspect's text has places, and its likeliest copies."""

    text = fields.Nested(_text_schema, required=True)
    read = fields.Integer(required=True, metadata={"description": "places that the suspect's text has"})
    copies = fields.List(fields.Nested(TracedCopySchema), required=True)


@marks_blp.get("/marks")
@marks_blp.response(200, _text_schema(many=True))
@marks_blp.scope(Right.DETAILS)
def find() -> list[MarkedText]:
    """All marked texts, newest first."""
    return services().store.marked_texts.all()


@marks_blp.post("/marks")
@marks_blp.arguments(MarkIn)
@marks_blp.response(201, record_schema(WrittenCopy)(many=True))
@marks_blp.scope(Right.WORKS)
def make(body: JsonObject) -> list[WrittenCopy]:
    """A marked copy of the text for each recipient."""
    return mark_text(current_actor(), body["title"], body["text"], body["recipients"], frozenset(body["kinds"]))


@marks_blp.get("/marks/<string:id>/copies")
@marks_blp.response(200, record_schema(MarkedCopy)(many=True))
@marks_blp.scope(Right.DETAILS)
def copies(id: str) -> list[MarkedCopy]:
    """The copies of a marked text, by recipient."""
    return list_copies(current_actor(), id)


@marks_blp.post("/marks/read")
@marks_blp.arguments(SuspectIn)
@marks_blp.response(200, TracedTextSchema(many=True))
@marks_blp.scope(Right.DETAILS)
def read(body: JsonObject) -> list[JsonObject]:
    """Which copy a text stems from. A named copy is a false one with a chance of one in a million at most."""
    if (body["text"] is None) == (body["page"] is None):
        raise BadInput("marks.text_or_page")
    suspect = load_suspect(services().product, body["page"]) if body["page"] is not None else body["text"]
    return [_traced_fields(each) for each in trace_text(current_actor(), suspect, body["marked_text"])]


def _traced_fields(traced: TracedText) -> JsonObject:
    return {"text": traced.text, "read": traced.read, "copies": traced.copies[:_MAX_SHOWN_COPIES]}


class StateIn(Schema):
    """A marked text, and the word of the rights holder."""

    marked_text = text_field(100, least=1, required=True)
    word = text_field(500, least=1, required=True, metadata={"description": "who of the holder allowed it, and when"})


@marks_blp.get("/cases/<int:number>/marks")
@marks_blp.response(200, record_schema(MarkStatement))
@marks_blp.scope(Right.DETAILS)
def stated(number: int) -> MarkStatement:
    """What exhibits and reports of the case may say of marked copies. 404 where they say nothing, as by default."""
    statement = find_statement(services().product, numbered_case(number).number)
    if statement is None:
        raise NotFound("marks.no_statement", number=number)
    return statement


@marks_blp.put("/cases/<int:number>/marks")
@marks_blp.arguments(StateIn)
@marks_blp.response(200, record_schema(MarkStatement))
@marks_blp.scope(Right.EXPORT)
def state(body: dict[str, str], number: int) -> MarkStatement:
    """Let exhibits and reports of the case say from which marked copy its text stems, by the holder's word."""
    return state_marks(current_actor(), number, body["marked_text"], word=body["word"])


@marks_blp.delete("/cases/<int:number>/marks")
@marks_blp.response(204)
@marks_blp.scope(Right.EXPORT)
def withdraw(number: int) -> None:
    """Let later exhibits and reports of the case say nothing of marks."""
    withdraw_marks(current_actor(), number)
