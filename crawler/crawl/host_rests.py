"""Hosts that are left alone: for a time, because they asked for it or fail again and again, or for good."""

import asyncio
from collections import defaultdict
from time import monotonic

from crawler.crawl.miss_reasons import Reason
from crawler.crawl.why_not_captured import Missed, Outcome, Refusal
from store.messages import message

LONGEST_WAIT = 120.0  # seconds; a server that asks for more is tried again by the next crawl
FAILURES = 5  # in a row, after which a host rests
FIRST_REST = 10.0  # seconds, doubled with each further row of failures
MOST_RESTS = 3  # of a host that is the only one; where others answer, none


def is_too_long(seconds: float) -> bool:
    """Whether a crawl does not wait for so long, but leaves it to the next one."""
    return seconds > LONGEST_WAIT


class HostRests:
    """What one crawl knows of them."""

    def __init__(self) -> None:
        self._until: dict[str | None, float] = {}  # by the monotonic clock
        self._failures: defaultdict[str | None, int] = defaultdict(int)  # since the last answer
        self._rested: defaultdict[str | None, int] = defaultdict(int)  # times, since the last answer
        self._answered: set[str | None] = set()
        self._cut_off: set[str | None] = set()

    def rest(self, host: str | None, seconds: float) -> None:
        """Leave a host alone for so long at least."""
        self._until[host] = max(self._until.get(host, 0.0), monotonic() + seconds)

    def answered(self, host: str | None) -> None:
        """Note that a host sent an answer to its end, whatever it said."""
        self._answered.add(host)
        self._failures.pop(host, None)
        self._rested.pop(host, None)

    def failed(self, host: str | None) -> None:
        """Note that a host hung, dripped or broke off. After `FAILURES` in a row it rests, so that a server that is
        started anew loses nothing; where other hosts of the crawl answer meanwhile, or after `MOST_RESTS`, it is cut
        off.
        """
        self._failures[host] += 1
        if self._failures[host] % FAILURES:
            return
        self._rested[host] += 1
        if self._rested[host] > MOST_RESTS or self._answered - {host} - self._cut_off:
            self._cut_off.add(host)
        else:
            self.rest(host, FIRST_REST * 2 ** (self._rested[host] - 1))

    async def over(self, host: str | None) -> None:
        """Wait until a host may be asked again; `Refusal` where that is too long, `Missed` where it is cut off."""
        while (rest := self._until.get(host, 0.0) - monotonic()) > 0 and host not in self._cut_off:
            if is_too_long(rest):
                raise Refusal(Reason.ASKED_TO_WAIT, message("fetch.asked_to_wait", minutes=round(rest / 60)))
            await asyncio.sleep(rest)
        if host in self._cut_off:
            why = message("fetch.cut_off", host=host or "", count=self._failures[host])
            raise Missed(Outcome(False, Reason.CUT_OFF, why))
