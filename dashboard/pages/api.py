"""Serve the API of crawled pages and their captures."""

from collections.abc import Sequence
from typing import Final

from flask import Response, abort, jsonify
from marshmallow import Schema, fields, validate

from crawler.addresses import MAX_ADDRESS_CHARACTERS
from crawler.extraction.model import PlacedPost
from dashboard.frame.api import (
    ApiBlueprint,
    FileField,
    JsonObject,
    ListQuery,
    UploadedFile,
    list_conditions,
    list_schema,
    moment_field,
    page_by_rows,
    record_fields,
    record_schema,
    text_field,
)
from dashboard.frame.context import current_actor, numbered_case, services
from wenhen.cases.page_history import MAX_SHOWN_CAPTURES, CaptureComparison, Fetch, compare_captures, list_fetches
from wenhen.crawls.address_fetches import (
    MAX_ADDRESSES,
    AddressOutcome,
    fetch_addresses,
    find_outcomes,
)
from wenhen.crawls.manual_captures import MAX_TEXT_CHARACTERS, Circumstances, add_capture
from wenhen.crawls.model import RegionalCapture, Run
from wenhen.crawls.regions import captures_of_page, request_regional_captures
from wenhen.kit.errors import BadInput
from wenhen.kit.rights import Right
from wenhen.pages.model import Page, PageFilter
from wenhen.pages.service import RawBody, load_raw_body, page_text, posts_of_page
from wenhen.texts.source_lookup import NearWork, find_near_works

captures_blp = ApiBlueprint("captures", "Crawled pages and their captures")

_STRETCH_KINDS: Final = ("same", "deleted", "inserted")


class CapturesQuery(Schema):
    """The number of captures to list, newest first."""

    limit = fields.Integer(load_default=MAX_SHOWN_CAPTURES, validate=validate.Range(1, 200))


class ChangesQuery(Schema):
    """The other capture of the comparison."""

    # "with" is a Python keyword, so the attribute has another name
    other = fields.Integer(
        data_key="with",
        validate=validate.Range(0, 2**53),
        metadata={"description": "`moment` of another capture; by default the one before"},
    )


class StretchOfText(Schema):
    """A stretch of the text, and the number of unchanged characters omitted after it."""

    kind = fields.String(required=True, validate=validate.OneOf(_STRETCH_KINDS))
    text = fields.String(required=True)
    left_out = fields.Integer(required=True)


Comparison = record_schema(CaptureComparison, also={"parts": fields.List(fields.Nested(StretchOfText), required=True)})


class BringQuery(Schema):
    """The address of the page, and the source of the submitted text."""

    url = text_field(2000, least=1, required=True)
    by = text_field(MAX_TEXT_CHARACTERS, metadata={"description": "who took it, if not the token's user"})
    seen_at = moment_field()
    app = text_field(MAX_TEXT_CHARACTERS)
    device = text_field(MAX_TEXT_CHARACTERS)
    note = text_field(MAX_TEXT_CHARACTERS)


class BringFiles(Schema):
    """Transcripts and documents in reading order. Without any, the address is fetched."""

    files: fields.List[UploadedFile] = fields.List(FileField(), load_default=[])


class AddressesIn(Schema):
    """Addresses to fetch once."""

    urls = fields.List(
        text_field(MAX_ADDRESS_CHARACTERS, least=1), required=True, validate=validate.Length(1, MAX_ADDRESSES)
    )
    follow = fields.Boolean(
        load_default=False, metadata={"description": "also fetch what they link to within their hosts"}
    )


class RequestedRuns(Schema):
    """The runs of a request."""

    run = fields.List(text_field(100, least=1), required=True, validate=validate.Length(1, MAX_ADDRESSES))


class Outcomes(Schema):
    """What became of each address, in the order of the request. `run_id` asks again later."""

    outcomes = fields.List(fields.Nested(record_schema(AddressOutcome)), required=True)


@captures_blp.post("/captures")
@captures_blp.arguments(BringQuery, location="query")
@captures_blp.arguments(BringFiles, location="files")
@captures_blp.response(200, record_schema(Page))
@captures_blp.alt_response(202, schema=Outcomes)
@captures_blp.scope(Right.CRAWL)
def add(query: JsonObject, given: dict[str, Sequence[UploadedFile]]) -> Page | Response:
    """Store what somebody saw in an app as a capture of the page at an address; it is matched like any page.

    Without files, the address itself is fetched once (202).
    """
    url = query.pop("url")
    if given["files"]:
        return add_capture(current_actor(), url, given["files"], Circumstances(**query))
    if query:
        raise BadInput("bringing.files_alone", names=", ".join(query))
    answer = jsonify(Outcomes().dump(_outcomes_of(fetch_addresses(current_actor(), [url]))))
    answer.status_code = 202
    return answer


@captures_blp.post("/captures/addresses")
@captures_blp.arguments(AddressesIn)
@captures_blp.response(202, Outcomes)
@captures_blp.scope(Right.CRAWL)
def fetch(given: JsonObject) -> dict[str, list[AddressOutcome]]:
    """Fetch addresses once, by the rules of crawls, and match their pages."""
    return _outcomes_of(fetch_addresses(current_actor(), given["urls"], follow=given["follow"]))


@captures_blp.get("/captures/addresses")
@captures_blp.arguments(RequestedRuns, location="query")
@captures_blp.response(200, Outcomes)
@captures_blp.scope(Right.READ)
def find_fetched(query: dict[str, list[str]]) -> dict[str, list[AddressOutcome]]:
    """What became of the addresses of these runs."""
    return _outcomes_of([services().store.runs.get(id) for id in dict.fromkeys(query["run"])])


def _outcomes_of(runs: Sequence[Run]) -> dict[str, list[AddressOutcome]]:
    return {"outcomes": find_outcomes(services().product, runs)}


class RegionsIn(Schema):
    """The regions from which to capture a page."""

    regions = fields.List(
        text_field(40, least=1),
        load_default=[],
        validate=validate.Length(max=100),
        metadata={"description": "names of `crawler.regions`; by default all. The usual way of crawls is added"},
    )


RegionalCaptures = record_schema(RegionalCapture)(many=True)


@captures_blp.post("/pages/<string:id>/regions")
@captures_blp.arguments(RegionsIn)
@captures_blp.response(202, RegionalCaptures)
@captures_blp.scope(Right.CRAWL)
def capture_regions(given: dict[str, list[str]], id: str) -> Sequence[RegionalCapture]:
    """Capture the page through the proxies of regions, side by side. The page does not change by it."""
    return request_regional_captures(current_actor(), id, given["regions"]).captures


@captures_blp.get("/pages/<string:id>/regions")
@captures_blp.response(200, RegionalCaptures)
@captures_blp.scope(Right.READ)
def regional(id: str) -> list[RegionalCapture]:
    """The captures of the page from regions, those asked for last first."""
    return captures_of_page(services().product, services().store.pages.get(id).id)


@captures_blp.post("/cases/<int:number>/regions")
@captures_blp.arguments(RegionsIn)
@captures_blp.response(202, RegionalCaptures)
@captures_blp.scope(Right.CRAWL)
def capture_regions_of_case(given: dict[str, list[str]], number: int) -> Sequence[RegionalCapture]:
    """Capture the page of the case through the proxies of regions, side by side."""
    page = numbered_case(number).page_id
    return request_regional_captures(current_actor(), page, given["regions"]).captures


@captures_blp.get("/cases/<int:number>/regions")
@captures_blp.response(200, RegionalCaptures)
@captures_blp.scope(Right.READ)
def regional_of_case(number: int) -> list[RegionalCapture]:
    """The captures of the case's page from regions, those asked for last first."""
    return captures_of_page(services().product, numbered_case(number).page_id)


@captures_blp.get("/cases/<int:number>/captures")
@captures_blp.arguments(CapturesQuery, location="query")
@captures_blp.response(200, record_schema(Fetch)(many=True))
@captures_blp.scope(Right.READ)
def find(query: dict[str, int], number: int) -> list[Fetch]:
    """The newest captures of the case's page, each with what differs from the one before it."""
    case = numbered_case(number)
    return list_fetches(services().product, case.page_id, case.capture, query["limit"])


@captures_blp.get("/cases/<int:number>/captures/<int:moment>/changes")
@captures_blp.arguments(ChangesQuery, location="query")
@captures_blp.response(200, Comparison)
@captures_blp.scope(Right.READ)
def changes(query: JsonObject, number: int, moment: int) -> CaptureComparison:
    """What the page's text lost and gained, from the older of two captures to the newer one."""
    case = numbered_case(number)
    return compare_captures(services().product, case.page_id, moment, query.get("other"))


class PagesQuery(ListQuery):
    """The conditions of the pages to list. All of them apply."""

    host = text_field(300)
    title = text_field(200, metadata={"description": "how it begins"})
    charset = text_field(40)
    status = fields.Integer(
        validate=validate.Range(0, 999), metadata={"description": "of the newest capture; 0: no answer"}
    )
    since = moment_field(metadata={"description": "first seen then or later"})
    until = moment_field(metadata={"description": "first seen before"})


PageWithText = record_schema(Page, also={"text": fields.String(required=True)}, name="PageWithText")


@captures_blp.get("/pages")
@captures_blp.arguments(PagesQuery, location="query")
@captures_blp.response(200, list_schema(record_schema(Page)))
@captures_blp.scope(Right.READ)
def find_pages(query: JsonObject) -> JsonObject:
    """The pages, the last first seen first."""
    wanted = PageFilter(**list_conditions(query))
    return page_by_rows(query, lambda skip, limit: services().store.pages.search(wanted, skip=skip, limit=limit))


@captures_blp.get("/pages/<string:id>")
@captures_blp.response(200, PageWithText)
@captures_blp.scope(Right.READ)
def get_page(id: str) -> JsonObject:
    """One page with its text as extracted from the newest capture."""
    page = services().store.pages.get(id)
    return {**record_fields(page), "text": page_text(services().product, page)}


@captures_blp.get("/pages/<string:id>/raw")
@captures_blp.response(200, record_schema(RawBody))
@captures_blp.scope(Right.READ)
def raw(id: str) -> RawBody:
    """The beginning of the newest body as its server sent it, where that is text."""
    raw_body = load_raw_body(services().product, services().store.pages.get(id))
    if raw_body is None:
        abort(404, "the body is no text, or is no longer kept")
    return raw_body


@captures_blp.get("/pages/<string:id>/posts")
@captures_blp.response(200, record_schema(PlacedPost)(many=True))
@captures_blp.scope(Right.READ)
def posts(id: str) -> list[PlacedPost]:
    """The posts of a thread, each with its place in the page's text, in code points; none of any other page."""
    return list(posts_of_page(services().product, services().store.pages.get(id)))


@captures_blp.get("/pages/<string:id>/near")
@captures_blp.response(200, record_schema(NearWork)(many=True))
@captures_blp.scope(Right.READ)
def near(id: str) -> list[NearWork]:
    """The works that came near the page, compared with it now, and why each opened a case or none."""
    return find_near_works(services().product, services().store.pages.get(id))


@captures_blp.get("/pages/<string:id>/captures")
@captures_blp.arguments(CapturesQuery, location="query")
@captures_blp.response(200, record_schema(Fetch)(many=True))
@captures_blp.scope(Right.READ)
def list_captures(query: dict[str, int], id: str) -> list[Fetch]:
    """The newest captures of the page, each with what differs from the one before it."""
    return list_fetches(services().product, services().store.pages.get(id).id, limit=query["limit"])


@captures_blp.get("/pages/<string:id>/captures/<int:moment>/changes")
@captures_blp.arguments(ChangesQuery, location="query")
@captures_blp.response(200, Comparison)
@captures_blp.scope(Right.READ)
def changes_of_page(query: JsonObject, id: str, moment: int) -> CaptureComparison:
    """What the page's text lost and gained, from the older of two captures to the newer one."""
    return compare_captures(services().product, services().store.pages.get(id).id, moment, query.get("other"))
