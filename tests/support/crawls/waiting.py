"""Addresses that wait in the frontier of a run."""

import json
from collections.abc import Iterable

from crawler.ports import FrontierEntry, address_id
from wenhen.crawls.model import Run
from wenhen.runtime.wiring import App, open_frontier


def let_wait(product: App, run: Run, urls: Iterable[str]) -> None:
    """Enter addresses as a crawler of the run would."""
    frontier = open_frontier(product.settings, run, 10)
    frontier.begin()
    frontier.exchange(entered=[FrontierEntry(address_id(url), 0, json.dumps({"url": url}).encode()) for url in urls])
