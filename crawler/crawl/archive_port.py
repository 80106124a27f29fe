"""Where every response of a crawl is kept as evidence: the port."""

from typing import Protocol

from scrapy import Request
from scrapy.http import Response

from crawler.crawl.connection import Connection
from store.records import WarcPlace


class Archive(Protocol):
    """May be written to by several threads."""

    def write(self, request: Request, response: Response, connection: Connection) -> WarcPlace:
        """Keep the three, for good when this returns. Raises `store.errors.Unavailable`."""

    def close(self) -> None:
        """Nothing more comes."""
