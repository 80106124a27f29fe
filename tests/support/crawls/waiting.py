"""Addresses that wait in the frontier of a run."""

import json
from collections.abc import Iterable

from crawler.crawl.frontier_port import Entry, address_id
from store.records import Run
from wenhen.wiring import App, frontier_of


def let_wait(product: App, run: Run, urls: Iterable[str]) -> None:
    """Enter addresses as a crawler of the run would."""
    frontier = frontier_of(product.settings, run, 10)
    frontier.begin()
    frontier.exchange(entered=[Entry(address_id(url), 0, json.dumps({"url": url}).encode()) for url in urls])
