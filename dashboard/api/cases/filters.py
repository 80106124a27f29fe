"""The saved filters of the token's user."""

from typing import Any

from marshmallow import Schema

from dashboard.api.blueprint import blueprint, scope
from dashboard.api.cases.cases import CaseFilter
from dashboard.api.schemas import choice, shown, words
from dashboard.frame.context import acting
from services.cases import saved_filters
from services.cases.case_filter import Filter
from services.cases.folded_lists import Fold
from store.records import CaseOrder, SavedFilter
from store.rules.role_rights import Right

blp = blueprint("filters", "The saved filters of the token's user")


class NameQuery(Schema):
    """A name may hold any character, so that it is an argument and no part of the path."""

    name = words(saved_filters.NAME_LENGTH, least=1, required=True)


class FilterIn(CaseFilter):
    """Which cases, in which order, and folded by what on the screen."""

    order = choice(CaseOrder)
    fold = choice(Fold)


@blp.get("/filters")
@blp.response(200, shown(SavedFilter)(many=True))
@scope(Right.READ, part="filters")
def find() -> list[SavedFilter]:
    """By name; `query` is the filter as the address of the suspects carries it."""
    return saved_filters.saved_filters(acting())


@blp.put("/filters/one")
@blp.arguments(NameQuery, location="query")
@blp.arguments(FilterIn)
@blp.response(200, shown(SavedFilter))
@scope(Right.READ, part="filters")
def put(query: dict[str, str], given: dict[str, Any]) -> SavedFilter:
    """Keep a filter in place of the one of that name."""
    return saved_filters.save(acting(), query["name"], Filter(**given))


@blp.delete("/filters/<string:id>")
@blp.response(204)
@scope(Right.READ, part="filters")
def remove(id: str) -> None:
    """Drop one."""
    saved_filters.forget(acting(), id)
