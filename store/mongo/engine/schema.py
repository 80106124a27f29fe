"""The $jsonSchema of a collection, from its record's dataclass: required is what has no default."""

import dataclasses
import typing
from datetime import datetime
from enum import StrEnum
from typing import Any

from store.mongo.engine.codec import FORMS, Document, field_types, kept_as, without_none

BSON_TYPES: dict[Any, Any] = {
    str: "string",
    bool: "bool",
    int: ["int", "long"],
    float: "number",
    bytes: "binData",
    datetime: "date",
}


def schema_of(record_type: type, **extra: Document) -> Document:
    """Return the schema of documents that hold such a record as the codec writes it, and the `extra` properties."""
    schema = _object(record_type)
    properties = {("_id" if name == "id" else name): one for name, one in schema["properties"].items()}
    required = [("_id" if name == "id" else name) for name in schema["required"]]
    return {**schema, "properties": {**properties, **extra}, "required": required}


def _object(record_type: type) -> Document:
    required = [
        kept_as(field)
        for field in dataclasses.fields(record_type)
        if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
    ]
    hints = field_types(record_type)
    properties = {kept_as(field): _property(hints[field.name]) for field in dataclasses.fields(record_type)}
    return {"bsonType": "object", "required": required, "properties": properties}


def _property(hint: Any) -> Document:
    hint, optional = without_none(hint)
    schema = _present(hint)
    if not optional:
        return schema
    if "enum" in schema:
        return {"enum": [*schema["enum"], None]}
    kinds = schema["bsonType"] if isinstance(schema["bsonType"], list) else [schema["bsonType"]]
    return {**schema, "bsonType": [*kinds, "null"]}


def _present(hint: Any) -> Document:
    if typing.get_origin(hint) is tuple:
        first, *others = typing.get_args(hint)
        return {"bsonType": "array", "items": _property(first)} if others == [Ellipsis] else {"bsonType": "array"}
    if form := FORMS.get(hint):
        return form.schema
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        return _object(hint)
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return {"enum": [one.value for one in hint]}
    return {"bsonType": BSON_TYPES.get(hint, "object")}
