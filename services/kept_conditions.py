"""Conditions on cases that are stored and asked again later."""

from collections.abc import Callable, Mapping
from typing import Any, Final, cast

from store.records import CaseConditions, CaseStatus, Level

_KINDS: Final[Mapping[str, Callable[[Any], object]]] = {"status": CaseStatus, "level": Level, "hosts": tuple}


def kept(where: CaseConditions) -> dict[str, object]:
    """The conditions as they may be stored."""
    return {name: value for name, value in where.items() if value is not None}


def conditions(stored: Mapping[str, object]) -> CaseConditions:
    """The conditions as they were before."""
    return cast("CaseConditions", {name: _KINDS.get(name, _itself)(value) for name, value in stored.items()})


def _itself(value: object) -> object:
    return value
