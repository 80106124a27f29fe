"""The old and the new value of an audit entry, as the log keeps them."""

import dataclasses
import json
from collections.abc import Mapping
from datetime import datetime


def written(old: object, new: object) -> tuple[str | None, str | None]:
    """Both as text: a string as it is, of two records or mappings what differs, as JSON.

    >>> written({"depth": 5, "tags": ()}, {"depth": 7, "tags": ()})
    ('{"depth": 5}', '{"depth": 7}')
    """
    before, after = _plain(old), _plain(new)
    if isinstance(before, dict) and isinstance(after, dict):
        before, after = (
            {name: value for name, value in one.items() if name not in other or other[name] != value}
            for one, other in ((before, after), (after, before))
        )
    return _text(before), _text(after)


def _plain(value: object) -> object:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    return dict(value) if isinstance(value, Mapping) else value


def _text(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=_told)


def _told(value: object) -> object:
    return value.isoformat() if isinstance(value, datetime) else str(value)
