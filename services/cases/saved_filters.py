"""Filters that people keep under a name, each for themselves. They change nothing that others see: no audit lines."""

from typing import Final

from services.acting import Acting
from services.cases.case_filter import Filter
from store.errors import BadInput, NotFound
from store.records import SavedFilter

NAME_LENGTH: Final = 60


def saved_filters(acting: Acting) -> list[SavedFilter]:
    """Those of this person, by name."""
    return acting.product.store.filters.of_user(acting.who)


def save(acting: Acting, name: str, chosen: Filter) -> SavedFilter:
    """Save a filter in place of the one of that name. BadInput for a name that is empty."""
    name = name.strip()[:NAME_LENGTH]
    if not name:
        raise BadInput("cases.filter_unnamed")
    product = acting.product
    return product.store.filters.put(acting.who, name, chosen.query(), product.now())


def forget(acting: Acting, id: str) -> None:
    """Drop a saved filter of this person. NotFound."""
    if not acting.product.store.filters.remove(id, acting.who):
        raise NotFound("cases.no_filter", id=id)
