"""The little web over HTTP on loopback: three hosts behind one port, told apart by the Host header."""

import threading
from collections.abc import Sequence
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from urllib.parse import urlsplit

from lab.demo.pages import DemoPage, build_pages
from lab.demo.sites import HOSTS


class DemoServer:
    """Serves pages (all of the demo's unless given) from 127.0.0.1, at a free port, while the context is open.

    `visited` holds the (host, path) of every GET so far, in order.
    """

    def __init__(self, pages: Sequence[DemoPage] | None = None) -> None:
        every = build_pages() if pages is None else pages
        self.visited: list[tuple[str, str]] = []
        self._server = _Server(self.visited)
        self.show(every)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def port(self) -> int:
        """The port on 127.0.0.1."""
        return self._server.server_port

    def addresses(self) -> dict[str, str]:
        """Host name -> "127.0.0.1:port", for the setting that maps names to addresses."""
        return dict.fromkeys(HOSTS, f"127.0.0.1:{self.port}")

    def show(self, pages: Sequence[DemoPage]) -> None:
        """From now on serve these."""
        self._server.pages = {(page.host, page.path): page for page in pages}

    def __enter__(self) -> "DemoServer":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, visited: list[tuple[str, str]]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.pages: dict[tuple[str, str], DemoPage] = {}
        self.visited = visited


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30  # seconds that an idle connection stays open
    server: _Server

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def _answer(self, *, with_body: bool) -> None:
        address = self.headers.get("Host", "").partition(":")[0].lower(), urlsplit(self.path).path
        if with_body:
            self.server.visited.append(address)
        page = self.server.pages.get(address)
        body = page.body if page else b"404 Not Found\n"
        self.send_response(HTTPStatus.OK if page else HTTPStatus.NOT_FOUND)
        self.send_header("Content-Type", page.content_type if page else "text/plain; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if with_body:
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing on stderr: the crawler says what it fetched."""
