"""The pause between two requests to a host, by how quickly it answers."""

from typing import Any

from scrapy.core.downloader import Slot
from scrapy.extensions.throttle import AutoThrottle
from scrapy.http import Response
from scrapy.utils.httpobj import urlparse_cached

from crawler.crawl.validators import NOT_MODIFIED


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
