"""Call functions in child processes from an event loop."""

import asyncio
import os
from contextlib import suppress
from typing import Any

from crawler.sandbox.child_process import RESULT_ITEM
from crawler.sandbox.pool import (
    CHILD_EXIT_SECONDS,
    MAX_READINGS_PER_CHILD,
    close_pipes,
    error_from_child,
    explain_death,
    pickle_question,
    spawn_child,
)
from crawler.sandbox.protocol import BadFrame, pop_frames
from wenhen.kit.errors import Unreadable, WenhenError
from wenhen.kit.size_and_time_limits import MEBIBYTE, ReadingBounds

MAX_ASYNC_CHILDREN = 2  # children of about 60 MB each
EXIT_POLL_SECONDS = 0.005  # seconds between two checks of whether a child has ended
_PIPE_BYTES = 65_536  # bytes of a pipe: a larger buffer would be allocated and freed for each reading


class AsyncReader:
    """Child processes of one event loop. They import `modules` when they start. Readings wait in order while all
    children are busy. `close` ends the children and their readings.
    """

    def __init__(self, *modules: str, most: int = MAX_ASYNC_CHILDREN) -> None:
        self._modules = modules
        self._turns = asyncio.Semaphore(most)
        self._idle: list[_AsyncChild] = []
        self._at_work: set[_AsyncChild] = set()

    def prepare(self) -> None:
        """Start a child before the first page arrives."""
        self._idle.append(_AsyncChild(self._modules))

    async def read(self, function: str, *arguments: object, bounds: ReadingBounds) -> Any:
        """Call a function like `crawler.sandbox.pool.read_in_child`, without blocking the loop."""
        async with self._turns:
            child = self._borrow()
            self._at_work.add(child)
            whole = False
            try:
                result = await child.result(function, arguments, bounds)
                whole = True
            except WenhenError as error:
                whole = not isinstance(error, Unreadable)
                raise
            finally:
                self._at_work.discard(child)
                if whole and child.stays:
                    self._idle.append(child)
                else:
                    child.end()
        return result

    def close(self) -> None:
        """End all children. Readings under way are cancelled."""
        for child in (*self._idle, *self._at_work):
            child.end()
        self._idle.clear()

    def _borrow(self) -> "_AsyncChild":
        while self._idle:
            child = self._idle.pop()
            if child.stays and child.status() is None:
                return child
            child.end()
        return _AsyncChild(self._modules)


class _AsyncChild:
    def __init__(self, modules: tuple[str, ...]) -> None:
        self._process = spawn_child(*modules)
        assert self._process.stdin
        assert self._process.stdout
        self._to, self._from = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(self._to, False)
        os.set_blocking(self._from, False)
        self._readings = 0
        self._leaves = False  # it announced its end, or sent an unexpected answer
        self._exchange: _Exchange | None = None
        self._loop: asyncio.AbstractEventLoop | None = None  # the listening loop, from the first reading on

    @property
    def stays(self) -> bool:
        """Return whether the child may be asked again."""
        return not self._leaves and self._readings < MAX_READINGS_PER_CHILD

    def status(self) -> int | None:
        """Return the exit status, or None while it runs."""
        return self._process.poll()

    def end(self) -> None:
        """End the child at once. A waiting reading is cancelled."""
        if self._exchange is not None:
            self._exchange.end()
        self._hear_no_more()
        close_pipes(self._process)
        self._process.kill()
        self._process.wait()

    async def result(self, function: str, arguments: tuple[object, ...], bounds: ReadingBounds) -> Any:
        """Return the result of a reading. Raise like `crawler.sandbox.pool.read_in_child`."""
        self._readings += 1
        question = pickle_question(function, arguments, bounds)
        result, (kind, *details, leaves) = await self._ask(question, bounds)
        self._leaves = bool(leaves)
        if error := error_from_child(kind, *details):
            raise error
        return result

    async def _ask(self, question: bytes, bounds: ReadingBounds) -> tuple[Any, tuple[Any, ...]]:
        """Return the result, and how the reading ended."""
        if self._loop is None:  # once, and not for each reading
            self._loop = asyncio.get_running_loop()
            self._loop.add_reader(self._from, self._hear)
        self._exchange = exchange = _Exchange(self._to, question, bounds.output * MEBIBYTE)
        try:
            async with asyncio.timeout(bounds.silence):
                return await exchange.answer
        except TimeoutError:
            raise Unreadable("reading.too_long", seconds=round(bounds.silence)) from None
        except BadFrame:
            raise Unreadable("reading.too_much", size=bounds.output) from None
        except EOFError:
            raise explain_death(await self._last_status(), bounds) from None
        finally:
            exchange.end()
            self._exchange = None

    def _hear(self) -> None:
        exchange = self._exchange
        if exchange is None or not exchange.receive(self._from):
            self._leaves = True
            self._hear_no_more()

    def _hear_no_more(self) -> None:
        if self._loop is not None and not self._loop.is_closed():
            self._loop.remove_reader(self._from)

    async def _last_status(self) -> int | None:
        with suppress(TimeoutError):
            async with asyncio.timeout(CHILD_EXIT_SECONDS):
                while self.status() is None:
                    await asyncio.sleep(EXIT_POLL_SECONDS)
        return self.status()


class _Exchange:
    """A question to a child, and its answer."""

    def __init__(self, to: int, question: bytes, most: int) -> None:
        self._to, self._most = to, most
        self._left = memoryview(question)
        self._received = bytearray()
        self._item: Any = None  # the last
        self._loop = asyncio.get_running_loop()
        self.answer: asyncio.Future[tuple[Any, tuple[Any, ...]]] = self._loop.create_future()
        self._sends = not self._all_sent()
        if self._sends:
            self._loop.add_writer(to, self._send)

    def end(self) -> None:
        """Stop sending. A pending answer is cancelled."""
        if self._loop.is_closed():
            return
        self.answer.cancel()
        self._send_no_more()

    def receive(self, from_: int) -> bool:
        """Read what has arrived. Return whether more may follow."""
        try:
            self._receive(from_)
        except Exception as error:  # noqa: BLE001  raised where the answer is waited for
            self._fail(error)
            return False
        return True

    def _fail(self, error: Exception) -> None:
        if not self.answer.done():
            self.answer.set_exception(error)
        self._send_no_more()

    def _send(self) -> None:
        try:
            if self._all_sent():
                self._send_no_more()
        except Exception as error:  # noqa: BLE001  raised where the answer is waited for
            self._fail(error)

    def _send_no_more(self) -> None:
        if self._sends:
            self._sends = False
            self._loop.remove_writer(self._to)

    def _all_sent(self) -> bool:
        try:
            self._left = self._left[os.write(self._to, self._left) :]
        except BlockingIOError:
            return False
        except BrokenPipeError:  # how it died is told by its status
            return True
        return not self._left

    def _receive(self, from_: int) -> None:
        try:
            part = os.read(from_, _PIPE_BYTES)
        except BlockingIOError:
            return
        if not part:
            raise EOFError
        self._received += part
        for value in pop_frames(self._received, self._most):
            if not isinstance(value, tuple) or len(value) < 2:
                raise Unreadable("reading.failed", error="no answer")
            if value[0] != RESULT_ITEM:
                self.answer.set_result((self._item, value))
                return
            self._item = value[1]
