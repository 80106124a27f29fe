"""The history of a case's page: its captures, and what changed from one to another; captures that somebody brings."""

from collections.abc import Sequence
from typing import Any, Final

from flask_smorest.fields import Upload
from marshmallow import Schema, fields, validate
from werkzeug.datastructures import FileStorage

from dashboard.api.blueprint import blueprint, scope
from dashboard.api.schemas import moment, shown, words
from dashboard.frame.context import acting, services
from dashboard.frame.uploads import plain_name
from services.cases.captures import SHOWN, CaptureComparison, Fetch, compared, fetches
from services.crawls.bring import LONGEST, Circumstances, bring
from store.records import Page
from store.rules.rights import Right

blp = blueprint("captures", "The history of a case's page")

_KINDS: Final = ("same", "deleted", "inserted")


class CapturesQuery(Schema):
    """How many, the newest first."""

    limit = fields.Integer(load_default=SHOWN, validate=validate.Range(1, 200))


class ChangesQuery(Schema):
    """Beside which other capture."""

    # "with" is a word of Python's, so that the field has another name inside
    other = fields.Integer(
        data_key="with",
        validate=validate.Range(0, 2**53),
        metadata={"description": "`moment` of another capture; by default the one before"},
    )


class StretchOfText(Schema):
    """A stretch of the text; so many characters that stayed the same are left out after it."""

    kind = fields.String(required=True, validate=validate.OneOf(_KINDS))
    text = fields.String(required=True)
    left_out = fields.Integer(required=True)


Comparison = shown(CaptureComparison, also={"parts": fields.List(fields.Nested(StretchOfText), required=True)})


class BringQuery(Schema):
    """The address under which it is known, and how it was come by."""

    url = words(2000, least=1, required=True)
    by = words(LONGEST, metadata={"description": "who took it, if not the token's user"})
    seen_at = moment()
    app = words(LONGEST)
    device = words(LONGEST)
    note = words(LONGEST)


class BringFiles(Schema):
    """Transcripts and documents, in the order in which they are to be read."""

    files = fields.List(Upload(), required=True)


@blp.post("/captures")
@blp.arguments(BringQuery, location="query")
@blp.arguments(BringFiles, location="files")
@blp.response(200, shown(Page))
@scope(Right.CRAWL)
def add(query: dict[str, Any], given: dict[str, Sequence[FileStorage]]) -> Page:
    """Store what somebody saw in an app as a capture of the page at an address; it is matched like any page."""
    files = [(plain_name(file), file.read()) for file in given["files"]]
    return bring(acting(), query.pop("url"), files, Circumstances(**query))


@blp.get("/cases/<int:number>/captures")
@blp.arguments(CapturesQuery, location="query")
@blp.response(200, shown(Fetch)(many=True))
@scope(Right.READ)
def find(query: dict[str, int], number: int) -> list[Fetch]:
    """The newest captures of the case's page, each with what differs from the one before it."""
    case = services().store.cases.get(str(number))
    return fetches(services().product, case.page_id, case.capture, query["limit"])


@blp.get("/cases/<int:number>/captures/<int:moment>/changes")
@blp.arguments(ChangesQuery, location="query")
@blp.response(200, Comparison)
@scope(Right.READ)
def changes(query: dict[str, Any], number: int, moment: int) -> CaptureComparison:
    """What the page's text lost and gained, from the older of two captures to the newer one."""
    case = services().store.cases.get(str(number))
    return compared(services().product, case.page_id, moment, query.get("other"))
