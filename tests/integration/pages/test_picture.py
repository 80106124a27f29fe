"""A page is pictured by a real browser, and nothing of it reaches into a private network."""

import base64
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from crawler.rendering.browser import DocumentToRender, find_browser
from crawler.rendering.browser_page import take_screenshot
from wenhen.kit.errors import SetupError

pytestmark = pytest.mark.browser
DOT = base64.b64decode("R0lGODlhAQABAIAAAP8AAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==")


@pytest.fixture
def asked() -> Iterator[tuple[int, list[str]]]:
    """A server on loopback, and what it was asked for."""
    paths: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            paths.append(self.path)
            self.send_response(200)
            self.send_header("Content-Type", "image/gif")
            self.end_headers()
            self.wfile.write(DOT)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        yield server.server_address[1], paths
        server.shutdown()


def to_look_at(port: int, **more: object) -> DocumentToRender:
    page = f"<title>船</title><p>河堤上的槐树</p><img src=/dot.gif><img src='http://127.0.0.1:{port}/inside.gif'>"
    document = page.encode("gb18030")
    kind = "text/html; charset=gbk"
    return DocumentToRender(url="http://site.test/a", document=document, content_type=kind, user_agent="wenhen", **more)  # type: ignore[arg-type]  # fields


@pytest.mark.parametrize("internal", [False, True])
def test_the_captured_document_is_shown_with_its_pictures_where_they_may_be_asked_for(
    asked: tuple[int, list[str]], internal: bool
) -> None:
    port, paths = asked
    try:
        find_browser(None)
    except SetupError as error:
        pytest.skip(str(error))
    inside = {"internal": True, "host_map": {"site.test": f"127.0.0.1:{port}"}} if internal else {}
    found = take_screenshot(to_look_at(port, **inside), browser=None, seconds=20, most_bytes=1 << 25)
    assert found.png.startswith(b"\x89PNG")
    assert b"Snapshot-Content-Location: http://site.test/a" in found.mhtml
    assert not found.cut
    assert sorted(paths) == (["/dot.gif", "/inside.gif"] if internal else [])


def test_without_a_browser_it_says_so() -> None:
    with pytest.raises(SetupError):
        take_screenshot(to_look_at(1), browser="/no/browser", seconds=1, most_bytes=1)
