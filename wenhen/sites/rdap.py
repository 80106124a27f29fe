"""Query RDAP for the registration of a domain. This module runs in the sandboxed child process."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any, Final
from urllib.parse import urljoin, urlsplit

import httpx

from crawler.private_addresses import resolve_public_host
from wenhen.kit.errors import NotFound, Unavailable, Unreadable, failure
from wenhen.kit.size_and_time_limits import MAX_RDAP_BYTES
from wenhen.kit.text import to_storable

# Parsing of RDAP responses about a domain (RFC 9083, section 5.3), without I/O.


_MAX_TEXT_CHARACTERS: Final = 300  # characters per value
_MAX_VALUES: Final = 50  # values per field
_MAX_DEPTH: Final = 4  # nesting of entities
_EVENT_FIELDS: Final = {"registration": "registered_at", "expiration": "expires_at", "last changed": "changed_at"}


@dataclass(frozen=True, slots=True, kw_only=True)
class RegistrationData:
    """The data of an RDAP response. Missing or redacted data is None or empty."""

    domain: str
    registrar: str | None
    registrar_id: str | None  # number assigned by IANA
    registrant: str | None
    abuse: tuple[str, ...]  # mail addresses and telephone numbers for complaints
    name_servers: tuple[str, ...]
    status: tuple[str, ...]
    registered_at: datetime | None
    expires_at: datetime | None
    changed_at: datetime | None


def parse_registration(content: bytes) -> RegistrationData:
    """Parse an RDAP response. Raises `Unreadable` if it is not about a domain."""
    try:
        answer = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise Unreadable("rdap.unread") from error
    if not isinstance(answer, dict) or answer.get("objectClassName") != "domain":
        raise Unreadable("rdap.unread")
    entities = list(_entities(answer, _MAX_DEPTH))
    registrar = next((entity for entity in entities if "registrar" in _entity_roles(entity)), {})
    registrant = next((entity for entity in entities if "registrant" in _entity_roles(entity)), {})
    abuse = [
        value
        for entity in entities
        if "abuse" in _entity_roles(entity)
        for value in _vcard_values(entity, "email", "tel")
    ]
    servers = [_clean_text(server.get("ldhName")) for server in _as_objects(answer.get("nameservers"))]
    return RegistrationData(
        domain=_clean_text(answer.get("ldhName")) or "",
        registrar=next(_vcard_values(registrar, "fn", "org"), None),
        registrar_id=next(
            (_clean_text(public_id.get("identifier")) for public_id in _as_objects(registrar.get("publicIds"))), None
        ),
        registrant=next(_vcard_values(registrant, "org", "fn"), None),
        abuse=_distinct_values(abuse),
        name_servers=_distinct_values(server.lower() for server in servers if server),
        status=_distinct_values(word for status in _as_list(answer.get("status")) if (word := _clean_text(status))),
        **_parse_events(answer),
    )


def _entities(answer: Mapping[str, Any], depth: int) -> Iterator[Mapping[str, Any]]:
    for entity in _as_objects(answer.get("entities")) if depth else ():
        yield entity
        yield from _entities(entity, depth - 1)


def _entity_roles(entity: Mapping[str, Any]) -> list[Any]:
    return _as_list(entity.get("roles"))


def _vcard_values(entity: Mapping[str, Any], *names: str) -> Iterator[str]:
    """Yield values of a jCard (RFC 7095): ``["vcard", [[name, parameters, type, value, …], …]]``."""
    card = _as_list(entity.get("vcardArray"))
    rows = [row for row in _as_list(card[1] if len(card) > 1 else None) if isinstance(row, list) and len(row) > 3]
    for name in names:
        for row in rows:
            value = row[3][0] if isinstance(row[3], list) and row[3] else row[3]
            if row[0] == name and (text := _clean_text(value)):
                yield text.removeprefix("tel:")


def _parse_events(answer: Mapping[str, Any]) -> dict[str, datetime | None]:
    events = dict.fromkeys(_EVENT_FIELDS.values())
    for event in _as_objects(answer.get("events")):
        action = event.get("eventAction")
        if isinstance(action, str) and action in _EVENT_FIELDS:
            events[_EVENT_FIELDS[action]] = _parse_time(event.get("eventDate"))
    return events


def _parse_time(value: Any) -> datetime | None:
    try:
        moment = datetime.fromisoformat(value)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (TypeError, ValueError, OverflowError):
        return None


def _as_list(value: Any) -> list[Any]:
    return value[:_MAX_VALUES] if isinstance(value, list) else []


def _as_objects(value: Any) -> list[dict[str, Any]]:
    return [item for item in _as_list(value) if isinstance(item, dict)]


def _clean_text(value: Any) -> str | None:
    return to_storable(" ".join(value.split()))[:_MAX_TEXT_CHARACTERS] or None if isinstance(value, str) else None


def _distinct_values(values: Any) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))[:_MAX_VALUES]


# RDAP query (RFC 7480, 9082, 9083) in the sandboxed child, so that only the child parses responses. The bootstrap file
# of IANA (RFC 9224) lists the server of each top-level domain.


_TIMEOUT_SECONDS: Final = 10.0  # timeout of each network operation
_MAX_REDIRECTS: Final = 4  # redirects; a server may refer to another one (RFC 7480, section 5.2)
_MAX_ERROR_CHARACTERS: Final = 200  # characters of an error message
_RDAP_MEDIA_TYPE: Final = "application/rdap+json"


@dataclass(frozen=True, slots=True)
class DomainQuery:
    """A domain to query.

    bootstrap: URL of the bootstrap file of IANA.
    server: URL of a server that replaces the one from the bootstrap file, or "".
    private: whether servers may have a private address.
    """

    domain: str
    bootstrap: str
    server: str
    private: bool


@dataclass(frozen=True, slots=True)
class DomainResponse:
    """A response: its final URL, raw bytes and parsed data."""

    url: str
    content: bytes
    said: RegistrationData


def query_domain(question: DomainQuery) -> DomainResponse:
    """Query RDAP for a domain.

    Raises `NotFound` if no server is responsible or the domain is unknown, `Unavailable`, `Unreadable`.
    """
    server = question.server or _rdap_server(question)
    # A server from the settings is trusted. The address of any other server must be public.
    url, content = _get_response(f"{server.rstrip('/')}/domain/{question.domain}", question, own=bool(question.server))
    return DomainResponse(url, content, parse_registration(content))


def _rdap_server(question: DomainQuery) -> str:
    """Return the server for the longest known suffix of the domain, preferably with HTTPS."""
    try:
        services = json.loads(_get_response(question.bootstrap, question, own=True)[1])["services"]
        known = {str(name).lower(): [str(url) for url in urls] for names, urls, *_ in services for name in names}
    except (ValueError, KeyError, TypeError) as error:
        raise Unavailable("rdap.no_bootstrap", url=question.bootstrap) from error
    labels = question.domain.split(".")
    for start in range(len(labels)):
        urls = known.get(".".join(labels[start:]))
        if urls:
            return next((url for url in urls if url.startswith("https:")), urls[0])
    raise NotFound("rdap.no_server", domain=question.domain)


def _get_response(url: str, question: DomainQuery, *, own: bool) -> tuple[str, bytes]:
    """Return the final URL and the body of the response."""
    for _ in range(_MAX_REDIRECTS):
        with _open_response(url, private=own or question.private) as answer:
            if not answer.has_redirect_location:
                return url, _read_response(answer, url, question.domain)
            url, own = urljoin(url, answer.headers["Location"]), False
    raise Unavailable("rdap.silent", url=url, error="too many redirects")


@contextmanager
def _open_response(url: str, *, private: bool) -> Iterator[httpx.Response]:
    try:
        address = httpx.URL(url)
        # Connect to the address that was checked, because the name could resolve to another one later (DNS rebinding).
        host = address.host if private else resolve_public_host(address.host)
        headers = {"Host": address.netloc.decode(), "Accept": _RDAP_MEDIA_TYPE, "Accept-Encoding": "identity"}
        headers["User-Agent"] = f"wenhen/{version('wenhen')}"
        with (
            httpx.Client(timeout=_TIMEOUT_SECONDS, trust_env=False, follow_redirects=False) as client,
            client.stream(
                "GET", address.copy_with(host=host), headers=headers, extensions={"sni_hostname": address.host}
            ) as answer,
        ):
            yield answer
    except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
        raise Unavailable("rdap.silent", url=url, error=failure(error, _MAX_ERROR_CHARACTERS)) from error


def _read_response(answer: httpx.Response, url: str, domain: str) -> bytes:
    if answer.status_code == httpx.codes.NOT_FOUND:
        raise NotFound("rdap.unknown", domain=domain, server=urlsplit(url).hostname or url)
    if answer.status_code != httpx.codes.OK:
        raise Unavailable("rdap.silent", url=url, error=f"HTTP {answer.status_code}")
    body = b""
    for part in answer.iter_raw():
        body += part
        if len(body) > MAX_RDAP_BYTES:
            raise Unavailable("rdap.silent", url=url, error=f"> {MAX_RDAP_BYTES} bytes")
    return body
