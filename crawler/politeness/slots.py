"""Share one crawler's request slots at a host among its requests.

A place is a request at a time. One that a request leaves goes to the next that has its moment already, without a word
to other crawlers, for which it stays taken; so none stands empty for as long as it takes to ask for another.
"""

import asyncio
from collections import deque
from collections.abc import Sequence
from itertools import islice
from time import monotonic
from typing import NamedTuple

from crawler.ports import FOLLOW_WINDOW_SECONDS, SlotGrant

FOLLOWERS_PER_SLOT = 2  # requests that follow, for each place
WAITING_PER_SLOT = (
    3  # requests for each place that wait among those of other crawlers: who has many is not to be before all
)


class SlotAdmission(NamedTuple):
    """A place, and when it may be used, by the monotonic clock."""

    place: str
    at: float


class _Follower(NamedTuple):
    request: str
    admission: "asyncio.Future[SlotAdmission]"
    at: float


class HostSlots:
    """`most` are the places that all crawlers have together. All methods are called on the loop's thread."""

    def __init__(self, most: int) -> None:
        self._asking = WAITING_PER_SLOT * most
        self.wake = asyncio.Event()  # there is something to ask or to say
        self.held: set[str] = set()
        self.left: list[str] = []  # which others do not know yet
        self._entering: dict[str, asyncio.Future[SlotAdmission]] = {}
        self._following: deque[_Follower] = deque()

    @property
    def entering(self) -> list[str]:
        """The requests that others hear of, first come first."""
        return list(islice(self._entering, self._asking))

    @property
    def room_behind(self) -> int:
        """How many more may be told that they follow."""
        return max(0, FOLLOWERS_PER_SLOT * len(self.held) - len(self._following))

    async def enter(self, request: str) -> SlotAdmission:
        """Wait for a place."""
        admission: asyncio.Future[SlotAdmission] = asyncio.get_running_loop().create_future()
        self._entering[request] = admission
        self._ask()
        return await admission

    def leave(self, place: str) -> None:
        """Hand a place on, or give it up; again means nothing."""
        if place in self.held:
            if not self._hand_on(place):
                self.held.discard(place)
                self.left.append(place)
            self._ask()

    def take_left(self) -> list[str]:
        """The places that others are told of now."""
        left, self.left = self.left, []
        return left

    def admit(self, requests: Sequence[str], answers: Sequence[SlotGrant | None]) -> None:
        """Note what came of asking for these requests."""
        now = monotonic()
        for request, answer in zip(requests, answers, strict=True):
            if answer is None:
                continue
            admission, at = self._entering.pop(request), now + answer.seconds
            if answer.follows:
                self._following.append(_Follower(request, admission, at))
            elif admission.done():  # whoever waited was cancelled
                self.left.append(request)
            else:
                self.held.add(request)
                admission.set_result(SlotAdmission(request, at))
        self._use_left()

    def _use_left(self) -> None:
        """What became free meanwhile is still ours."""
        while self.left and self._following:
            place = self.left.pop()
            if self._hand_on(place):
                self.held.add(place)
            else:
                self.left.append(place)

    def _hand_on(self, place: str) -> bool:
        while self._following:
            request, admission, at = self._following.popleft()
            if admission.done():
                continue
            if monotonic() - at > FOLLOW_WINDOW_SECONDS:  # others may have been given the moments since
                self._entering[request] = admission
                continue
            admission.set_result(SlotAdmission(place, at))
            return True
        return False

    def _ask(self) -> None:
        if self._entering and len(self._following) <= len(self.held):
            self.wake.set()
