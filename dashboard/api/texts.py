"""Texts that are asked about; none of them is stored."""

from dataclasses import fields as record_fields
from typing import Any

from marshmallow import Schema, fields, validate

from dashboard.actions import Source
from dashboard.api.blueprint import blueprint, scope
from dashboard.api.schemas import moment, shown, words
from dashboard.frame.context import services
from matcher.verdict.originality import Originality
from services.people.rights import Right

blp = blueprint("texts", "Is a text copied, is it original?")

_MOST = 100  # texts of one request


class TextIn(Schema):
    """A text."""

    text = words(None, least=1, required=True)


class Sources(Schema):
    """The works that the text is copied from, the likeliest first."""

    sources = fields.List(fields.Nested(shown(Source)), required=True)


class Submission(TextIn):
    """A text that somebody hands in."""

    id = words(300, load_default=None, allow_none=True, metadata={"description": "comes back with the answer"})
    published_at = moment(
        load_default=None, allow_none=True, metadata={"description": "works that came later count for nothing"}
    )


class Submissions(Schema):
    """A batch."""

    texts = fields.List(fields.Nested(Submission), required=True, validate=validate.Length(1, _MOST))


Answered = shown(Originality, also={"id": fields.String(required=True, allow_none=True)})


class Answers(Schema):
    """The answers, in the order of the texts."""

    answers = fields.List(fields.Nested(Answered), required=True)


@blp.post("/texts/check")
@blp.arguments(TextIn)
@blp.response(200, Sources)
@scope(Right.CHECK)
def check(given: dict[str, str]) -> dict[str, list[Source]]:
    """The works that a text is copied from, passage by passage."""
    return {"sources": services().actions.check(given["text"])}


@blp.post("/texts/original")
@blp.arguments(Submissions)
@blp.response(200, Answers)
@scope(Right.CHECK)
def original(given: dict[str, list[dict[str, Any]]]) -> dict[str, list[dict[str, Any]]]:
    """Whether texts are original: pass, refused (with the earlier works and the passages) or too_short to say."""
    answers = []
    for one in given["texts"]:
        answer = services().actions.original(one["text"], one["published_at"])
        answers.append(
            {"id": one["id"], **{field.name: getattr(answer, field.name) for field in record_fields(answer)}}
        )
    return {"answers": answers}
