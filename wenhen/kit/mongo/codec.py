"""Convert dataclass records to MongoDB documents and back, and derive their JSON schema."""

import dataclasses
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from functools import cache
from operator import attrgetter
from typing import Any, Final, NamedTuple, TypeVar, cast

from wenhen.kit.errors import BadInput, Message
from wenhen.kit.progress import Subject
from wenhen.kit.text import to_storable

KEPT_AS: Final = "kept_as"  # metadata key of a field: its name in the store, if that differs


# Conversion between records and MongoDB documents, by the fields and types of the dataclass. `id` becomes `_id`. Times
# are cut to milliseconds, as BSON does. Extra fields of a document are ignored. Missing fields get their default, so a
# new field with a default needs no migration. Some types have their own stored form (`STORED_FORMS`), and some fields
# their own stored name (`KEPT_AS`), which keeps older documents readable.


R = TypeVar("R")
Document = dict[str, Any]
PLAIN_TYPES: Final = frozenset((str, int, float, bool, bytes, type(None)))
Converter = Callable[[Any], Any]


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
    """Convert a value for BSON."""
    kind = type(value)
    if kind in PLAIN_TYPES:  # nearly all values
        return value
    return _encoder(kind)(value)  # type: ignore[arg-type]  # every type is hashable


@cache
def _encoder(kind: type) -> Converter:
    if form := STORED_FORMS.get(kind):
        return form.write
    if dataclasses.is_dataclass(kind):
        return _record_encoder(kind)
    return next((encoder for base, encoder in _ENCODERS_BY_BASE if issubclass(kind, base)), _encode_each)


def _record_encoder(kind: type) -> Converter:
    fields = [(field.name, stored_name(field)) for field in dataclasses.fields(kind)]
    if len(fields) < 2:
        return lambda record: {kept: encode(getattr(record, name)) for name, kept in fields}
    kept = [name for _, name in fields]
    values = attrgetter(*(name for name, _ in fields))

    def write(record: Any) -> Document:
        both = zip(kept, values(record), strict=True)
        return {name: value if type(value) in PLAIN_TYPES else encode(value) for name, value in both}

    return write


def _encode_mapping(value: Mapping[Any, Any]) -> Document:
    return {str(key): encode(item) for key, item in value.items()}


def _encode_each(value: Iterable[Any]) -> list[Any]:
    return [item if type(item) in PLAIN_TYPES else encode(item) for item in value]


def _identity(value: Any) -> Any:
    return value


def to_milliseconds(time: datetime) -> datetime:
    """Return the time in UTC, cut to milliseconds. Raises BadInput if it has no time zone."""
    if time.tzinfo is None:
        raise BadInput("store.no_zone", time=time.isoformat())
    time = time.astimezone(UTC)
    return time.replace(microsecond=time.microsecond // 1000 * 1000)


def split_optional(hint: Any) -> tuple[Any, bool]:
    """Return the inner type of an optional type, and whether None is allowed."""
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        inner = [part for part in typing.get_args(hint) if part is not types.NoneType]
        if len(inner) == 1:
            return inner[0], True
    return hint, False


def stored_name(field: "dataclasses.Field[Any]") -> str:
    """Return the name of a field in documents."""
    name: str = field.metadata.get(KEPT_AS, field.name)
    return name


@cache
def field_types(record_type: type) -> dict[str, Any]:
    """Return the type of each field, by name."""
    hints = typing.get_type_hints(record_type)
    return {field.name: hints[field.name] for field in dataclasses.fields(record_type)}


@cache
def _record_decoder(record_type: type) -> Converter:
    hints = field_types(record_type)
    decoders = [
        (field.name, stored_name(field), _decoder(hints[field.name])) for field in dataclasses.fields(record_type)
    ]

    def decode(values: Any) -> Any:
        return record_type(
            **{
                name: values[kept] if decode_value is _identity else decode_value(values[kept])
                for name, kept, decode_value in decoders
                if kept in values
            }
        )

    return decode


def _decoder(hint: Any) -> Converter:
    hint, optional = split_optional(hint)
    decode = _decoder_of_present(hint)
    if optional and decode is not _identity:
        return lambda value: None if value is None else decode(value)
    return decode


def _decoder_of_present(hint: Any) -> Converter:
    origin = typing.get_origin(hint)
    if origin is tuple:
        first, *others = typing.get_args(hint)
        if others == [Ellipsis]:
            decode_item = _decoder(first)
            return tuple if decode_item is _identity else lambda value: tuple(map(decode_item, value))
        each = [_decoder(first), *map(_decoder, others)]
        return lambda value: tuple(decode(item) for decode, item in zip(each, value, strict=True))
    if form := STORED_FORMS.get(hint):
        return form.read
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        return _record_decoder(hint)
    if isinstance(hint, type) and issubclass(hint, StrEnum | int | float | bytes) and hint is not bool:
        return hint
    return _identity


class StoredForm(NamedTuple):
    """How values of a type that is no plain record are stored: functions to write and read them, and their
    $jsonSchema.
    """

    write: Callable[[Any], Any]
    read: Callable[[Any], Any]
    schema: Document


def _write_message(message: Message) -> Document:
    figures = {
        name: to_storable(value) if isinstance(value, str) else encode(value) for name, value in message.figures.items()
    }
    return {"code": message.code, "figures": figures}


STORED_FORMS: Final[Mapping[Any, StoredForm]] = {
    Message: StoredForm(_write_message, Message.read, {"bsonType": ["object", "string"]}),
    Subject: StoredForm(str, Subject.read, {"bsonType": "string"}),
}
_ENCODERS_BY_BASE: Final[Sequence[tuple[Any, Converter]]] = (
    (StrEnum, attrgetter("value")),
    (datetime, to_milliseconds),
    ((str, int, float, bytes), _identity),
    (Mapping, _encode_mapping),
)


# The $jsonSchema of a collection, from its dataclass. Fields without a default are required.


BSON_TYPES: dict[Any, Any] = {
    str: "string",
    bool: "bool",
    int: ["int", "long"],
    float: "number",
    bytes: "binData",
    datetime: "date",
}


def schema_of(record_type: type, **extra: Document) -> Document:
    """Return the schema of documents with such a record, and with the `extra` properties."""
    schema = _object_schema(record_type)
    properties = {
        ("_id" if name == "id" else name): property_schema for name, property_schema in schema["properties"].items()
    }
    required = [("_id" if name == "id" else name) for name in schema["required"]]
    return {**schema, "properties": {**properties, **extra}, "required": required}


def _object_schema(record_type: type) -> Document:
    required = [
        stored_name(field)
        for field in dataclasses.fields(record_type)
        if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
    ]
    hints = field_types(record_type)
    properties = {stored_name(field): _property_schema(hints[field.name]) for field in dataclasses.fields(record_type)}
    return {"bsonType": "object", "required": required, "properties": properties}


def _property_schema(hint: Any) -> Document:
    hint, optional = split_optional(hint)
    schema = _required_schema(hint)
    if not optional:
        return schema
    if "enum" in schema:
        return {"enum": [*schema["enum"], None]}
    kinds = schema["bsonType"] if isinstance(schema["bsonType"], list) else [schema["bsonType"]]
    return {**schema, "bsonType": [*kinds, "null"]}


def _required_schema(hint: Any) -> Document:
    if typing.get_origin(hint) is tuple:
        first, *others = typing.get_args(hint)
        return (
            {"bsonType": "array", "items": _property_schema(first)} if others == [Ellipsis] else {"bsonType": "array"}
        )
    if form := STORED_FORMS.get(hint):
        return form.schema
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        return _object_schema(hint)
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return {"enum": [member.value for member in hint]}
    return {"bsonType": BSON_TYPES.get(hint, "object")}
