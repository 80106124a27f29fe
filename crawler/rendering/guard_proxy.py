"""Run the forward proxy on loopback that is the browser's only way to the web.

A browser resolves names itself, and opens connections that no route handler sees (service workers, websockets). All of
them pass this proxy. It resolves a name by the rule of the crawl and connects to exactly that address. So no name leads
into a private network, however often it changes (DNS rebinding).
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import urlsplit

from scrapy.exceptions import CannotResolveHostError

from crawler.fetch.download_handler import format_host_port, url_at_host_port
from crawler.fetch.proxy_pool import Proxy, ProxyPool
from crawler.fetch.resolver import resolve_target

MAX_REQUEST_HEAD_BYTES = 64 << 10  # bytes
CONNECT_SECONDS = 10.0  # seconds for a head, and for a connection
CHUNK_BYTES = 64 << 10
REFUSED_RESPONSE = b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
ESTABLISHED_RESPONSE = b"HTTP/1.1 200 Connection established\r\n\r\n"
HOP_BY_HOP_PREFIXES = ("proxy-", "connection:", "keep-alive:")

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@dataclass(slots=True)
class GuardProxy:
    """`onward` are the site's own proxies, if any. `max_bytes` and `max_seconds` bound each connection. `find` returns
    the allowed addresses of a name and port.
    """

    max_bytes: int
    max_seconds: float
    onward: ProxyPool | None = None
    find: Callable[[str, int], Awaitable[list[tuple[str, int]]]] = resolve_target
    _server: asyncio.Server | None = None

    async def start(self) -> str:
        """Listen, and return the address for the browser."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=MAX_REQUEST_HEAD_BYTES)
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    def stop(self) -> None:
        """Stop accepting connections."""
        if self._server is not None:
            self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, TimeoutError, ValueError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            async with asyncio.timeout(self.max_seconds):
                await self._carry(reader, writer)
        writer.close()

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with asyncio.timeout(CONNECT_SECONDS):
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.rstrip("\r\n").split("\r\n")
        method, target, version = first.split(" ")
        tunnel = method == "CONNECT"
        parts = urlsplit(f"//{target}" if tunnel else target)
        host = parts.hostname or ""
        try:
            onward, back, proxy, host_port = await self._open(host, parts.port or 80, tunnel=tunnel)
        except CannotResolveHostError:
            writer.write(REFUSED_RESPONSE)
            return
        try:
            if tunnel:
                writer.write(ESTABLISHED_RESPONSE)
            else:
                where = (
                    url_at_host_port(target, host_port)
                    if proxy
                    else parts._replace(scheme="", netloc="").geturl() or "/"
                )
                kept = [line for line in lines if not line.lower().startswith(HOP_BY_HOP_PREFIXES)]
                request_lines = [
                    f"{method} {where} {version}",
                    *kept,
                    "Connection: close",
                    *_proxy_login_lines(proxy),
                    "",
                    "",
                ]
                back.write("\r\n".join(request_lines).encode("latin-1"))
            await asyncio.gather(self._pump(reader, back), self._pump(onward, writer))
        finally:
            back.close()

    async def _open(
        self, host: str, port: int, *, tunnel: bool
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter, Proxy | None, str]:
        addresses = await self.find(host, port)
        host_port = format_host_port(*min(addresses, key=lambda address: ":" in address[0]))  # not every proxy has IPv6
        async with asyncio.timeout(CONNECT_SECONDS):
            if self.onward is not None:
                proxy = self.onward.choose()
                if proxy is None:
                    raise ConnectionError("no proxy works")
                streams = await asyncio.open_connection(proxy.host, proxy.port)
                if tunnel:
                    await _open_tunnel(streams, proxy, host_port)
                return (*streams, proxy, host_port)
            for address, address_port in addresses[:-1]:
                with suppress(OSError):
                    return (*await asyncio.open_connection(address, address_port), None, host_port)
            address, address_port = addresses[-1]
            return (*await asyncio.open_connection(address, address_port), None, host_port)

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        left = self.max_bytes
        with suppress(OSError):
            while left > 0 and (chunk := await reader.read(CHUNK_BYTES)):
                left -= len(chunk)
                writer.write(chunk)
                await writer.drain()
        writer.close()


def _proxy_login_lines(proxy: Proxy | None) -> list[str]:
    if proxy is None or proxy.authorization is None:
        return []
    return [f"Proxy-Authorization: {proxy.authorization.decode('ascii')}"]


async def _open_tunnel(streams: Streams, proxy: Proxy, where: str) -> None:
    """Open a tunnel through the site's proxy."""
    reader, writer = streams
    writer.write(
        "\r\n".join([f"CONNECT {where} HTTP/1.1", f"Host: {where}", *_proxy_login_lines(proxy), "", ""]).encode("ascii")
    )
    answer = await reader.readuntil(b"\r\n\r\n")
    if answer.split(b" ", 2)[1] != b"200":
        writer.close()
        raise ConnectionError("the proxy opened no tunnel")
