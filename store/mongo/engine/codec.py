"""Records to MongoDB documents and back, by the fields and types of the record's dataclass.

`id` is the document's `_id`. Times lose what is below a millisecond, which is all that BSON keeps. What a document
holds beyond the record's fields is left alone; what it lacks gets the field's default, so that a new field with a
default needs no migration. A few types have a form of their own (`FORMS`), and a few fields a name of their own
(`KEPT_AS`), which keeps documents of before readable.
"""

import dataclasses
import types
import typing
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from enum import StrEnum
from functools import cache
from typing import Any, Final, NamedTuple, TypeVar, cast

from store.errors import BadInput
from store.messages import Message
from store.records.web.run import KEPT_AS, Subject
from store.rules.storable import storable

R = TypeVar("R")
Document = dict[str, Any]
PLAIN: Final = frozenset((str, int, float, bool, bytes, type(None)))
Decode = Callable[[Any], Any]


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
    if type(value) in PLAIN:  # nearly all are
        return value
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, datetime):
        return milliseconds(value)
    if value is None or isinstance(value, str | int | float | bytes):
        return value
    if form := FORMS.get(type(value)):
        return form.write(value)
    return _encode_parts(value)


def _encode_parts(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {kept: encode(getattr(value, name)) for name, kept in _names(type(value))}
    if isinstance(value, Mapping):
        return {str(key): encode(item) for key, item in value.items()}
    return [encode(item) for item in value]


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
def _names(record_type: type) -> list[tuple[str, str]]:
    """Return the fields of a record, each with its name in documents."""
    return [(field.name, kept_as(field)) for field in dataclasses.fields(record_type)]


@cache
def field_types(record_type: type) -> dict[str, Any]:
    """Return the type of each field, by name."""
    hints = typing.get_type_hints(record_type)
    return {field.name: hints[field.name] for field in dataclasses.fields(record_type)}


@cache
def _record_decoder(record_type: type) -> Decode:
    hints = field_types(record_type)
    decoders = [(one.name, kept_as(one), _decoder(hints[one.name])) for one in dataclasses.fields(record_type)]

    def decode(values: Any) -> Any:
        return record_type(**{name: one(values[kept]) for name, kept, one in decoders if kept in values})

    return decode


def _decoder(hint: Any) -> Decode:
    hint, optional = without_none(hint)
    decode = _decoder_of_present(hint)
    if optional:
        return lambda value: None if value is None else decode(value)
    return decode


def _decoder_of_present(hint: Any) -> Decode:
    origin = typing.get_origin(hint)
    if origin is tuple:
        first, *others = typing.get_args(hint)
        if others == [Ellipsis]:
            one = _decoder(first)
            return lambda value: tuple(one(item) for item in value)
        each = [_decoder(first), *map(_decoder, others)]
        return lambda value: tuple(decode(item) for decode, item in zip(each, value, strict=True))
    if form := FORMS.get(hint):
        return form.read
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        return _record_decoder(hint)
    if isinstance(hint, type) and issubclass(hint, StrEnum | int | float | bytes) and hint is not bool:
        return hint
    return lambda value: value


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
