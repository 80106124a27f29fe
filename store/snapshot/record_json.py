"""Records as JSON and back, by the fields and types of their dataclasses; bytes in Base64."""

from collections.abc import Hashable, Sequence
from functools import cache
from typing import Any, TypeVar, cast

from pydantic import ConfigDict, TypeAdapter

R = TypeVar("R")


@cache
def _form(kind: Hashable) -> TypeAdapter[Any]:
    # The config of a dataclass cannot be given; that of a list of them holds for what is inside.
    return TypeAdapter(
        list[kind],  # type: ignore[valid-type]  # it is a type of records
        config=ConfigDict(ser_json_bytes="base64", val_json_bytes="base64"),
    )


def as_json(kind: type[R], records: Sequence[R]) -> str:
    """Records of one kind, on one line."""
    return _form(cast(Hashable, kind)).dump_json(list(records)).decode()


def from_json(kind: type[R], line: str | bytes) -> list[R]:
    """The records again."""
    records: list[R] = _form(cast(Hashable, kind)).validate_json(line)
    return records
