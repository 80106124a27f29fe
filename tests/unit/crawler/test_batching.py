"""Calls that come one by one are done together, and each has its own answer."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from crawler.crawl_stats import MAX_BATCH_ITEMS, Batcher
from wenhen.kit.errors import PLAIN_CODE, Unavailable


def answers_of(do: Callable[[Sequence[int]], Sequence[str]], *numbers: int) -> list[str | BaseException]:
    """What becomes of calls with these numbers that come at the same moment."""

    async def call() -> list[str | BaseException]:
        with ThreadPoolExecutor(2) as threads:
            batcher = Batcher(do, threads)
            return await asyncio.gather(*map(batcher, numbers), return_exceptions=True)

    return asyncio.run(call())


def told(answers: Sequence[str | BaseException]) -> list[str]:
    return [answer if isinstance(answer, str) else f"{type(answer).__name__}: {answer}" for answer in answers]


def test_what_comes_while_a_batch_is_under_way_makes_up_the_next() -> None:
    begun, go_on = threading.Event(), threading.Event()
    batches: list[Sequence[int]] = []

    def do(batch: Sequence[int]) -> list[str]:
        batches.append(batch)
        begun.set()
        assert go_on.wait(10)
        return [str(number) for number in batch]

    async def call() -> list[str]:
        with ThreadPoolExecutor(2) as threads:
            batcher = Batcher(do, threads)
            first = asyncio.ensure_future(batcher(0))
            await asyncio.to_thread(begun.wait, 10)
            others = [asyncio.ensure_future(batcher(number)) for number in range(1, MAX_BATCH_ITEMS + 3)]
            await asyncio.sleep(0)
            others[0].cancel()
            go_on.set()
            return [await one for one in (first, *others[1:])]

    assert asyncio.run(call()) == [str(number) for number in range(MAX_BATCH_ITEMS + 3) if number != 1]
    assert [len(batch) for batch in batches] == [1, MAX_BATCH_ITEMS, 2]


def test_one_that_is_bad_keeps_back_no_other() -> None:
    def do(batch: Sequence[int]) -> list[str]:
        if 3 in batch:
            raise ValueError("three is bad")
        return [f"{number} stored" for number in batch]

    answers = answers_of(do, 1, 2, 3, 4)
    assert told(answers) == ["1 stored", "2 stored", "ValueError: three is bad", "4 stored"]


@pytest.mark.parametrize("calls", [1, 5])
def test_what_is_away_is_away_for_all_and_is_asked_once(calls: int) -> None:
    asked = []

    def do(batch: Sequence[int]) -> list[str]:
        asked.append(batch)
        raise Unavailable(PLAIN_CODE, text="no server")

    assert told(answers_of(do, *range(calls))) == ["Unavailable: no server"] * calls
    assert len(asked) == 1
