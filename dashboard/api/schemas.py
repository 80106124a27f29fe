"""Schemas of what comes in and goes out; those of records are made from the records themselves."""

import dataclasses
import types
import typing
from collections.abc import Collection, Mapping
from datetime import UTC, date, datetime
from enum import StrEnum
from functools import cache
from typing import Any, Final

from marshmallow import Schema, ValidationError, fields, validate

from dashboard.frame.strict_arguments import EARLIEST, LATEST
from store.messages import Message
from store.records import Subject

FILE: Final[Mapping[str, str]] = {"type": "string", "format": "binary"}  # an answer's bytes


class Words(fields.String):
    """Text that can be stored: no lone surrogate."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        words = super()._deserialize(value, attr, data, **kwargs)
        assert isinstance(words, str)
        try:
            words.encode()
        except UnicodeEncodeError as error:
            raise ValidationError("holds a lone surrogate, which is no character") from error
        return words


def words(longest: int | None, *, least: int = 0, **more: Any) -> Words:
    """Text of so many characters; None: as many as the body may have bytes."""
    return Words(validate=validate.Length(min=least, max=longest), **more)


def _sane(value: date) -> None:
    if not EARLIEST <= value.year <= LATEST:
        raise ValidationError(f"the year has to be from {EARLIEST} to {LATEST}")


def moment(**more: Any) -> fields.AwareDateTime:
    """A time with its zone; one without is taken for UTC."""
    return fields.AwareDateTime(format="iso", default_timezone=UTC, validate=_sane, **more)


def day(**more: Any) -> fields.Date:
    """A day."""
    return fields.Date(validate=_sane, **more)


def choice(kind: type[StrEnum], **more: Any) -> fields.Enum[Any]:
    """One of these values."""
    return fields.Enum(kind, by_value=True, **more)


class ListQuery(Schema):
    """Which part of a list."""

    cursor = fields.String(metadata={"description": "`next` of the part before"})
    limit = fields.Integer(load_default=50, validate=validate.Range(1, 200))


@cache
def list_of(item: type[Schema]) -> type[Schema]:
    """Part of a list of these; `next` is null in the last one."""
    name = f"{item.__name__.removesuffix('Schema')}ListSchema"
    members: dict[str, fields.Field[Any]] = {
        "items": fields.List(fields.Nested(item), required=True),
        "next": fields.String(required=True, allow_none=True),
    }
    return Schema.from_dict(members, name=name)


_PLAIN: Final[dict[Any, type[fields.Field[Any]]]] = {
    str: fields.String,
    bool: fields.Boolean,
    int: fields.Integer,
    float: fields.Float,
    datetime: fields.AwareDateTime,
    date: fields.Date,
    Message: fields.String,  # in English
    Subject: fields.String,
}


def shown(
    kind: type,
    *,
    leave_out: Collection[str] = (),
    also: Mapping[str, fields.Field[Any]] | None = None,
    name: str | None = None,
) -> type[Schema]:
    """The schema of a record as it goes out, some fields left out and others added. name: where the record goes out in
    another form as well.
    """
    made = _shown(kind, frozenset(leave_out))
    return type(f"{name}Schema" if name else made.__name__, (made,), dict(also)) if also else made


@cache
def _shown(kind: type, leave_out: frozenset[str]) -> type[Schema]:
    hints = typing.get_type_hints(kind)
    names = [one.name for one in dataclasses.fields(kind)] if dataclasses.is_dataclass(kind) else list(hints)
    members = {name: _field(hints[name]) for name in names if name not in leave_out}
    suffix = "Schema" if not leave_out else "BriefSchema"
    return Schema.from_dict(members, name=f"{kind.__name__}{suffix}")


def _field(hint: Any) -> fields.Field[Any]:
    options: dict[str, Any] = {"required": True}
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        inner = [part for part in typing.get_args(hint) if part is not types.NoneType]
        options["allow_none"], hint = True, inner[0]
    origin = typing.get_origin(hint)
    if origin is tuple:
        first, *others = typing.get_args(hint)
        several = others == [Ellipsis]
        return fields.List(_field(first) if several else fields.Raw(), **options)
    if origin is list:
        return fields.List(_field(typing.get_args(hint)[0]), **options)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return fields.Dict(keys=fields.String(), values=fields.Raw(), **options)
    if hint in _PLAIN:
        return _PLAIN[hint](**options)
    if dataclasses.is_dataclass(hint) or hasattr(hint, "_fields"):
        return fields.Nested(shown(hint), **options)
    assert issubclass(hint, StrEnum)
    return fields.Enum(hint, by_value=True, **options)
