"""Declare the parts of the API, derive marshmallow schemas from records, and page lists by opaque cursors."""

import base64
import binascii
import dataclasses
import re
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime
from enum import StrEnum
from functools import cache, cached_property, partial
from typing import Any, Final, TypeVar

from flask import Flask, Request, abort
from flask_smorest import Blueprint
from flask_smorest.fields import Upload
from marshmallow import RAISE, Schema, ValidationError, fields, validate
from webargs.flaskparser import FlaskParser

from dashboard.frame.requests import MAX_YEAR, MIN_YEAR, plain_file_name
from dashboard.frame.security import limit_calls, needs
from wenhen.kit.clock import PUBLICATION_FIELDS, day_or_moment, start_of_day
from wenhen.kit.errors import BadInput, Message
from wenhen.kit.progress import Subject
from wenhen.kit.rights import Right
from wenhen.reports.wording import REPORT_LANGUAGES

ApiView = TypeVar("ApiView", bound=Callable[..., Any])
T = TypeVar("T")


class _StrictParser(FlaskParser):
    """Refuse unknown arguments. A filter with a misspelled name would otherwise return everything."""

    DEFAULT_UNKNOWN_BY_LOCATION = {**FlaskParser.DEFAULT_UNKNOWN_BY_LOCATION, "query": RAISE}  # noqa: RUF012  webargs declares it so

    def load_json(self, req: Request, schema: Schema) -> Any:
        """Parse the JSON of a request. Refuse JSON that nests too deep, and numbers of thousands of digits."""
        try:
            return super().load_json(req, schema)
        except (RecursionError, ValueError):
            abort(400, "the JSON nests too deep, or has a number of too many digits")


class ApiBlueprint(Blueprint):
    """A part of the API below /api/v1.

    The operation ids, by which programs know the views, begin with `part`, which is the blueprint's name by default.
    """

    ARGUMENTS_PARSER = _StrictParser()

    def __init__(self, name: str, description: str, *, part: str | None = None) -> None:
        super().__init__(name, __name__, url_prefix="/api/v1", description=description)
        self.name = f"api-{name}"
        self._part = part or name
        limit_calls(self)

    def scope(self, right: Right) -> Callable[[ApiView], ApiView]:
        """Declare the right that a view requires, for permissions and for the description."""

        def mark(view: ApiView) -> ApiView:
            describe = self.doc(security=[{"bearer": [str(right)]}], operationId=f"{self._part}_{view.__name__}")
            described: ApiView = describe(needs(right)(view))
            return described

        return mark

    def register_views_in_doc(self, api: Any, app: Flask, spec: Any, *, name: str, parameters: Any) -> None:
        """Defer the description until the first request for it. It takes longer than the rest of a start."""
        api.to_describe.append(partial(super().register_views_in_doc, api, app, spec, name=name, parameters=parameters))


# Schemas of requests and answers. Schemas of records are derived from the records.


JsonObject = dict[str, Any]  # validated arguments of a request, or an answer
FILE_SCHEMA: Final[Mapping[str, str]] = {"type": "string", "format": "binary"}  # the bytes of an answer


_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


class Words(fields.String):
    """A string without lone surrogates, which cannot be stored."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        words = super()._deserialize(value, attr, data, **kwargs)
        assert isinstance(words, str)
        try:
            words.encode()
        except UnicodeEncodeError as error:
            raise ValidationError("holds a lone surrogate, which is no character") from error
        return words


OPTIONAL: Final[Mapping[str, Any]] = {"load_default": None, "allow_none": True}  # options of a field that may be null


def text_field(longest: int | None, *, least: int = 0, **more: Any) -> Words:
    """Return a field for text of at most `longest` characters. None leaves only the limit of the body."""
    return Words(validate=validate.Length(min=least, max=longest), **more)


def _check_year(value: date) -> None:
    if not MIN_YEAR <= value.year <= MAX_YEAR:
        raise ValidationError(f"the year has to be from {MIN_YEAR} to {MAX_YEAR}")


def moment_field(**more: Any) -> fields.AwareDateTime:
    """Return a field for a time with zone. A time without a zone is UTC."""
    return fields.AwareDateTime(format="iso", default_timezone=UTC, validate=_check_year, **more)


def day_field(**more: Any) -> fields.Date:
    """Return a field for a day."""
    return fields.Date(validate=_check_year, **more)


class PublicationTime(fields.String):
    """A day, or a time with zone. A day is one of China, and stays a day. A time without a zone is UTC."""

    def _serialize(self, value: Any, *_: object, **__: object) -> str | None:
        return None if value is None else day_or_moment(value).isoformat()

    def _deserialize(self, value: Any, attr: str | None, data: Any, **_: object) -> Any:
        if isinstance(value, str) and _DAY.fullmatch(value):
            return start_of_day(day_field().deserialize(value, attr, data))
        return moment_field().deserialize(value, attr, data)


def publication_field(**more: Any) -> PublicationTime:
    """Return a field for the time of a publication, of which many know only the day."""
    metadata = {"description": "a day (2024-05-01), or a time with zone"} | more.pop("metadata", {})
    return PublicationTime(metadata=metadata, **more)


UploadedFile = tuple[str, bytes]


class FileField(Upload):
    """An uploaded file. A view gets its name without folders, and its bytes."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> UploadedFile:
        file = super()._deserialize(value, attr, data, **kwargs)
        return plain_file_name(file), file.read()


def choice_field(kind: type[StrEnum], **more: Any) -> fields.Enum[Any]:
    """Return a field for the values of an enumeration."""
    return fields.Enum(kind, by_value=True, **more)


class ListQuery(Schema):
    """The cursor and the length of one page of a list."""

    cursor = fields.String(metadata={"description": "`next` of the part before"})
    limit = fields.Integer(load_default=50, validate=validate.Range(1, 200))


def list_conditions(query: JsonObject) -> JsonObject:
    """Return the conditions of a list without its order and its page."""
    return {name: value for name, value in query.items() if name not in ("order", "cursor", "limit")}


@cache
def list_schema(item: type[Schema]) -> type[Schema]:
    """Return the schema of one page of a list. `next` is null on the last page."""
    name = f"{item.__name__.removesuffix('Schema')}ListSchema"
    members: dict[str, fields.Field[Any]] = {
        "items": fields.List(fields.Nested(item), required=True),
        "next": fields.String(required=True, allow_none=True),
    }
    return Schema.from_dict(members, name=name)


_PUBLISHED_NAMES: Final = {"ExportedFile": "LeftFile", "FailedRecord": "SetAside"}  # kept for existing clients
_FIELD_BY_TYPE: Final[dict[Any, type[fields.Field[Any]]]] = {
    str: fields.String,
    bool: fields.Boolean,
    int: fields.Integer,
    float: fields.Float,
    datetime: fields.AwareDateTime,
    date: fields.Date,
    Message: fields.String,  # in English
    Subject: fields.String,
}


def record_schema(
    kind: type,
    *,
    leave_out: tuple[str, ...] = (),
    computed: tuple[str, ...] = (),
    also: Mapping[str, fields.Field[Any]] | None = None,
    name: str | None = None,
) -> type[Schema]:
    """Return the schema of a record without the fields in `leave_out`, and with those in `also`.

    `computed` names properties of the record. `name` distinguishes the schema if the API has the record in another form
    as well.
    """
    if also or name:
        return _make_record_schema(kind, leave_out, computed, also or {}, name)
    return _cached_record_schema(kind, leave_out, computed)


def _make_record_schema(
    kind: type,
    leave_out: tuple[str, ...],
    computed: tuple[str, ...],
    also: Mapping[str, fields.Field[Any]] = types.MappingProxyType({}),
    name: str | None = None,
) -> type[Schema]:
    hints = typing.get_type_hints(kind)
    names = [field.name for field in dataclasses.fields(kind)] if dataclasses.is_dataclass(kind) else list(hints)
    hints |= {property: typing.get_type_hints(_getter(kind, property))["return"] for property in computed}
    members = {
        field: also[field] if field in also else _field_for_name(field, hints[field])
        for field in (*names, *computed)
        if field not in leave_out
    }
    published = _PUBLISHED_NAMES.get(kind.__name__, kind.__name__) + ("Brief" if leave_out else "")
    return Schema.from_dict(members | dict(also), name=f"{name or published}Schema")


_cached_record_schema = cache(_make_record_schema)  # one schema for all views that name the record


def _getter(kind: type, name: str) -> Callable[..., Any]:
    """Return the function behind a property."""
    found: property | cached_property[Any] = getattr(kind, name)
    getter = found.fget if isinstance(found, property) else found.func
    assert getter
    return getter


def _field_for_name(name: str, hint: Any) -> fields.Field[Any]:
    return publication_field(required=True, allow_none=True) if name in PUBLICATION_FIELDS else _field_for_type(hint)


def _field_for_type(hint: Any) -> fields.Field[Any]:
    options: dict[str, Any] = {"required": True}
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        inner = [part for part in typing.get_args(hint) if part is not types.NoneType]
        options["allow_none"], hint = True, inner[0]
    origin = typing.get_origin(hint)
    if origin is tuple:
        first, *others = typing.get_args(hint)
        several = others == [Ellipsis]
        return fields.List(_field_for_type(first) if several else fields.Raw(), **options)
    if origin is list:
        return fields.List(_field_for_type(typing.get_args(hint)[0]), **options)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return fields.Dict(keys=fields.String(), values=fields.Raw(), **options)
    if hint in _FIELD_BY_TYPE:
        return _FIELD_BY_TYPE[hint](**options)
    if dataclasses.is_dataclass(hint) or hasattr(hint, "_fields"):
        return fields.Nested(record_schema(hint), **options)
    assert issubclass(hint, StrEnum)
    return fields.Enum(hint, by_value=True, **options)


def record_fields(record: Any) -> JsonObject:
    """Return the fields of a dataclass by name, for an answer that has more than them. Inner records stay whole."""
    return {field.name: getattr(record, field.name) for field in dataclasses.fields(record)}


class IdQuery(Schema):
    """The id of a record. It may contain any character, so it is an argument instead of a path segment."""

    id = text_field(1000, least=1, required=True)


# Cursors: opaque strings that tell where the next page of a list begins.


_CURSOR_FORM: Final = re.compile(r"([a-z]+):([0-9]{1,12})")


def encode_cursor(kind: str, place: int) -> str:
    """Encode a cursor: the number of rows to skip, or the number of the last record."""
    return base64.urlsafe_b64encode(f"{kind}:{place}".encode()).decode().rstrip("=")


def decode_cursor(given: str | None, kind: str) -> int | None:
    """Decode a cursor of this kind. Raise BadInput for a foreign cursor, or one of another list."""
    if given is None:
        return None
    try:
        text = base64.b64decode(given + "=" * (-len(given) % 4), altchars=b"-_", validate=True).decode("ascii")
    except (binascii.Error, ValueError):
        text = ""
    form = _CURSOR_FORM.fullmatch(text)
    if form is None or form[1] != kind:
        raise BadInput("asked.cursor")
    return int(form[2])


def page_by_rows(query: JsonObject, find: Callable[[int, int], Sequence[T]], kind: str = "rows") -> JsonObject:
    """Return one page of a list that can skip rows. `find` takes the rows to skip and the limit."""
    skip, limit = decode_cursor(query.get("cursor"), kind) or 0, query["limit"]
    rows = find(skip, limit + 1)
    return {"items": rows[:limit], "next": encode_cursor(kind, skip + limit) if len(rows) > limit else None}


def page_by_number(
    query: JsonObject, find: Callable[[int | None, int], Sequence[T]], number: Callable[[T], int]
) -> JsonObject:
    """Return one page of a list ordered by a number. Records added meanwhile do not shift the pages."""
    limit = query["limit"]
    rows = find(decode_cursor(query.get("cursor"), "number"), limit + 1)
    more = len(rows) > limit
    return {"items": rows[:limit], "next": encode_cursor("number", number(rows[limit - 1])) if more else None}


class LanguageQuery(Schema):
    """The language of a report."""

    language = fields.String(
        validate=validate.OneOf(REPORT_LANGUAGES), metadata={"description": "by default Chinese and English"}
    )
