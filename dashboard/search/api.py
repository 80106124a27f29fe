"""Serve the API of the search over works, pages, cases, sites and comments."""

from dataclasses import asdict

from marshmallow import Schema, fields

from dashboard.frame.api import ApiBlueprint, JsonObject, text_field
from dashboard.frame.context import services
from wenhen.kit.rights import Right
from wenhen.search.service import MAX_QUERY_CHARACTERS, search_everything

search_blp = ApiBlueprint("search", "One search over everything")


class SearchQuery(Schema):
    """The words or the phrase to search for."""

    q = text_field(MAX_QUERY_CHARACTERS, least=1, required=True)


class TextHitOut(Schema):
    """A text with the phrase, and the place of its first occurrence."""

    kind = fields.String(required=True, metadata={"description": "`work` or `page`"})
    id = fields.String(required=True)
    title = fields.String(required=True)
    host = fields.String(required=True, allow_none=True)
    before = fields.String(required=True)
    found = fields.String(required=True)
    after = fields.String(required=True)
    exact = fields.Boolean(required=True, metadata={"description": "false: in other characters of the same sound"})
    times = fields.Integer(required=True)


class NamedOut(Schema):
    """A record by its id, or a case by its number."""

    id = fields.String(required=True)
    title = fields.String(required=True)


class FoundOut(Schema):
    """The first results of each kind. If `whole` is false, unread texts may hold further results."""

    texts = fields.List(fields.Nested(TextHitOut), required=True)
    whole = fields.Boolean(required=True)
    works = fields.List(fields.Nested(NamedOut), required=True)
    cases = fields.List(fields.Nested(NamedOut), required=True)
    pages = fields.List(fields.Nested(NamedOut), required=True)
    sites = fields.List(fields.Nested(NamedOut), required=True)
    comments = fields.List(fields.Nested(NamedOut), required=True, metadata={"description": "`id`: of the case"})


@search_blp.get("/search")
@search_blp.arguments(SearchQuery, location="query")
@search_blp.response(200, FoundOut)
@search_blp.scope(Right.READ)
def find(given: JsonObject) -> JsonObject:
    """Titles, addresses, hosts, comments, and the texts of works and pages; the first ten of each."""
    result = search_everything(services().product, given["q"])
    return {
        "texts": [asdict(hit) | {"kind": hit.owner.kind, "id": hit.owner.id} for hit in result.texts.hits],
        "whole": result.texts.whole,
        "works": [{"id": work.id, "title": work.title} for work in result.works],
        "cases": [{"id": str(case.number), "title": case.page_title or case.page_url} for case in result.cases],
        "pages": [{"id": page.id, "title": page.title or page.url} for page in result.pages],
        "sites": [{"id": site.id, "title": site.name} for site in result.sites],
        "comments": [{"id": str(comment.case_number), "title": comment.text} for comment in result.comments],
    }
