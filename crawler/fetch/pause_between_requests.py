"""The pause between two requests to a host: by how quickly it answers, and never below what its robots.txt asks for.

All crawlers together keep to it by `crawler.fetch.pace_middleware`.
"""

from typing import Any

from scrapy.core.downloader import Downloader, Slot
from scrapy.extensions.throttle import AutoThrottle
from scrapy.http import Response
from scrapy.utils.httpobj import urlparse_cached

from crawler.crawl.host_rests import LONGEST_WAIT
from store.rules.web.page_after_capture import NOT_MODIFIED


def heed_crawl_delay(downloader: Downloader, host: str, asked: float) -> None:
    """Take Crawl-delay (of no standard, but asked for by many) as the least pause between two requests."""
    if not asked > 0:  # also for "nan"
        return
    floor = max(downloader.settings.getfloat("DOWNLOAD_DELAY"), min(asked, LONGEST_WAIT))
    # Slots come and go; this is kept.
    downloader.per_slot_settings[host] = {"delay": floor, "jitter": 0.0}
    if slot := downloader.slots.get(host):
        slot.delay, slot.jitter = max(slot.delay, floor), 0.0


class PatientAutoThrottle(AutoThrottle):
    """Never goes below the pause that robots.txt asks for.

    Scrapy lets no answer but a 200 shorten the pause, as errors come quickly. "Not modified" is as good as that: where
    most pages are unchanged, one slow moment would otherwise hold up all the rest of the crawl.
    """

    def _adjust_delay(self, slot: Slot, latency: float, response: Response) -> None:
        unchanged = response.status == NOT_MODIFIED
        super()._adjust_delay(slot, latency, response.replace(status=200) if unchanged else response)
        downloader: Any = self.crawler.engine.downloader
        host = urlparse_cached(response).hostname or ""
        slot.delay = max(slot.delay, downloader.per_slot_settings.get(host, {}).get("delay", 0.0))
