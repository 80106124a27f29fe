"""The crawled pages: sought by what is known of them, and each with its text and what came near it."""

from typing import Any

from marshmallow import fields, validate

from dashboard.api.blueprint import blueprint, scope
from dashboard.api.captures import CapturesQuery, ChangesQuery, Comparison
from dashboard.api.pages import by_rows
from dashboard.api.schemas import PageQuery, moment, page_of, shown, words
from dashboard.frame.context import services
from services.cases.captures import CaptureComparison, Fetch, compared, fetches
from services.pages import NearWork, near_works, text_of
from store.records import Page, PageFilter
from store.rules.rights import Right

blp = blueprint("crawled_pages", "The crawled pages")


class PagesQuery(PageQuery):
    """Which pages; all conditions have to be met."""

    host = words(300)
    title = words(200, metadata={"description": "how it begins"})
    charset = words(40)
    status = fields.Integer(
        validate=validate.Range(0, 999), metadata={"description": "of the newest capture; 0: no answer"}
    )
    since = moment(metadata={"description": "first seen then or later"})
    until = moment(metadata={"description": "first seen before"})


PageWithText = shown(Page, also={"text": fields.String(required=True)})


@blp.get("/pages")
@blp.arguments(PagesQuery, location="query")
@blp.response(200, page_of(shown(Page)))
@scope(Right.READ)
def find(query: dict[str, Any]) -> Any:
    """The pages, the last first seen first."""
    wanted = PageFilter(**{name: value for name, value in query.items() if name not in ("cursor", "limit")})
    return by_rows(query, lambda skip, limit: services().store.pages.search(wanted, skip=skip, limit=limit))


@blp.get("/pages/<string:id>")
@blp.response(200, PageWithText)
@scope(Right.READ)
def get(id: str) -> dict[str, Any]:
    """One page with its text as extracted from the newest capture."""
    page = services().store.pages.get(id)
    record = {name: getattr(page, name) for name in Page.__dataclass_fields__}
    return record | {"text": text_of(services().product, page)}


@blp.get("/pages/<string:id>/near")
@blp.response(200, shown(NearWork)(many=True))
@scope(Right.READ)
def near(id: str) -> list[NearWork]:
    """The works that came near the page, compared with it now, and why each opened a case or none."""
    return near_works(services().product, services().store.pages.get(id))


@blp.get("/pages/<string:id>/captures")
@blp.arguments(CapturesQuery, location="query")
@blp.response(200, shown(Fetch)(many=True))
@scope(Right.READ)
def captures(query: dict[str, int], id: str) -> list[Fetch]:
    """The newest captures of the page, each with what differs from the one before it."""
    return fetches(services().product, services().store.pages.get(id).id, limit=query["limit"])


@blp.get("/pages/<string:id>/captures/<int:moment>/changes")
@blp.arguments(ChangesQuery, location="query")
@blp.response(200, Comparison)
@scope(Right.READ)
def changes(query: dict[str, Any], id: str, moment: int) -> CaptureComparison:
    """What the page's text lost and gained, from the older of two captures to the newer one."""
    return compared(services().product, services().store.pages.get(id).id, moment, query.get("other"))
