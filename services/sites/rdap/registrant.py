"""An answer about a domain (RFC 9083, section 5.3) → who registered it, through whom, since when. Pure."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from store.errors import Unreadable
from store.rules.storable import storable

_LONGEST: Final = 300  # characters of a value
_MOST: Final = 50  # values of a kind
_DEPTH: Final = 4  # entities within entities
_EVENTS: Final = {"registration": "registered_at", "expiration": "expires_at", "last changed": "changed_at"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Registered:
    """What an answer says; what it does not say, or hides, is empty."""

    domain: str
    registrar: str | None
    registrar_id: str | None  # IANA's number
    registrant: str | None
    abuse: tuple[str, ...]  # mail addresses and telephone numbers for complaints
    name_servers: tuple[str, ...]
    status: tuple[str, ...]
    registered_at: datetime | None
    expires_at: datetime | None
    changed_at: datetime | None


def registered(content: bytes) -> Registered:
    """Read an answer. Raises `Unreadable` where it is none about a domain."""
    try:
        told = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise Unreadable("rdap.unread") from error
    if not isinstance(told, dict) or told.get("objectClassName") != "domain":
        raise Unreadable("rdap.unread")
    entities = list(_entities(told, _DEPTH))
    registrar = next((one for one in entities if "registrar" in _roles(one)), {})
    registrant = next((one for one in entities if "registrant" in _roles(one)), {})
    abuse = [value for one in entities if "abuse" in _roles(one) for value in _card(one, "email", "tel")]
    servers = [_words(one.get("ldhName")) for one in _rows(told.get("nameservers"))]
    return Registered(
        domain=_words(told.get("ldhName")) or "",
        registrar=next(_card(registrar, "fn", "org"), None),
        registrar_id=next((_words(one.get("identifier")) for one in _rows(registrar.get("publicIds"))), None),
        registrant=next(_card(registrant, "org", "fn"), None),
        abuse=_distinct(abuse),
        name_servers=_distinct(one.lower() for one in servers if one),
        status=_distinct(word for one in _list(told.get("status")) if (word := _words(one))),
        **_events(told),
    )


def _entities(told: Mapping[str, Any], depth: int) -> Iterator[Mapping[str, Any]]:
    for one in _rows(told.get("entities")) if depth else ():
        yield one
        yield from _entities(one, depth - 1)


def _roles(entity: Mapping[str, Any]) -> list[Any]:
    return _list(entity.get("roles"))


def _card(entity: Mapping[str, Any], *names: str) -> Iterator[str]:
    """Values of a jCard (RFC 7095): ``["vcard", [[name, parameters, type, value, …], …]]``."""
    card = _list(entity.get("vcardArray"))
    rows = [row for row in _list(card[1] if len(card) > 1 else None) if isinstance(row, list) and len(row) > 3]
    for name in names:
        for row in rows:
            value = row[3][0] if isinstance(row[3], list) and row[3] else row[3]
            if row[0] == name and (said := _words(value)):
                yield said.removeprefix("tel:")


def _events(told: Mapping[str, Any]) -> dict[str, datetime | None]:
    found = dict.fromkeys(_EVENTS.values())
    for one in _rows(told.get("events")):
        action = one.get("eventAction")
        if isinstance(action, str) and action in _EVENTS:
            found[_EVENTS[action]] = _moment(one.get("eventDate"))
    return found


def _moment(value: Any) -> datetime | None:
    try:
        at = datetime.fromisoformat(value)
        return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC)
    except (TypeError, ValueError, OverflowError):
        return None


def _list(value: Any) -> list[Any]:
    return value[:_MOST] if isinstance(value, list) else []


def _rows(value: Any) -> list[dict[str, Any]]:
    return [one for one in _list(value) if isinstance(one, dict)]


def _words(value: Any) -> str | None:
    return storable(" ".join(value.split()))[:_LONGEST] or None if isinstance(value, str) else None


def _distinct(values: Any) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))[:_MOST]
