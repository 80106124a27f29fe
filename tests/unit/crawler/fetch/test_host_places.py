"""A place at a host goes from one request of a crawler to the next without a word to other crawlers."""

import asyncio
from collections.abc import Awaitable, Callable
from time import monotonic

import pytest

from crawler.politeness.rate import FOLLOWERS_PER_SLOT, WAITING_PER_SLOT, HostSlots
from crawler.ports import FOLLOW_WINDOW_SECONDS, SlotGrant


def run(scene: Callable[[HostSlots], Awaitable[None]]) -> None:
    async def on_loop() -> None:
        await scene(HostSlots(most=1))

    asyncio.run(on_loop())


async def entering(places: HostSlots, *names: str) -> "list[asyncio.Future[tuple[str, float]]]":
    requests: list[asyncio.Future[tuple[str, float]]] = [asyncio.ensure_future(places.enter(name)) for name in names]
    await asyncio.sleep(0)
    return requests


def test_a_place_that_a_request_leaves_goes_to_the_one_that_follows() -> None:
    async def scene(places: HostSlots) -> None:
        first, second, third = await entering(places, "1", "2", "3")
        assert places.entering_requests == ["1", "2", "3"]
        places.admit(["1", "2", "3"], [SlotGrant(0.0), SlotGrant(0.0, follows=True), None])
        assert (await first)[0] == "1"
        assert places.room_behind == FOLLOWERS_PER_SLOT - 1
        places.leave("1")
        assert (await second)[0] == "1"
        assert places.held == {"1"}
        assert places.left == [], "others need not know"
        places.leave("1")
        assert places.take_left() == ["1"]
        assert places.entering_requests == ["3"]
        assert not third.done()
        third.cancel()

    run(scene)


def test_one_that_may_follow_does_where_all_places_became_free_meanwhile() -> None:
    async def scene(places: HostSlots) -> None:
        first, second = await entering(places, "1", "2")
        places.admit(["1"], [SlotGrant(0.0)])
        await first
        places.leave("1")
        places.admit(["2"], [SlotGrant(0.0, follows=True)])
        assert (await second)[0] == "1"
        assert (places.held, places.left) == ({"1"}, [])

    run(scene)


def test_a_moment_that_passed_long_ago_is_asked_for_anew() -> None:
    async def scene(places: HostSlots) -> None:
        first, second = await entering(places, "1", "2")
        places.admit(["1", "2"], [SlotGrant(0.0), SlotGrant(-2 * FOLLOW_WINDOW_SECONDS, follows=True)])
        await first
        places.wake.clear()
        places.leave("1")
        assert places.take_left() == ["1"]
        assert places.entering_requests == ["2"]
        assert places.wake.is_set()
        places.admit(["2"], [SlotGrant(0.5)])
        place, at = await second
        assert (place, at > monotonic()) == ("2", True)

    run(scene)


def test_who_was_cancelled_keeps_no_place() -> None:
    async def scene(places: HostSlots) -> None:
        first, second, third, fourth = await entering(places, "1", "2", "3", "4")
        second.cancel()
        third.cancel()
        await asyncio.sleep(0)
        follows = SlotGrant(0.0, follows=True)
        places.admit(["1", "2", "3", "4"], [SlotGrant(0.0), SlotGrant(0.0), follows, follows])
        await first
        assert (await fourth)[0] == "2", "the place of the second"
        places.leave("1")
        assert places.take_left() == ["1"]

    run(scene)


def test_who_has_many_requests_asks_for_a_few_at_a_time() -> None:
    async def scene(places: HostSlots) -> None:
        names = [str(number) for number in range(WAITING_PER_SLOT + 2)]
        requests = await entering(places, *names)
        assert places.entering_requests == names[:WAITING_PER_SLOT]
        places.admit(names[:1], [SlotGrant(0.0)])
        await requests[0]
        assert places.entering_requests == names[1 : WAITING_PER_SLOT + 1]
        for one in requests:
            one.cancel()

    run(scene)


@pytest.mark.parametrize("place", ["1", "never held"])
def test_leaving_twice_means_nothing(place: str) -> None:
    async def scene(places: HostSlots) -> None:
        (first,) = await entering(places, "1")
        places.admit(["1"], [SlotGrant(0.0)])
        await first
        places.leave("1")
        places.take_left()
        places.leave(place)
        assert places.take_left() == []

    run(scene)
