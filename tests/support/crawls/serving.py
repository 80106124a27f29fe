"""Small real servers on loopback for the tests of fetching, in threads of this process."""

import ssl
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class Handler(BaseHTTPRequestHandler):
    """Answers by `page`, which a test's site defines; counts what was asked for."""

    seen: Counter[str]
    tls_names: set[str | None]  # that clients named in TLS

    def log_message(self, format: str, *args: object) -> None:
        """Keep quiet."""

    def do_GET(self) -> None:
        type(self).seen[self.path] += 1
        try:
            self.page()
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def page(self) -> None:
        raise NotImplementedError

    def reply(self, body: str | bytes, *headers: tuple[str, str], status: int = 200) -> None:
        body = body.encode() if isinstance(body, str) else body
        self.send_response(status)
        if "Content-Type" not in dict(headers):
            self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def serving(site: type[Handler], *, certificate: Path | None = None) -> Iterator[str]:
    """Serve it, by TLS where there is a certificate; "127.0.0.1:port"."""
    site.seen, site.tls_names = Counter(), set()
    with ThreadingHTTPServer(("127.0.0.1", 0), site) as server:
        server.daemon_threads = True
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            context.sni_callback = lambda _, name, __: site.tls_names.add(name)
            server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
