"""A small real forward proxy on loopback: GET http://… and CONNECT, with a password or without, quick, slow or mute."""

import asyncio
import threading
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from urllib.parse import urlsplit


@dataclass
class ForwardProxy:
    """`targets` says where names lead, as the proxy's own resolver would."""

    targets: dict[str, str]
    login: str | None = None
    delay: float = 0.0
    breaks_after: int | None = None  # requests
    answer: tuple[str, str] | None = None  # status line and page, in place of those of the server
    carried: list[str] = field(default_factory=list)  # the first line of each
    address: str = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError, ValueError):
            while await self.carry(reader, writer):
                pass
        writer.close()

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, where, _ = lines[0].split(" ")
        headers = dict(line.lower().split(": ", 1) for line in lines[1:] if line)
        given = [line.split(": ", 1)[1] for line in lines[1:] if line.lower().startswith("proxy-authorization")]
        if self.login and given != ["Basic " + b64encode(self.login.encode()).decode()]:
            writer.write(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
            return True
        if self.breaks_after is not None and len(self.carried) >= self.breaks_after:
            return False
        self.carried.append(lines[0])
        await asyncio.sleep(self.delay)
        if self.answer and not where.endswith("/robots.txt"):
            status, page = self.answer
            head = f"HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\n"
            writer.write(f"{head}Content-Length: {len(page.encode())}\r\n\r\n{page}".encode())
            return True
        name = where if method == "CONNECT" else urlsplit(where).netloc
        host, _, port = self.targets.get(name.partition(":")[0], name).partition(":")
        try:
            onward, back = await asyncio.open_connection(host, int(port or 80))
        except OSError:
            writer.write(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")
            return True
        if method == "CONNECT":
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            await asyncio.gather(_pump(reader, back), _pump(onward, writer))
        else:
            path = urlsplit(where)._replace(scheme="", netloc="").geturl() or "/"
            kept = [line for line in lines[1:] if line and not line.lower().startswith(("proxy-", "connection"))]
            back.write("\r\n".join([f"{method} {path} HTTP/1.1", *kept, "Connection: close", "", ""]).encode("latin-1"))
            await _pump(onward, writer)
        assert "host" in headers
        return False


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while some := await reader.read(65536):
            writer.write(some)
            await writer.drain()
    writer.close()


@contextmanager
def proxying(*proxies: ForwardProxy) -> Iterator[None]:
    """Run them; each gets its address."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    async def begin(proxy: ForwardProxy) -> asyncio.Server:
        server = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
        proxy.address = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
        return server

    servers = [asyncio.run_coroutine_threadsafe(begin(proxy), loop).result(5) for proxy in proxies]
    try:
        yield
    finally:
        for server in servers:
            loop.call_soon_threadsafe(server.close)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(5)
