"""Share one crawler's request slots at a host among its requests.

A slot allows one request at a time. The next request that follows takes a slot over without a message to other
crawlers. For them it stays taken, so no slot idles while another is asked for.
"""

import asyncio
from collections import deque
from collections.abc import Sequence
from itertools import islice
from time import monotonic
from typing import NamedTuple

from crawler.ports import FOLLOW_WINDOW_SECONDS, SlotGrant

FOLLOWERS_PER_SLOT = 2  # followers for each slot
WAITING_PER_SLOT = 3  # waiting requests for each slot: a crawler with many must not overtake the others


class SlotAdmission(NamedTuple):
    """A slot, and the monotonic time from which on it may be used."""

    place: str
    starts_at: float


class _Follower(NamedTuple):
    request: str
    admission: "asyncio.Future[SlotAdmission]"
    starts_at: float


class HostSlots:
    """The slots of one host. `most` is the number of slots of all crawlers together. All methods run on the loop's
    thread.
    """

    def __init__(self, most: int) -> None:
        self._asking = WAITING_PER_SLOT * most
        self.wake = asyncio.Event()  # there is something to ask or to report
        self.held: set[str] = set()
        self.left: list[str] = []  # slots that are not reported yet
        self._entering: dict[str, asyncio.Future[SlotAdmission]] = {}
        self._following: deque[_Follower] = deque()

    @property
    def entering_requests(self) -> list[str]:
        """Return the requests to report as waiting, in order of arrival."""
        return list(islice(self._entering, self._asking))

    @property
    def room_behind(self) -> int:
        """Return how many more requests may follow."""
        return max(0, FOLLOWERS_PER_SLOT * len(self.held) - len(self._following))

    async def enter(self, request: str) -> SlotAdmission:
        """Wait for a slot."""
        admission: asyncio.Future[SlotAdmission] = asyncio.get_running_loop().create_future()
        self._entering[request] = admission
        self._ask()
        return await admission

    def leave(self, place: str) -> None:
        """Hand a slot on or free it. A second call does nothing."""
        if place in self.held:
            if not self._hand_on(place):
                self.held.discard(place)
                self.left.append(place)
            self._ask()

    def take_left(self) -> list[str]:
        """Return the freed slots, which are reported now."""
        left, self.left = self.left, []
        return left

    def admit(self, requests: Sequence[str], answers: Sequence[SlotGrant | None]) -> None:
        """Apply the grants for these requests."""
        now = monotonic()
        for request, answer in zip(requests, answers, strict=True):
            if answer is None:
                continue
            admission, starts_at = self._entering.pop(request), now + answer.seconds
            if answer.follows:
                self._following.append(_Follower(request, admission, starts_at))
            elif admission.done():  # the waiting request was cancelled
                self.left.append(request)
            else:
                self.held.add(request)
                admission.set_result(SlotAdmission(request, starts_at))
        self._use_left()

    def _use_left(self) -> None:
        """Reuse slots that became free meanwhile."""
        while self.left and self._following:
            place = self.left.pop()
            if self._hand_on(place):
                self.held.add(place)
            else:
                self.left.append(place)

    def _hand_on(self, place: str) -> bool:
        while self._following:
            request, admission, starts_at = self._following.popleft()
            if admission.done():
                continue
            if monotonic() - starts_at > FOLLOW_WINDOW_SECONDS:  # other crawlers may have been granted later moments
                self._entering[request] = admission
                continue
            admission.set_result(SlotAdmission(place, starts_at))
            return True
        return False

    def _ask(self) -> None:
        if self._entering and len(self._following) <= len(self.held):
            self.wake.set()
