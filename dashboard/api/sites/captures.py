"""The crawled pages with their texts, and their captures: what changed from one to another; some that people bring."""

from collections.abc import Sequence
from typing import Any, Final

from flask import abort
from flask_smorest.fields import Upload
from marshmallow import Schema, fields, validate
from werkzeug.datastructures import FileStorage

from crawler.extract.posts.post import PlacedPost
from dashboard.api.blueprint import blueprint, scope
from dashboard.api.cursors import by_rows
from dashboard.api.schemas import ListQuery, list_of, moment, shown, words
from dashboard.frame.context import acting, services
from dashboard.frame.uploads import plain_name
from services.cases.page_history import SHOWN, CaptureComparison, Fetch, compared, fetches
from services.crawls.brought_captures import LONGEST, Circumstances, bring
from services.texts.near_works import NearWork, near_works
from services.texts.pages import RawBody, raw_body, text_of
from services.texts.posts import posts_of_page
from store.records import Page, PageFilter
from store.rules.role_rights import Right

blp = blueprint("captures", "Crawled pages and their captures")

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
@scope(Right.CRAWL, part="captures")
def add(query: dict[str, Any], given: dict[str, Sequence[FileStorage]]) -> Page:
    """Store what somebody saw in an app as a capture of the page at an address; it is matched like any page."""
    files = [(plain_name(file), file.read()) for file in given["files"]]
    return bring(acting(), query.pop("url"), files, Circumstances(**query))


@blp.get("/cases/<int:number>/captures")
@blp.arguments(CapturesQuery, location="query")
@blp.response(200, shown(Fetch)(many=True))
@scope(Right.READ, part="captures")
def find(query: dict[str, int], number: int) -> list[Fetch]:
    """The newest captures of the case's page, each with what differs from the one before it."""
    case = services().store.cases.get(str(number))
    return fetches(services().product, case.page_id, case.capture, query["limit"])


@blp.get("/cases/<int:number>/captures/<int:moment>/changes")
@blp.arguments(ChangesQuery, location="query")
@blp.response(200, Comparison)
@scope(Right.READ, part="captures")
def changes(query: dict[str, Any], number: int, moment: int) -> CaptureComparison:
    """What the page's text lost and gained, from the older of two captures to the newer one."""
    case = services().store.cases.get(str(number))
    return compared(services().product, case.page_id, moment, query.get("other"))


class PagesQuery(ListQuery):
    """Which pages; all conditions have to be met."""

    host = words(300)
    title = words(200, metadata={"description": "how it begins"})
    charset = words(40)
    status = fields.Integer(
        validate=validate.Range(0, 999), metadata={"description": "of the newest capture; 0: no answer"}
    )
    since = moment(metadata={"description": "first seen then or later"})
    until = moment(metadata={"description": "first seen before"})


PageWithText = shown(Page, also={"text": fields.String(required=True)}, name="PageWithText")


@blp.get("/pages")
@blp.arguments(PagesQuery, location="query")
@blp.response(200, list_of(shown(Page)))
@scope(Right.READ, part="captures")
def find_pages(query: dict[str, Any]) -> Any:
    """The pages, the last first seen first."""
    wanted = PageFilter(**{name: value for name, value in query.items() if name not in ("cursor", "limit")})
    return by_rows(query, lambda skip, limit: services().store.pages.search(wanted, skip=skip, limit=limit))


@blp.get("/pages/<string:id>")
@blp.response(200, PageWithText)
@scope(Right.READ, part="captures")
def get_page(id: str) -> dict[str, Any]:
    """One page with its text as extracted from the newest capture."""
    page = services().store.pages.get(id)
    record = {name: getattr(page, name) for name in Page.__dataclass_fields__}
    return record | {"text": text_of(services().product, page)}


@blp.get("/pages/<string:id>/raw")
@blp.response(200, shown(RawBody))
@scope(Right.READ, part="captures")
def raw(id: str) -> RawBody:
    """The beginning of the newest body as its server sent it, where that is text."""
    found = raw_body(services().product, services().store.pages.get(id))
    if found is None:
        abort(404, "the body is no text, or is no longer kept")
    return found


@blp.get("/pages/<string:id>/posts")
@blp.response(200, shown(PlacedPost)(many=True))
@scope(Right.READ, part="captures")
def posts(id: str) -> list[PlacedPost]:
    """The posts of a thread, each with its place in the page's text, in code points; none of any other page."""
    return list(posts_of_page(services().product, services().store.pages.get(id)))


@blp.get("/pages/<string:id>/near")
@blp.response(200, shown(NearWork)(many=True))
@scope(Right.READ, part="captures")
def near(id: str) -> list[NearWork]:
    """The works that came near the page, compared with it now, and why each opened a case or none."""
    return near_works(services().product, services().store.pages.get(id))


@blp.get("/pages/<string:id>/captures")
@blp.arguments(CapturesQuery, location="query")
@blp.response(200, shown(Fetch)(many=True))
@scope(Right.READ, part="captures")
def captures_of_page(query: dict[str, int], id: str) -> list[Fetch]:
    """The newest captures of the page, each with what differs from the one before it."""
    return fetches(services().product, services().store.pages.get(id).id, limit=query["limit"])


@blp.get("/pages/<string:id>/captures/<int:moment>/changes")
@blp.arguments(ChangesQuery, location="query")
@blp.response(200, Comparison)
@scope(Right.READ, part="captures")
def changes_of_page(query: dict[str, Any], id: str, moment: int) -> CaptureComparison:
    """What the page's text lost and gained, from the older of two captures to the newer one."""
    return compared(services().product, services().store.pages.get(id).id, moment, query.get("other"))
