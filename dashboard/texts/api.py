"""Serve the API of text checks, fingerprints and near-duplicate clusters."""

from dataclasses import asdict

from marshmallow import Schema, fields, validate

from dashboard.frame.api import (
    OPTIONAL,
    ApiBlueprint,
    JsonObject,
    ListQuery,
    choice_field,
    list_schema,
    page_by_rows,
    publication_field,
    record_fields,
    record_schema,
    text_field,
)
from dashboard.frame.context import services
from fingerprinter.features.index_features import DIGIT_RANGES
from matcher.clusters import ClusterSize, Member
from matcher.model import Change, Originality
from wenhen.clusters.service import find_members, find_titles
from wenhen.kit.rights import Right
from wenhen.texts.fingerprint_view import (
    MAX_WINDOW_LETTERS,
    FingerprintSettings,
    Likeness,
    ShownFingerprint,
    compare_fingerprints,
    describe_fingerprint,
)
from wenhen.texts.source_lookup import CopiedWork, check_originality, find_copied_works

# Texts of requests. None of them is stored.


texts_blp = ApiBlueprint("texts", "Is a text copied, is it original?")

_MAX_TEXTS = 100  # texts in one request


class TextIn(Schema):
    """A text."""

    text = text_field(None, least=1, required=True)


class PairOfTexts(Schema):
    """One copied passage in the page and in the work."""

    page_text = fields.String(required=True)
    work_text = fields.String(required=True)
    similarity = fields.Float(required=True, attribute="passage.similarity")
    change = choice_field(Change, required=True, attribute="passage.change")


_pairs_field = fields.List(fields.Nested(PairOfTexts), required=True)


class SourcesOfText(Schema):
    """The works that the text is copied from, most likely first."""

    sources = fields.List(
        fields.Nested(record_schema(CopiedWork, leave_out=("pairs",), also={"pairs": _pairs_field})), required=True
    )


class Submission(TextIn):
    """A text to check for originality."""

    id = text_field(300, **OPTIONAL, metadata={"description": "comes back with the answer"})
    published_at = publication_field(**OPTIONAL, metadata={"description": "works that came later count for nothing"})


class Submissions(Schema):
    """A batch of texts."""

    texts = fields.List(fields.Nested(Submission), required=True, validate=validate.Length(1, _MAX_TEXTS))


Answered = record_schema(Originality, also={"id": fields.String(required=True, allow_none=True)})


class Answers(Schema):
    """The answers in the order of the texts."""

    answers = fields.List(fields.Nested(Answered), required=True)


@texts_blp.post("/texts/check")
@texts_blp.arguments(TextIn)
@texts_blp.response(200, SourcesOfText)
@texts_blp.scope(Right.CHECK)
def check(body: dict[str, str]) -> dict[str, list[CopiedWork]]:
    """The works that a text is copied from, passage by passage."""
    return {"sources": find_copied_works(services().product, body["text"])}


class FingerprintIn(TextIn):
    """A text, an optional second one, and fingerprint settings. Missing settings follow from the text's length."""

    other = text_field(None, **OPTIONAL)
    window = fields.Integer(**OPTIONAL, validate=validate.Range(1, MAX_WINDOW_LETTERS))
    overlap = fields.Float(load_default=0.5, validate=validate.Range(0, 1, max_inclusive=False))
    highest = fields.Integer(**OPTIONAL, validate=validate.OneOf(DIGIT_RANGES))


class FingerprintsOut(Schema):
    """The fingerprints in the order of the texts. `likeness` compares two texts."""

    fingerprints = fields.List(fields.Nested(record_schema(ShownFingerprint)), required=True)
    likeness = fields.Nested(record_schema(Likeness), required=True, allow_none=True)


@texts_blp.post("/texts/fingerprint")
@texts_blp.arguments(FingerprintIn)
@texts_blp.response(200, FingerprintsOut)
@texts_blp.scope(Right.CHECK)
def fingerprint(body: JsonObject) -> JsonObject:
    """The letters of a text, its frequency windows and initials; of two texts also how alike they are."""
    text, other = body.pop("text"), body.pop("other")
    settings = FingerprintSettings(**body)
    if other is None:
        return {"fingerprints": [describe_fingerprint(text, settings)], "likeness": None}
    *made, likeness = compare_fingerprints(text, other, settings)
    return {"fingerprints": made, "likeness": likeness}


@texts_blp.post("/texts/original")
@texts_blp.arguments(Submissions)
@texts_blp.response(200, Answers)
@texts_blp.scope(Right.CHECK)
def original(body: dict[str, list[JsonObject]]) -> dict[str, list[JsonObject]]:
    """Whether texts are original: pass, refused (with the earlier works and the passages) or too_short to say."""
    answers = []
    for text in body["texts"]:
        answer = check_originality(services().product, text["text"], text["published_at"])
        answers.append({"id": text["id"], **record_fields(answer)})
    return {"answers": answers}


clusters_blp = ApiBlueprint("clusters", "Near-duplicate works and pages, which stand together")


class MembersSchema(Schema):
    """The members of a cluster, first seen first. The title of a removed record is null."""

    members = fields.List(
        fields.Nested(record_schema(Member, also={"title": fields.String(required=True, allow_none=True)})),
        required=True,
    )


@clusters_blp.get("/clusters")
@clusters_blp.arguments(ListQuery, location="query")
@clusters_blp.response(200, list_schema(record_schema(ClusterSize)))
@clusters_blp.scope(Right.READ)
def find(query: JsonObject) -> JsonObject:
    """The clusters of two and more, the largest first."""
    return page_by_rows(query, lambda skip, limit: services().store.clusters.find(skip=skip, limit=limit))


@clusters_blp.get("/clusters/<string:id>")
@clusters_blp.response(200, MembersSchema)
@clusters_blp.scope(Right.READ)
def get(id: str) -> JsonObject:
    """One cluster with its members; the id may be that of one which was merged into it."""
    members = find_members(services().store, id)
    called = find_titles(services().store, [member.id for member in members])
    return {"members": [asdict(member) | {"title": called.get(member.id)} for member in members]}
