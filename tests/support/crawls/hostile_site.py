"""A server that does to its visitors whatever a server can do, byte by byte, on loopback."""

import gzip
import socket
import socketserver
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from typing import ClassVar

import brotli  # type: ignore[import-untyped]  # it ships no types
from backports import zstd

STORY = "老船工说，江上没有哪一夜是真正黑的，只要你肯等，水自己会亮起来；我们就坐在舱口等，等到灯油尽了。"
PAGE = f"<html><head><title>江夜</title></head><body><p>{STORY}</p></body></html>".encode()
ZEROS = 400 << 20  # bytes that the bombs unpack to


@cache
def bomb(encoding: str) -> bytes:
    if encoding == "br":
        packer = brotli.Compressor(quality=1)
        packed: bytes = b"".join(packer.process(bytes(1 << 20)) for _ in range(ZEROS >> 20)) + packer.finish()
        return packed
    if encoding == "zstd":
        return zstd.compress(bytes(ZEROS), 1)
    return gzip.compress(bytes(ZEROS), 1)


def answer(body: bytes, *headers: str, status: str = "200 OK", length: int | str | None = None) -> bytes:
    lines = [f"HTTP/1.1 {status}", *headers, f"Content-Length: {len(body) if length is None else length}"]
    if not any(header.startswith("Content-Type") for header in headers):
        lines.append("Content-Type: text/html; charset=utf-8")
    return "\r\n".join([*lines, "Connection: close", "", ""]).encode() + body


class Hostile(socketserver.StreamRequestHandler):
    seen: ClassVar[Counter[str]] = Counter()
    hosts: ClassVar[set[str]] = set()

    def handle(self) -> None:
        with suppress(OSError, ValueError):
            path = self.rfile.readline(65536).split(b" ")[1].decode()
            while (line := self.rfile.readline(65536).strip()) and b":" in line:
                if line.lower().startswith(b"host:"):
                    Hostile.hosts.add(line.split(b":", 1)[1].strip().decode())
            Hostile.seen[path] += 1
            act: Callable[[], None] | None = getattr(self, "do_" + path[1:].split("/")[0].replace("-", "_"), None)
            if act is not None:
                act()
            else:
                self.wfile.write(ANSWERS[path]() if path in ANSWERS else answer(PAGE))

    def forever(self, some: bytes, pause: float) -> None:
        while True:
            self.wfile.write(some)
            time.sleep(pause)

    def do_hang(self) -> None:
        time.sleep(60)

    def do_drip(self) -> None:
        self.wfile.write(answer(b"", length=100_000))
        self.forever(b"x", 0.1)

    def do_head_drip(self) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\n")
        self.forever(b"X-More: 1\r\n", 0.1)

    def do_head_flood(self) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\n")
        self.forever(b"X-More: " + b"y" * 8000 + b"\r\n", 0)

    def do_one_header(self) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Long: ")
        self.forever(b"y" * 65536, 0)

    def do_continue(self) -> None:
        self.forever(b"HTTP/1.1 100 Continue\r\n\r\n", 0)

    def do_endless(self) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n")
        self.forever(b"<p>x</p>" * 8192, 0)

    def do_endless_chunks(self) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n")
        self.forever(b"4000\r\n" + b"z" * 0x4000 + b"\r\n", 0)

    def do_reset(self) -> None:
        self.wfile.write(answer(PAGE, length=10_000))
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()

    def do_further(self) -> None:
        """Redirects that never come back to where they were."""
        self.wfile.write(answer(b"", f"Location: /further/{sum(Hostile.seen.values())}", status="302 Found"))


def to(location: str) -> Callable[[], bytes]:
    return lambda: answer(b"", f"Location: {location}", status="302 Found")


ANSWERS: dict[str, Callable[[], bytes]] = {
    "/robots.txt": lambda: answer(
        b"".join(b"User-agent: other-%d\n" % number for number in range(10_000))
        + b"User-agent: *\nAllow: /\n"
        # As many rules behind as many names: the time that this takes grows with the product of both.
        + b"".join(b"Disallow: /private/%d\n" % number for number in range(100_000)),
        "Content-Type: text/plain",
    ),
    "/circle-a": to("/circle-b"),
    "/circle-b": to("/circle-a"),
    "/inward": to("http://inner.test/"),
    "/inward-address": to("http://127.0.0.2/"),
    "/inward-number": to("http://2130706434/"),
    "/file": to("file:///etc/passwd"),
    "/script": to("javascript:alert(1)"),
    "/nowhere": to("http://"),
    "/bomb-gzip": lambda: answer(bomb("gzip"), "Content-Encoding: gzip"),
    "/bomb-br": lambda: answer(bomb("br"), "Content-Encoding: br"),
    "/bomb-zstd": lambda: answer(bomb("zstd"), "Content-Encoding: zstd"),
    "/bomb-twice": lambda: answer(gzip.compress(bomb("gzip")), "Content-Encoding: gzip, gzip"),
    "/no-gzip": lambda: answer(PAGE, "Content-Encoding: gzip"),
    "/unknown-encoding": lambda: answer(PAGE, "Content-Encoding: middle-out"),
    "/longer": lambda: answer(PAGE, length=len(PAGE) + 1000),
    "/shorter": lambda: answer(PAGE, length=40),
    "/negative": lambda: answer(PAGE, length=-5),
    "/no-number": lambda: answer(PAGE, length="many"),
    "/two-lengths": lambda: answer(PAGE, "Content-Length: 7"),
    "/charset": lambda: answer(PAGE.decode().encode("gb18030"), "Content-Type: text/html; charset=utf-8"),
    "/picture": lambda: answer(b"\x89PNG\r\n\x1a\n" + bytes(5000), "Content-Type: text/html"),
    "/film": lambda: answer(bytes(3 << 20), "Content-Type: video/mp4"),
    "/garbage": lambda: b"\x00\x01\x02 nothing like HTTP\r\n\r\n",
    "/old": lambda: PAGE,
    "/status": lambda: answer(PAGE, status="999999 Far"),
    "/chunks": lambda: b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZZ\r\nabc\r\n0\r\n\r\n",
    "/cookies": lambda: answer(PAGE, *[f"Set-Cookie: c{n}={'v' * 3000}" for n in range(200)]),
    "/deep": lambda: answer(b"<div>" * 200_000 + PAGE),
    "/links": lambda: answer(b"".join(b"<a href=/x%d>x</a>" % n for n in range(100_000)) + PAGE),
    "/nul": lambda: answer(PAGE.replace(b"<p>", b"<p>\0\0")),
}


@contextmanager
def hostile() -> Iterator[int]:
    """Serve it on 127.0.0.1 and 127.0.0.2, at the same port."""
    Hostile.seen.clear()
    Hostile.hosts.clear()

    class Server(socketserver.ThreadingTCPServer):
        allow_reuse_address = daemon_threads = True
        block_on_close = False

        def handle_error(self, request: object, client_address: object) -> None:
            """A visitor who leaves is no error."""

    with Server(("127.0.0.1", 0), Hostile) as outer, Server(("127.0.0.2", outer.server_address[1]), Hostile) as inner:
        for server in (outer, inner):
            threading.Thread(target=server.serve_forever, daemon=True).start()
        yield outer.server_address[1]
        outer.shutdown()
        inner.shutdown()
