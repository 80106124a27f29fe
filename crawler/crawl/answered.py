"""A request and its answer in the bytes that an archive keeps of them."""

from http import HTTPStatus
from typing import NamedTuple
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.http import Headers, Response

from crawler.crawl.connection import Connection
from crawler.crawl.request_meta import AGAIN

UNKNOWN = Connection()


class Answered(NamedTuple):  # it goes to another process for every answer: no other form is packed as fast
    """Lines are the first of a message and its headers, as they went over the wire. address: of the server; again: its
    crawler was not heard of any more, so that it may have been fetched before.
    """

    url: str
    asked: tuple[bytes, ...]
    question: bytes
    answered: tuple[bytes, ...]
    body: bytes
    address: str | None
    cut_short: bool
    again: bool
    connection: Connection


def answered(request: Request, response: Response, connection: Connection = UNKNOWN) -> Answered:
    """What is kept. Scrapy does not tell the words of a status line, so the usual ones stand there."""
    parts = urlsplit(request.url)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    asked = [f"{request.method} {target} HTTP/1.1".encode()]
    if "Host" not in request.headers:
        asked.append(b"Host: " + parts.netloc.rpartition("@")[2].encode())
    status = f"{response.protocol or 'HTTP/1.1'} {response.status} {_phrase(response.status)}".encode()
    return Answered(
        request.url,
        (*asked, *_lines(request.headers)),
        request.body,
        (status, *_lines(response.headers)),
        response.body,
        str(response.ip_address) if response.ip_address else None,
        "dataloss" in response.flags,
        bool(request.meta.get(AGAIN)),
        connection,
    )


def _lines(headers: Headers) -> list[bytes]:
    return [name + b": " + value for name, values in headers.items() for value in values]


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Unknown"
