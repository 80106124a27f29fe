"""Serve the API of works: list, read, store, edit, merge, remove and import."""

from datetime import datetime
from typing import Final

from marshmallow import Schema, fields, validate

from dashboard.frame.api import (
    OPTIONAL,
    ApiBlueprint,
    FileField,
    IdQuery,
    JsonObject,
    ListQuery,
    UploadedFile,
    list_schema,
    page_by_rows,
    publication_field,
    record_schema,
    text_field,
)
from dashboard.frame.context import current_actor, services
from dashboard.frame.requests import printable_words
from matcher.model import MAX_SHORTEST_PASSAGE, MIN_SHORTEST_PASSAGE, is_too_short
from wenhen.kit.rights import Right
from wenhen.works.import_export import EditedWorks, ImportedWorks, edit_works_csv, import_upload
from wenhen.works.importers.csv_rows import RefusedLine
from wenhen.works.importers.drafts import MAX_CHAPTER_NUMBER, Refused
from wenhen.works.model import Work, WorkDraft
from wenhen.works.service import edit_work, merge_works, put_work, remove_work

works_blp = ApiBlueprint("works", "The works whose copies are looked for")

_CHAPTER_RANGE: Final = validate.Range(0, MAX_CHAPTER_NUMBER - 1)
_SHORTEST_RANGE: Final = validate.Range(MIN_SHORTEST_PASSAGE, MAX_SHORTEST_PASSAGE)
WorkSchema = record_schema(Work)
WorkBrief = record_schema(Work, leave_out=("versions",))


class WorksQuery(ListQuery):
    """The conditions of the works to list."""

    q = text_field(200, metadata={"description": "part of a title, an author or an id"})


class WorkIn(Schema):
    """A work as its holder submits it."""

    title = text_field(500, least=1, required=True)
    text = text_field(None, least=1, required=True)
    author = text_field(200, **OPTIONAL)
    owner = text_field(200, **OPTIONAL)
    kind = text_field(60, **OPTIONAL)
    series = text_field(300, **OPTIONAL)
    chapter = fields.Integer(**OPTIONAL, validate=_CHAPTER_RANGE, strict=True)
    url = text_field(2000, **OPTIONAL)
    published_at = publication_field(**OPTIONAL)
    proof = text_field(1000, **OPTIONAL)
    shortest_passage = fields.Integer(**OPTIONAL, validate=_SHORTEST_RANGE, strict=True)


class WorkDetails(Schema):
    """The details of a work. A missing field keeps its value, an empty text removes it."""

    title = text_field(500, least=1)
    author = text_field(200)
    owner = text_field(200)
    kind = text_field(60)
    series = text_field(300)
    chapter = fields.Integer(strict=True, allow_none=True, validate=_CHAPTER_RANGE)
    url = text_field(2000)
    published_at = publication_field(allow_none=True)
    proof = text_field(1000)
    shortest_passage = fields.Integer(
        strict=True,
        allow_none=True,
        validate=_SHORTEST_RANGE,
        metadata={"description": "letters of the shortest passage that opens a case; null: as the settings say"},
    )


class DoubleIn(Schema):
    """A work and its duplicate."""

    double = text_field(1000, least=1, required=True)
    into = text_field(1000, least=1, required=True)


class Merged(Schema):
    """The number of cases that moved to the work."""

    cases = fields.Integer(required=True)


class DetailsQuery(Schema):
    """Whether to preview the changes without storing them."""

    preview = fields.Boolean(load_default=False, metadata={"description": "only tell what would change"})


class DetailsFile(Schema):
    """A CSV file. Its first line names id and some of the fields."""

    file = FileField(required=True)


class EditedLineSchema(Schema):
    """A line that changes a work, with each field's value before and after."""

    line = fields.Integer(required=True)
    id = fields.String(required=True)
    title = fields.String(required=True)
    changes = fields.Dict(keys=fields.String(), values=fields.List(fields.String()), required=True)


_refused_row_schema = record_schema(RefusedLine, name="RefusedRow")
EditedDetails = record_schema(
    EditedWorks,
    also={
        "edited": fields.List(fields.Nested(EditedLineSchema), required=True),
        "refused": fields.List(fields.Nested(_refused_row_schema), required=True),
    },
    name="EditedDetails",
)


class Put(Schema):
    """The outcome for a work: new, changed or unchanged. An unchanged text with a new id keeps its old id."""

    id = fields.String(required=True)
    outcome = fields.String(required=True)
    short = fields.Boolean(
        required=True, metadata={"description": "too short for a copy of it to be told from a quotation"}
    )


class ImportQuery(Schema):
    """The owner of the imported works."""

    owner = text_field(200)


class ImportFiles(Schema):
    """A file in one of the formats of `wenhen works import`."""

    file = FileField(required=True)


_refused_field = fields.Nested(record_schema(Refused, leave_out=("kind",)))
ImportedOut = record_schema(
    ImportedWorks, leave_out=("refused",), also={"refused": fields.List(_refused_field, required=True)}
)


@works_blp.get("/works")
@works_blp.arguments(WorksQuery, location="query")
@works_blp.response(200, list_schema(WorkBrief))
@works_blp.scope(Right.READ)
def find(query: JsonObject) -> JsonObject:
    """The works, the last changed first."""
    wanted = printable_words(query.get("q", ""))
    return page_by_rows(query, lambda skip, limit: services().store.works.find(query=wanted, skip=skip, limit=limit))


@works_blp.get("/works/one")
@works_blp.arguments(IdQuery, location="query")
@works_blp.response(200, WorkSchema)
@works_blp.scope(Right.READ)
def get(query: dict[str, str]) -> Work:
    """One work with its versions."""
    return services().store.works.get(query["id"])


@works_blp.put("/works/one")
@works_blp.arguments(IdQuery, location="query")
@works_blp.arguments(WorkIn)
@works_blp.response(200, Put)
@works_blp.scope(Right.WORKS)
def put(query: dict[str, str], body: JsonObject) -> JsonObject:
    """Store a work; another text makes a new version. Its copies are looked for at once."""
    id, outcome = put_work(current_actor(), WorkDraft(id=query["id"], **body))
    shortest = body["shortest_passage"] or services().product.settings.matcher.shortest_passage
    return {"id": id, "outcome": outcome, "short": is_too_short(body["text"], shortest)}


@works_blp.patch("/works/one")
@works_blp.arguments(IdQuery, location="query")
@works_blp.arguments(WorkDetails)
@works_blp.response(200, WorkSchema)
@works_blp.scope(Right.DETAILS)
def edit(query: dict[str, str], body: JsonObject) -> Work:
    """Set what is said of a work; what is imported or put later leaves that."""
    return edit_work(current_actor(), query["id"], {name: _as_text(value) for name, value in body.items()})


@works_blp.post("/works/details")
@works_blp.arguments(DetailsQuery, location="query")
@works_blp.arguments(DetailsFile, location="files")
@works_blp.response(200, EditedDetails)
@works_blp.scope(Right.DETAILS)
def edit_many(query: dict[str, bool], files: dict[str, UploadedFile]) -> EditedWorks:
    """Set what the lines of a CSV file say of works; those that cannot be used are listed with their reason."""
    return edit_works_csv(current_actor(), files["file"][1], preview=query["preview"])


@works_blp.post("/works/merge")
@works_blp.arguments(DoubleIn)
@works_blp.response(200, Merged)
@works_blp.scope(Right.WORKS)
def merge(body: dict[str, str]) -> dict[str, int]:
    """Let a work take the place of its double, with its cases and licences; the double is removed."""
    return {"cases": merge_works(current_actor(), body["double"], body["into"])}


@works_blp.delete("/works/one")
@works_blp.arguments(IdQuery, location="query")
@works_blp.response(204)
@works_blp.scope(Right.WORKS)
def remove(query: dict[str, str]) -> None:
    """Take a work out of every look-up; its cases stay."""
    remove_work(current_actor(), query["id"])


@works_blp.post("/imports")
@works_blp.arguments(ImportQuery, location="query")
@works_blp.arguments(ImportFiles, location="files")
@works_blp.response(200, ImportedOut)
@works_blp.scope(Right.WORKS)
def take(query: dict[str, str], files: dict[str, UploadedFile]) -> ImportedWorks:
    """Import the works of a file; what is refused is listed with its reason, and the rest is taken."""
    return import_upload(current_actor(), *files["file"], owner=query.get("owner"))


def _as_text(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    return "" if value is None else str(value)
