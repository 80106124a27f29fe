"""How much of the library and of the stored pages still has a step before it."""

from typing import Any

from pipeline.context import Context
from store.ports.upkeep.steps import Steps
from store.records.upkeep.progress import UNFINISHED


def unfinished(context: Context) -> int:
    """Works and pages that have a step before them."""
    return _left(context.store.works) + _left(context.store.pages)


def works_unfinished(context: Context) -> bool:
    """Whether a work has a step before it, from this import or an earlier one that was cut short."""
    return _left(context.store.works) > 0


def _left(records: Steps[Any]) -> int:
    return sum(count for step, count in records.count_by_step().items() if step in UNFINISHED)
