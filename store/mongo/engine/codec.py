"""Records to MongoDB documents and back, by the fields and types of the record's dataclass.

`id` is the document's `_id`. Times lose what is below a millisecond, which is all that BSON keeps. What a document
holds beyond the record's fields is left alone; what it lacks gets the field's default, so that a new field with a
default needs no migration. A few types have a form of their own (`FORMS`), and a few fields a name of their own
(`KEPT_AS`), which keeps documents of before readable.
"""

import dataclasses
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from functools import cache
from operator import attrgetter
from typing import Any, Final, NamedTuple, TypeVar, cast

from store.errors import BadInput
from store.messages import Message
from store.records.web.run import KEPT_AS, Subject
from store.rules.storable import storable

R = TypeVar("R")
Document = dict[str, Any]
PLAIN: Final = frozenset((str, int, float, bool, bytes, type(None)))
Code = Callable[[Any], Any]


def to_document(record: Any) -> Document:
    """Return the record as a document with `_id`."""
    document: Document = encode(record)
    if "id" in document:
        document = {"_id": document.pop("id"), **document}
    return document


def from_document(record_type: type[R], document: Mapping[str, Any]) -> R:
    """Return the record that the document holds."""
    values = dict(document)
    if "_id" in values:
        values.setdefault("id", values["_id"])
    record: R = _record_decoder(cast("type", record_type))(values)
    return record


def encode(value: Any) -> Any:
    """Return the value as BSON takes it."""
    kind = type(value)
    if kind in PLAIN:  # nearly all are
        return value
    return _encoder(kind)(value)  # type: ignore[arg-type]  # every type can be hashed


@cache
def _encoder(kind: type) -> Code:
    if form := FORMS.get(kind):
        return form.write
    if dataclasses.is_dataclass(kind):
        return _record_encoder(kind)
    return next((encoder for base, encoder in _BY_BASE if issubclass(kind, base)), _encode_each)


def _record_encoder(kind: type) -> Code:
    fields = [(field.name, kept_as(field)) for field in dataclasses.fields(kind)]
    if len(fields) < 2:
        return lambda record: {kept: encode(getattr(record, name)) for name, kept in fields}
    kept = [name for _, name in fields]
    values = attrgetter(*(name for name, _ in fields))

    def write(record: Any) -> Document:
        both = zip(kept, values(record), strict=True)
        return {name: value if type(value) in PLAIN else encode(value) for name, value in both}

    return write


def _encode_mapping(value: Mapping[Any, Any]) -> Document:
    return {str(key): encode(item) for key, item in value.items()}


def _encode_each(value: Iterable[Any]) -> list[Any]:
    return [one if type(one) in PLAIN else encode(one) for one in value]


def _as_it_is(value: Any) -> Any:
    return value


def milliseconds(time: datetime) -> datetime:
    """Return the time in UTC, cut to whole milliseconds. BadInput: it has no time zone."""
    if time.tzinfo is None:
        raise BadInput("store.no_zone", time=time.isoformat())
    time = time.astimezone(UTC)
    return time.replace(microsecond=time.microsecond // 1000 * 1000)


def without_none(hint: Any) -> tuple[Any, bool]:
    """Return the type inside an optional one, and whether None is allowed."""
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        inner = [part for part in typing.get_args(hint) if part is not types.NoneType]
        if len(inner) == 1:
            return inner[0], True
    return hint, False


def kept_as(field: "dataclasses.Field[Any]") -> str:
    """Return the name of a field in documents."""
    name: str = field.metadata.get(KEPT_AS, field.name)
    return name


@cache
def field_types(record_type: type) -> dict[str, Any]:
    """Return the type of each field, by name."""
    hints = typing.get_type_hints(record_type)
    return {field.name: hints[field.name] for field in dataclasses.fields(record_type)}


@cache
def _record_decoder(record_type: type) -> Code:
    hints = field_types(record_type)
    decoders = [(one.name, kept_as(one), _decoder(hints[one.name])) for one in dataclasses.fields(record_type)]

    def decode(values: Any) -> Any:
        return record_type(
            **{
                name: values[kept] if one is _as_it_is else one(values[kept])
                for name, kept, one in decoders
                if kept in values
            }
        )

    return decode


def _decoder(hint: Any) -> Code:
    hint, optional = without_none(hint)
    decode = _decoder_of_present(hint)
    if optional and decode is not _as_it_is:
        return lambda value: None if value is None else decode(value)
    return decode


def _decoder_of_present(hint: Any) -> Code:
    origin = typing.get_origin(hint)
    if origin is tuple:
        first, *others = typing.get_args(hint)
        if others == [Ellipsis]:
            one = _decoder(first)
            return tuple if one is _as_it_is else lambda value: tuple(map(one, value))
        each = [_decoder(first), *map(_decoder, others)]
        return lambda value: tuple(decode(item) for decode, item in zip(each, value, strict=True))
    if form := FORMS.get(hint):
        return form.read
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        return _record_decoder(hint)
    if isinstance(hint, type) and issubclass(hint, StrEnum | int | float | bytes) and hint is not bool:
        return hint
    return _as_it_is


class Form(NamedTuple):
    """How values of a type are kept that are no plain records: written, read, and their $jsonSchema."""

    write: Callable[[Any], Any]
    read: Callable[[Any], Any]
    schema: Document


def _write_message(message: Message) -> Document:
    figures = {name: storable(one) if isinstance(one, str) else encode(one) for name, one in message.figures.items()}
    return {"code": message.code, "figures": figures}


FORMS: Final[Mapping[Any, Form]] = {
    Message: Form(_write_message, Message.read, {"bsonType": ["object", "string"]}),
    Subject: Form(str, Subject.read, {"bsonType": "string"}),
}
_BY_BASE: Final[Sequence[tuple[Any, Code]]] = (
    (StrEnum, attrgetter("value")),
    (datetime, milliseconds),
    ((str, int, float, bytes), _as_it_is),
    (Mapping, _encode_mapping),
)
