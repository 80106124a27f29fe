"""Filters that people keep under a name, each for himself; the browser and the API share it."""

from typing import Final

from flask import url_for

from dashboard.cases.suspect_filter import Filter
from dashboard.frame.context import services
from dashboard.frame.permissions import who
from store.errors import BadInput, NotFound
from store.records import SavedFilter

NAME_LENGTH: Final = 60


def query_of(chosen: Filter) -> str:
    """A filter as it stands in the address of the suspects, without the question mark."""
    return url_for("suspects.find", _external=False, **chosen.arguments()).partition("?")[2]


def mine() -> list[SavedFilter]:
    """Those of the present user, by name."""
    return services().store.filters.of_user(who())


def keep(name: str, chosen: Filter) -> SavedFilter:
    """Save a filter in place of the one of that name. BadInput for a name that is empty."""
    name = name.strip()[:NAME_LENGTH]
    if not name:
        raise BadInput("a saved filter needs a name")
    return services().store.filters.put(who(), name, query_of(chosen), services().clock())


def forget(id: str) -> None:
    """Drop a saved filter of the present user. NotFound."""
    if not services().store.filters.remove(id, who()):
        raise NotFound(f"You have no saved filter with the id {id}.")
