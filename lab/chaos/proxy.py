"""A proxy on loopback before a server's unix socket, whose connections can be cut and slowed down."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

PIECE: Final = 1 << 16


class SocketProxy:
    """Passes everything on. delay: seconds before each piece."""

    def __init__(self, socket: Path) -> None:
        self.delay = 0.0
        self.port = 0
        self._socket = socket
        self._open: set[asyncio.StreamWriter] = set()
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()

    def cut(self) -> int:
        """Cut every connection; how many there were."""
        return asyncio.run_coroutine_threadsafe(self._cut(), self._loop).result()

    @contextmanager
    def running(self) -> Iterator["SocketProxy"]:
        """At a free port, for the block."""
        thread = threading.Thread(target=self._run, name="proxy", daemon=True)
        thread.start()
        self._ready.wait()
        try:
            yield self
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            thread.join()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(asyncio.start_server(self._serve, "127.0.0.1", 0))
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        self._loop.run_forever()
        server.close()
        self._loop.run_until_complete(self._cut())
        self._loop.run_until_complete(asyncio.gather(*asyncio.all_tasks(self._loop), return_exceptions=True))
        self._loop.close()

    async def _cut(self) -> int:
        several = list(self._open)
        for writer in several:
            writer.transport.abort()
        return len(several) // 2

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            to_reader, to_writer = await asyncio.open_unix_connection(self._socket)
        except OSError:  # the server is away
            writer.transport.abort()
            return
        self._open |= {writer, to_writer}
        await asyncio.gather(self._pass(reader, to_writer), self._pass(to_reader, writer))
        self._open -= {writer, to_writer}

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while piece := await reader.read(PIECE):
                if self.delay:
                    await asyncio.sleep(self.delay)
                writer.write(piece)
                await writer.drain()
        with suppress(OSError, RuntimeError):
            writer.close()
