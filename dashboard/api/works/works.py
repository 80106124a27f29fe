"""The works: list, read, put, remove, import."""

from datetime import datetime
from typing import Any, Final

from flask_smorest.fields import Upload
from marshmallow import Schema, fields, validate
from werkzeug.datastructures import FileStorage

from dashboard.api.blueprint import blueprint, scope
from dashboard.api.cursors import by_rows
from dashboard.api.schemas import ListQuery, list_of, moment, shown, words
from dashboard.frame.context import acting, services
from dashboard.frame.uploads import plain_name
from matcher.verdict.shortest_protected_work import is_short
from services.importing.drafts_and_refusals import Refused
from services.importing.work_details import MOST_CHAPTERS
from services.library import details, import_works, merge_works, put_and_remove
from services.library.details_csv import EditedWorks, edit_csv
from services.library.import_works import ImportedWorks
from store.records import Work, WorkDraft
from store.rules.role_rights import Right

blp = blueprint("works", "The works whose copies are looked for")

_CHAPTERS: Final = validate.Range(0, MOST_CHAPTERS - 1)
WorkSchema = shown(Work)
WorkBrief = shown(Work, leave_out=("versions",))


class WorksQuery(ListQuery):
    """Which works."""

    q = words(200, metadata={"description": "part of a title, an author or an id"})


class IdQuery(Schema):
    """An id may hold any character, so that it is an argument and no part of the path."""

    id = words(1000, least=1, required=True)


class WorkIn(Schema):
    """A work as its holder hands it in."""

    title = words(500, least=1, required=True)
    text = words(None, least=1, required=True)
    author = words(200, load_default=None, allow_none=True)
    owner = words(200, load_default=None, allow_none=True)
    kind = words(60, load_default=None, allow_none=True)
    series = words(300, load_default=None, allow_none=True)
    chapter = fields.Integer(load_default=None, allow_none=True, validate=_CHAPTERS, strict=True)
    url = words(2000, load_default=None, allow_none=True)
    published_at = moment(load_default=None, allow_none=True)
    proof = words(1000, load_default=None, allow_none=True)


class WorkDetails(Schema):
    """What is said of a work; what is not given stays, an empty text takes it away."""

    title = words(500, least=1)
    author = words(200)
    owner = words(200)
    kind = words(60)
    series = words(300)
    chapter = fields.Integer(strict=True, allow_none=True, validate=_CHAPTERS)
    url = words(2000)
    published_at = moment(allow_none=True)
    proof = words(1000)


class DoubleIn(Schema):
    """A work and its double."""

    double = words(1000, least=1, required=True)
    into = words(1000, least=1, required=True)


class Merged(Schema):
    """How many cases the work took over."""

    cases = fields.Integer(required=True)


class DetailsQuery(Schema):
    """Whether anything is changed."""

    preview = fields.Boolean(load_default=False, metadata={"description": "only tell what would change"})


class DetailsFile(Schema):
    """A CSV file whose first line names id and some of the fields."""

    file = Upload(required=True)


class EditedLineSchema(Schema):
    """A line that changes a work: each field with what is said before and after."""

    line = fields.Integer(required=True)
    id = fields.String(required=True)
    title = fields.String(required=True)
    changes = fields.Dict(keys=fields.String(), values=fields.List(fields.String()), required=True)


class RefusedRow(Schema):
    """A line that was refused, and why."""

    line = fields.Integer(required=True)
    reason = fields.String(required=True)


class EditedDetails(Schema):
    """What a file changed, and the lines that were refused."""

    edited = fields.List(fields.Nested(EditedLineSchema), required=True)
    refused = fields.List(fields.Nested(RefusedRow), required=True)


class Put(Schema):
    """What became of a work: new, changed or unchanged; an unchanged text under another id keeps that id."""

    id = fields.String(required=True)
    outcome = fields.String(required=True)
    short = fields.Boolean(
        required=True, metadata={"description": "too short for a copy of it to be told from a quotation"}
    )


class ImportQuery(Schema):
    """Whose works they are."""

    owner = words(200)


class ImportFiles(Schema):
    """A file in one of the formats of `wenhen works import`."""

    file = Upload(required=True)


_refused = fields.Nested(shown(Refused, leave_out=("kind",)))
ImportedOut = shown(ImportedWorks, leave_out=("refused",), also={"refused": fields.List(_refused, required=True)})


@blp.get("/works")
@blp.arguments(WorksQuery, location="query")
@blp.response(200, list_of(WorkBrief))
@scope(Right.READ, part="works")
def find(query: dict[str, Any]) -> Any:
    """The works, the last changed first."""
    wanted = "".join(letter for letter in query.get("q", "") if letter.isprintable()).strip() or None
    return by_rows(query, lambda skip, limit: services().store.works.find(query=wanted, skip=skip, limit=limit))


@blp.get("/works/one")
@blp.arguments(IdQuery, location="query")
@blp.response(200, WorkSchema)
@scope(Right.READ, part="works")
def get(query: dict[str, str]) -> Work:
    """One work with its versions."""
    return services().store.works.get(query["id"])


@blp.put("/works/one")
@blp.arguments(IdQuery, location="query")
@blp.arguments(WorkIn)
@blp.response(200, Put)
@scope(Right.WORKS, part="works")
def put(query: dict[str, str], given: dict[str, Any]) -> dict[str, Any]:
    """Store a work; another text makes a new version. Its copies are looked for at once."""
    id, outcome = put_and_remove.put(acting(), WorkDraft(id=query["id"], **given))
    return {"id": id, "outcome": outcome, "short": is_short(given["text"])}


@blp.patch("/works/one")
@blp.arguments(IdQuery, location="query")
@blp.arguments(WorkDetails)
@blp.response(200, WorkSchema)
@scope(Right.DETAILS, part="works")
def edit(query: dict[str, str], given: dict[str, Any]) -> Work:
    """Set what is said of a work; what is imported or put later leaves that."""
    return details.edit(acting(), query["id"], {name: _as_text(value) for name, value in given.items()})


@blp.post("/works/details")
@blp.arguments(DetailsQuery, location="query")
@blp.arguments(DetailsFile, location="files")
@blp.response(200, EditedDetails)
@scope(Right.DETAILS, part="works")
def edit_many(query: dict[str, bool], files: dict[str, FileStorage]) -> EditedWorks:
    """Set what the lines of a CSV file say of works; those that cannot be used are listed with their reason."""
    return edit_csv(acting(), files["file"].read(), preview=query["preview"])


@blp.post("/works/merge")
@blp.arguments(DoubleIn)
@blp.response(200, Merged)
@scope(Right.WORKS, part="works")
def merge(given: dict[str, str]) -> dict[str, int]:
    """Let a work take the place of its double, with its cases and licences; the double is removed."""
    return {"cases": merge_works.merge(acting(), given["double"], given["into"])}


@blp.delete("/works/one")
@blp.arguments(IdQuery, location="query")
@blp.response(204)
@scope(Right.WORKS, part="works")
def remove(query: dict[str, str]) -> None:
    """Take a work out of every look-up; its cases stay."""
    put_and_remove.remove(acting(), query["id"])


@blp.post("/imports")
@blp.arguments(ImportQuery, location="query")
@blp.arguments(ImportFiles, location="files")
@blp.response(200, ImportedOut)
@scope(Right.WORKS, part="works")
def take(query: dict[str, str], files: dict[str, FileStorage]) -> ImportedWorks:
    """Import the works of a file; what is refused is listed with its reason, and the rest is taken."""
    file = files["file"]
    return import_works.import_upload(acting(), plain_name(file), file.read(), owner=query.get("owner"))


def _as_text(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    return "" if value is None else str(value)
