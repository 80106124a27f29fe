"""A request comes back from its frontier as it went there."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy import Request
from scrapy.http import Response
from twisted.python.failure import Failure

from crawler.context import META_ENTRY, META_HOPS
from crawler.frontier.scheduler import FrontierSpider, decode_request, encode_request
from crawler.ports import FrontierEntry

ID = bytes(range(16))


class Walker(FrontierSpider):
    name = "walker"

    def chapter(self, response: Response) -> None:
        """Nothing to do."""

    def missed(self, failure: Failure) -> None:
        """Nothing to do."""


SPIDER = Walker()


@given(path=st.text(st.characters(exclude_categories=["Cs"]), max_size=20), hops=st.integers(0, 99), rank=st.integers())
def test_address_callbacks_meta_and_priority_are_kept(path: str, hops: int, rank: int) -> None:
    request = Request(
        f"http://a.test/{path}", callback=SPIDER.chapter, errback=SPIDER.missed, meta={META_HOPS: hops}, priority=rank
    )
    back = decode_request(FrontierEntry(ID, 0, encode_request(request, SPIDER)), SPIDER)
    assert (back.url, back.callback, back.errback, back.priority) == (
        request.url,
        SPIDER.chapter,
        SPIDER.missed,
        rank,
    )
    assert back.meta == {META_HOPS: hops, META_ENTRY: ID.hex()}


def test_what_is_no_method_of_the_spider_cannot_be_kept() -> None:
    other = Walker()
    with pytest.raises(AssertionError, match="no method of the spider"):
        encode_request(Request("http://a.test/", callback=other.chapter, errback=SPIDER.missed), SPIDER)
