"""The duties of a day: each is done once a day. One that fails keeps up no other, and is tried until it is done."""

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from typing import Any, Final, NamedTuple

from services.context import Product
from services.upkeep.in_turn import do_all
from store.failures import failure
from store.messages import Message

_MARK: Final = "daily"
_TOLD: Final = 200  # characters of a failure


class FailedDuty(NamedTuple):
    """A duty whose last try failed. since: its first try of that day which did."""

    name: str
    since: datetime
    reason: Message


def all_done(product: Product, day: str) -> bool:
    """Whether nothing of this day is left."""
    return bool(_mark(product).get("day") == day)


def do_each(product: Product, day: str, duties: Mapping[str, Callable[[], object]]) -> None:
    """Do, in their order, those that were not done on this day; raises what the first one failed with."""
    done = _mark(product).get("done", {})
    do_all(partial(_do, product, day, name, duty) for name, duty in duties.items() if done.get(name) != day)
    product.store.marks.set(_MARK, {**_mark(product), "day": day, "failed": {}})


def failed(product: Product) -> list[FailedDuty]:
    """Those whose last try failed."""
    return [
        FailedDuty(name, one["since"], Message.read(one["reason"]))
        for name, one in _mark(product).get("failed", {}).items()
    ]


def last_day(product: Product) -> str | None:
    """The last day of which all duties are done."""
    return _mark(product).get("day")


def _do(product: Product, day: str, name: str, duty: Callable[[], object]) -> None:
    try:
        duty()
    except Exception as error:
        _note_failed(product, name, failure(error, _TOLD))
        raise
    _note_done(product, name, day)


def _note_done(product: Product, name: str, day: str) -> None:
    mark = _mark(product)
    left = {one: how for one, how in mark.get("failed", {}).items() if one != name}
    product.store.marks.set(_MARK, {**mark, "done": {**mark.get("done", {}), name: day}, "failed": left})


def _note_failed(product: Product, name: str, reason: Message) -> None:
    mark = _mark(product)
    before = mark.get("failed", {})
    since = before[name]["since"] if name in before else product.now()
    told = {**before, name: {"since": since, "reason": reason}}
    product.store.marks.set(_MARK, {**mark, "failed": told})


def _mark(product: Product) -> Mapping[str, Any]:
    return product.store.marks.get(_MARK) or {}
