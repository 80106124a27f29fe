"""Calls that come one by one and are done together: what comes within a moment, and while a batch is under way.

To send work to another thread and to hear of it costs a crawl as much as most of the work itself, and a server answers
many questions in nearly the time of one.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from typing import Generic, TypeVar

from store.errors import Unavailable

A = TypeVar("A")
R = TypeVar("R")
MOST = 64  # in a batch
MOMENT = 0.01  # seconds: what a few pages take of a site that answers at once


class Batcher(Generic[A, R]):
    """One batch at a time, in a thread (of the event loop's own, where none are given); called on the loop's thread.

    `do` gives an answer, or an error, for each of a batch. Where it raises, each is done again alone, and only those
    fail that fail then; but what is `Unavailable` is so for all of them. Each batch waits a `moment`, in seconds, for
    more.
    """

    def __init__(
        self,
        do: Callable[[Sequence[A]], Sequence[R | Exception]],
        threads: Executor | None = None,
        moment: float = MOMENT,
    ) -> None:
        self._do = do
        self._threads = threads
        self._moment = moment
        self._waiting: deque[tuple[A, asyncio.Future[R]]] = deque()
        self._work: asyncio.Future[None] | None = None

    async def __call__(self, one: A) -> R:
        """What `do` gives for this one; raises what it raises."""
        future: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        self._waiting.append((one, future))
        if self._work is None:
            self._work = asyncio.ensure_future(self._until_none_waits())
        return await future

    async def _until_none_waits(self) -> None:
        try:
            while self._waiting:
                await asyncio.sleep(self._moment)
                await self._one_batch()
        finally:
            self._work = None

    async def _one_batch(self) -> None:
        batch = [self._waiting.popleft() for _ in range(min(MOST, len(self._waiting)))]
        loop = asyncio.get_running_loop()
        answers = await loop.run_in_executor(self._threads, self._answers, [one for one, _ in batch])
        for (_, future), answer in zip(batch, answers, strict=True):
            if future.done():  # whoever asked was cancelled
                continue
            if isinstance(answer, Exception):
                future.set_exception(answer)
            else:
                future.set_result(answer)

    def _answers(self, batch: Sequence[A]) -> Sequence[R | Exception]:
        try:
            return self._do(batch)
        except Unavailable as error:
            return [error] * len(batch)
        except Exception as error:  # noqa: BLE001  raised where it was asked for
            if len(batch) == 1:
                return [error]
            return [answer for one in batch for answer in self._answers([one])]
