"""How many sites one machine crawls at a time."""

from typing import Final

import psutil

CRAWLER_BYTES: Final = 600_000_000  # what a crawl takes while others have the rest of the machine


def crawls_at_once(sites: int | None) -> int:
    """How many sites are crawled at a time: as many as were asked for, or as many as there is room for. A crawl waits
    for its hosts most of the time.
    """
    if sites is not None:
        return sites
    room = psutil.virtual_memory().available // CRAWLER_BYTES
    return max(1, min(4 * (psutil.cpu_count() or 1), room))
