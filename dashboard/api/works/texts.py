"""Texts that are asked about; none of them is stored."""

from dataclasses import fields as record_fields
from typing import Any

from marshmallow import Schema, fields, validate

from dashboard.api.blueprint import blueprint, scope
from dashboard.api.schemas import choice, moment, shown, words
from dashboard.frame.context import services
from fingerprinter.features.frequency import RANGES
from matcher.verdict.originality_answer import Originality
from services.texts.originality import originality
from services.texts.shown_fingerprints import (
    MOST_WINDOW,
    FingerprintSettings,
    Likeness,
    ShownFingerprint,
    shown_fingerprint,
    side_by_side,
)
from services.texts.works_copied_from import CopiedWork
from services.texts.works_copied_from import check as works_behind
from store.records import Change
from store.rules.role_rights import Right

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
@scope(Right.CHECK, part="texts")
def check(given: dict[str, str]) -> dict[str, list[CopiedWork]]:
    """The works that a text is copied from, passage by passage."""
    return {"sources": works_behind(services().product, given["text"])}


class FingerprintIn(TextIn):
    """A text, perhaps beside another one, and how fingerprints are made; what is left out goes by the length."""

    other = words(None, load_default=None, allow_none=True)
    window = fields.Integer(load_default=None, allow_none=True, validate=validate.Range(1, MOST_WINDOW))
    overlap = fields.Float(load_default=0.5, validate=validate.Range(0, 1, max_inclusive=False))
    highest = fields.Integer(load_default=None, allow_none=True, validate=validate.OneOf(RANGES))


class FingerprintsOut(Schema):
    """Of each text, in their order; likeness: of two."""

    fingerprints = fields.List(fields.Nested(shown(ShownFingerprint)), required=True)
    likeness = fields.Nested(shown(Likeness), required=True, allow_none=True)


@blp.post("/texts/fingerprint")
@blp.arguments(FingerprintIn)
@blp.response(200, FingerprintsOut)
@scope(Right.CHECK, part="texts")
def fingerprint(given: dict[str, Any]) -> dict[str, Any]:
    """The letters of a text, its frequency windows and initials; of two texts also how alike they are."""
    text, other = given.pop("text"), given.pop("other")
    settings = FingerprintSettings(**given)
    if other is None:
        return {"fingerprints": [shown_fingerprint(text, settings)], "likeness": None}
    *made, likeness = side_by_side(text, other, settings)
    return {"fingerprints": made, "likeness": likeness}


@blp.post("/texts/original")
@blp.arguments(Submissions)
@blp.response(200, Answers)
@scope(Right.CHECK, part="texts")
def original(given: dict[str, list[dict[str, Any]]]) -> dict[str, list[dict[str, Any]]]:
    """Whether texts are original: pass, refused (with the earlier works and the passages) or too_short to say."""
    answers = []
    for one in given["texts"]:
        answer = originality(services().product, one["text"], one["published_at"])
        answers.append(
            {"id": one["id"], **{field.name: getattr(answer, field.name) for field in record_fields(answer)}}
        )
    return {"answers": answers}
