"""Which reports somebody may wait for, and which are made in the background."""

from collections.abc import Mapping
from typing import Final, Unpack

from services.context import Product
from store.errors import TooLarge
from store.records import CaseConditions

AT_ONCE: Final[Mapping[str, int]] = {"pdf": 60, "xlsx": 2_000, "csv": 10_000, "json": 10_000}  # cases, at most


def takes_long(product: Product, format: str, **where: Unpack[CaseConditions]) -> bool:
    """Whether the report of these cases is to be made in the background."""
    return product.store.cases.count(**where) > AT_ONCE[format]


def may_be_made_at_once(product: Product, format: str, **where: Unpack[CaseConditions]) -> None:
    """Raise `TooLarge` for a report that takes longer than somebody waits for an answer."""
    if takes_long(product, format, **where):
        raise TooLarge("reports.takes_long", most=AT_ONCE[format])
