"""Hosts that asked to be left alone for a time."""

import asyncio
from time import monotonic

from crawler.crawl.reasons import Reason, Refusal
from store.messages import message

LONGEST_WAIT = 120.0  # seconds; a server that asks for more is tried again by the next crawl


class HostRests:
    """What one crawl knows of them."""

    def __init__(self) -> None:
        self._until: dict[str | None, float] = {}  # by the monotonic clock

    def rest(self, host: str | None, seconds: float) -> None:
        """Leave a host alone for so long at least."""
        self._until[host] = max(self._until.get(host, 0.0), monotonic() + seconds)

    async def over(self, host: str | None) -> None:
        """Wait until a host may be asked again; `Refusal` where that is too long."""
        while (rest := self._until.get(host, 0.0) - monotonic()) > 0:
            if rest > LONGEST_WAIT:
                raise Refusal(Reason.ASKED_TO_WAIT, message("fetch.asked_to_wait", minutes=round(rest / 60)))
            await asyncio.sleep(rest)
