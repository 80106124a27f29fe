"""Texts that are asked about; none of them is stored."""

from dataclasses import fields as record_fields
from typing import Any

from marshmallow import Schema, fields, validate

from dashboard.api.blueprint import blueprint, scope
from dashboard.api.schemas import choice, moment, shown, words
from dashboard.frame.context import services
from matcher.verdict.originality import Originality
from services.check import CopiedWork
from services.check import check as works_behind
from services.originality import originality
from store.records import Change
from store.rules.rights import Right

blp = blueprint("texts", "Is a text copied, is it original?")

_MOST = 100  # texts of one request


class TextIn(Schema):
    """A text."""

    text = words(None, least=1, required=True)


class PairOfTexts(Schema):
    """One copied passage, as it stands on either side."""

    page_text = fields.String(required=True)
    work_text = fields.String(required=True)
    similarity = fields.Float(required=True, attribute="passage.similarity")
    change = choice(Change, required=True, attribute="passage.change")


_pairs = fields.List(fields.Nested(PairOfTexts), required=True)


class SourcesOfText(Schema):
    """The works that the text is copied from, the likeliest first."""

    sources = fields.List(fields.Nested(shown(CopiedWork, leave_out=("pairs",), also={"pairs": _pairs})), required=True)


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
@blp.response(200, SourcesOfText)
@scope(Right.CHECK)
def check(given: dict[str, str]) -> dict[str, list[CopiedWork]]:
    """The works that a text is copied from, passage by passage."""
    return {"sources": works_behind(services().product, given["text"])}


@blp.post("/texts/original")
@blp.arguments(Submissions)
@blp.response(200, Answers)
@scope(Right.CHECK)
def original(given: dict[str, list[dict[str, Any]]]) -> dict[str, list[dict[str, Any]]]:
    """Whether texts are original: pass, refused (with the earlier works and the passages) or too_short to say."""
    answers = []
    for one in given["texts"]:
        answer = originality(services().product, one["text"], one["published_at"])
        answers.append(
            {"id": one["id"], **{field.name: getattr(answer, field.name) for field in record_fields(answer)}}
        )
    return {"answers": answers}
