"""One look-up of a domain by RDAP (RFC 7480, 9082, 9083). It runs in the bounded child, which alone reads what comes.

Who answers for a name stands in IANA's bootstrap file (RFC 9224).
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from typing import Final
from urllib.parse import urljoin, urlsplit

import httpx

from services.sites.rdap.registrant import Registered, registered
from services.webhooks.resolve_public_host import public_address
from store.errors import NotFound, Unavailable
from store.failures import failure

LARGEST: Final = 2 << 20  # bytes of an answer; the bootstrap file has some 60,000
_TIMEOUT: Final = 10.0  # seconds for each part of it
_HOPS: Final = 4  # redirects: a server may know who knows (RFC 7480, section 5.2)
_TOLD: Final = 200  # characters of what went wrong
_KIND: Final = "application/rdap+json"


@dataclass(frozen=True, slots=True)
class DomainQuestion:
    """A domain, as it is looked up. bootstrap: address of IANA's file; server: asked instead of what that names;
    private: what answers may be in a private network.
    """

    domain: str
    bootstrap: str
    server: str
    private: bool


@dataclass(frozen=True, slots=True)
class DomainAnswer:
    """What came: from where, the bytes, and what they say."""

    url: str
    content: bytes
    said: Registered


def ask(question: DomainQuestion) -> DomainAnswer:
    """Look the domain up. NotFound: nobody answers for such names, or knows this one; `Unavailable`; `Unreadable`."""
    server = question.server or _server(question)
    # What the settings name is the operator's own word; what others name is looked at first.
    url, content = _got(f"{server.rstrip('/')}/domain/{question.domain}", question, own=bool(question.server))
    return DomainAnswer(url, content, registered(content))


def _server(question: DomainQuestion) -> str:
    """Who answers for the longest ending of the name that the bootstrap file knows; by TLS where it can be."""
    try:
        services = json.loads(_got(question.bootstrap, question, own=True)[1])["services"]
        known = {str(name).lower(): [str(url) for url in urls] for names, urls, *_ in services for name in names}
    except (ValueError, KeyError, TypeError) as error:
        raise Unavailable("rdap.no_bootstrap", url=question.bootstrap) from error
    labels = question.domain.split(".")
    for at in range(len(labels)):
        urls = known.get(".".join(labels[at:]))
        if urls:
            return next((url for url in urls if url.startswith("https:")), urls[0])
    raise NotFound("rdap.no_server", domain=question.domain)


def _got(url: str, question: DomainQuestion, *, own: bool) -> tuple[str, bytes]:
    """The answer at an address and where it was found at last."""
    for _ in range(_HOPS):
        with _asked(url, private=own or question.private) as answer:
            if not answer.has_redirect_location:
                return url, _body(answer, url, question.domain)
            url, own = urljoin(url, answer.headers["Location"]), False
    raise Unavailable("rdap.silent", url=url, error="too many redirects")


@contextmanager
def _asked(url: str, *, private: bool) -> Iterator[httpx.Response]:
    try:
        address = httpx.URL(url)
        # The address that was looked at is the one that is called: a name could change its mind in between.
        host = address.host if private else public_address(address.host)
        headers = {"Host": address.netloc.decode(), "Accept": _KIND, "Accept-Encoding": "identity"}
        headers["User-Agent"] = f"wenhen/{version('wenhen')}"
        with (
            httpx.Client(timeout=_TIMEOUT, trust_env=False, follow_redirects=False) as client,
            client.stream(
                "GET", address.copy_with(host=host), headers=headers, extensions={"sni_hostname": address.host}
            ) as answer,
        ):
            yield answer
    except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
        raise Unavailable("rdap.silent", url=url, error=failure(error, _TOLD)) from error


def _body(answer: httpx.Response, url: str, domain: str) -> bytes:
    if answer.status_code == httpx.codes.NOT_FOUND:
        raise NotFound("rdap.unknown", domain=domain, server=urlsplit(url).hostname or url)
    if answer.status_code != httpx.codes.OK:
        raise Unavailable("rdap.silent", url=url, error=f"HTTP {answer.status_code}")
    body = b""
    for part in answer.iter_raw():
        body += part
        if len(body) > LARGEST:
            raise Unavailable("rdap.silent", url=url, error=f"> {LARGEST} bytes")
    return body
