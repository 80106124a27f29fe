"""What the present user did, written down with the old and the new value."""

import dataclasses
import json
from collections.abc import Mapping
from datetime import datetime

from dashboard.permissions import who
from dashboard.services import services


def record(action: str, subject: str, *, old: object = None, new: object = None) -> None:
    """Note what the present user did, after it was done.

    action: noun.verb (``case.decide``, ``site.add``), with words under ``audit.<action>`` in the translations.
    subject: kind:id (``case:12``). old, new: a string, or a record or mapping, of which only what differs is kept.
    """
    services().store.audit.add(services().clock(), who(), action, subject, *_values(old, new))


def _values(old: object, new: object) -> tuple[str | None, str | None]:
    before, after = _plain(old), _plain(new)
    if isinstance(before, dict) and isinstance(after, dict):
        before, after = (
            {name: value for name, value in one.items() if name not in other or other[name] != value}
            for one, other in ((before, after), (after, before))
        )
    return _written(before), _written(after)


def _plain(value: object) -> object:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    return dict(value) if isinstance(value, Mapping) else value


def _written(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=_text)


def _text(value: object) -> object:
    return value.isoformat() if isinstance(value, datetime) else str(value)
