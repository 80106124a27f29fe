"""What the parts of a crawl leave for each other on a request: names in its `meta`, and flags of its response."""

from typing import Final

HOPS: Final = "hops"  # int: links followed from a start address; requests for robots.txt have none
ENTRY: Final = "entry"  # str: the id of the request's entry in the frontier, in hexadecimal
AGAIN: Final = "again"  # bool: a crawler that was not heard of any more may have fetched it before, or may still do so
PACE: Final = "pace"  # str: the request's name among those that ask a host
TARGET: Final = "target"  # str: address and port that a proxy is to reach, as the crawl's own rule found them
PROXIES_TRIED: Final = "proxies_tried"  # list[str]: the addresses of those that failed
RECEIVED_HEADERS: Final = "received_headers"  # Headers: as they came, before decompression takes Content-Encoding away
FEED_ITEM: Final = "feed_item"  # list[str]: address of a feed that holds the page's text, that as a page, what it says
WARC_PLACE: Final = "warc"  # WarcPlace: where the response is kept
RENDERED: Final = "rendered"  # bytes: what a browser made of the page, or its feed holds, in UTF-8
NOT_RENDERED: Final = "not_rendered"  # Message: why a browser could not
FOUND: Final = "found"  # Found | None: of a page that is stored, what it was when it was captured in this run

STORED: Final = "stored"  # the flag of a response that no server gave: the page need not be asked for now
