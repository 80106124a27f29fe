"""A response as evidence: what the server sent, and what it said of it."""

import hashlib
from datetime import UTC, datetime

from scrapy.http import Headers, Response

from crawler.crawl.request_meta import NOT_RENDERED, RECEIVED_HEADERS, RENDERED, WARC_PLACE
from store.messages import Message
from store.records import Capture


def rendered_page(response: Response) -> bytes | None:
    """What a browser made of the page, in UTF-8, where one was asked; or what its feed holds, where that is more."""
    rendered: bytes | None = response.meta.get(RENDERED)
    return rendered


def capture(response: Response) -> Capture:
    """The record of a response; its body is as received, transfer and content encodings taken off."""
    received: Headers = response.meta.get(RECEIVED_HEADERS, response.headers)
    pairs = tuple(
        (name.decode("latin-1"), value.decode("latin-1")) for name, values in received.items() for value in values
    )
    problems: tuple[Message, ...] = (Message("page.short_body"),) if "dataloss" in response.flags else ()
    if NOT_RENDERED in response.meta:
        problems = (*problems, response.meta[NOT_RENDERED])
    rendered = rendered_page(response)
    return Capture(
        fetched_at=datetime.now(UTC),
        url=response.url,
        status=response.status,
        headers=pairs,
        body_digest=hashlib.sha256(response.body).hexdigest(),
        body_size=len(response.body),
        rendered_digest=None if rendered is None else hashlib.sha256(rendered).hexdigest(),
        warc=response.meta.get(WARC_PLACE),
        server_address=str(response.ip_address) if response.ip_address else None,
        problems=problems,
    )
