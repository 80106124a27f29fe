"""A request as its frontier keeps it: its address, and what the spider needs to know of it."""

import json

from scrapy import Request, Spider

from crawler.crawl.frontier_port import Entry
from crawler.crawl.request_meta import ENTRY


def payload_of(request: Request, spider: Spider) -> bytes:
    """The request in JSON, its callbacks by their names in the spider."""
    kept = {"url": request.url, "meta": request.meta, "priority": request.priority}
    for name, call in (("callback", request.callback), ("errback", request.errback)):
        assert getattr(call, "__self__", None) is spider, f"{name} of {request} is no method of the spider"
        kept[name] = call.__name__  # type: ignore[union-attr]  # as was just seen
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def request_of(entry: Entry, spider: Spider) -> Request:
    """The request of an entry, as it was found."""
    kept = json.loads(entry.payload)
    return Request(
        kept["url"],
        callback=getattr(spider, kept["callback"]),
        errback=getattr(spider, kept["errback"]),
        meta=kept["meta"] | {ENTRY: entry.id.hex()},
        priority=kept["priority"],
    )
