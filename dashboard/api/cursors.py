"""Cursors: where the next part of a list begins, in a form that callers need not understand."""

import base64
import binascii
import re
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

from store.errors import BadInput

T = TypeVar("T")
_FORM: Final = re.compile(r"([a-z]+):([0-9]{1,12})")


def cursor(kind: str, place: int) -> str:
    """The cursor for a place: rows to skip, or the number to go on from."""
    return base64.urlsafe_b64encode(f"{kind}:{place}".encode()).decode().rstrip("=")


def place(given: str | None, kind: str) -> int | None:
    """The place that a cursor of this kind names. BadInput: it is none of ours, or of another list."""
    if given is None:
        return None
    try:
        text = base64.b64decode(given + "=" * (-len(given) % 4), altchars=b"-_", validate=True).decode("ascii")
    except (binascii.Error, ValueError):
        text = ""
    form = _FORM.fullmatch(text)
    if form is None or form[1] != kind:
        raise BadInput("asked.cursor")
    return int(form[2])


def by_rows(
    query: dict[str, Any], find: Callable[[int, int], Sequence[T]], kind: str = "rows"
) -> dict[str, Sequence[T] | str | None]:
    """Part of a list that can skip rows; `find` takes how many to skip, and how many are wanted."""
    skip, limit = place(query.get("cursor"), kind) or 0, query["limit"]
    found = find(skip, limit + 1)
    return {"items": found[:limit], "next": cursor(kind, skip + limit) if len(found) > limit else None}


def by_number(
    query: dict[str, Any], find: Callable[[int | None, int], Sequence[T]], number: Callable[[T], int]
) -> dict[str, Sequence[T] | str | None]:
    """Part of a list in the order of a number: what is added meanwhile moves nothing from one to the next."""
    limit = query["limit"]
    found = find(place(query.get("cursor"), "number"), limit + 1)
    more = len(found) > limit
    return {"items": found[:limit], "next": cursor("number", number(found[limit - 1])) if more else None}
