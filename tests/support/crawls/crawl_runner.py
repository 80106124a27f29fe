"""Crawl a hostile site of our own on loopback, and tell what the sink was told.

A crawl needs a process of its own, since Twisted's reactor cannot be started again. It is given the fields of the job,
with {port} where the site's port belongs, and under "test" what the sink and the network are to do.
"""

import gzip
import json
import socket
import struct
import threading
import time
import traceback
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, ClassVar

from twisted.internet._resolver import GAIResolver
from twisted.internet.address import IPv4Address

from crawler.fetch import resolver
from crawler.job import CrawlJob, RenderMode
from crawler.run import run_crawl
from crawler.site_access import Cookie
from tests.support.crawls.recording_sink import Recorder, Remembering
from wenhen.kit.errors import Unavailable

MEGABYTE = 1_000_000
STORY = "他把那封旧信从抽屉里取出来，读了两遍，又放回原处；窗外的雨还没有停。"


def peak_megabytes() -> int:
    """The most memory that this program had; what getrusage tells begins with that of the process that started it."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(status.split("VmHWM:")[1].split()[0]) >> 10


def page(*body: str, charset: str = "utf-8") -> bytes:
    html = f"<html><head><meta charset={charset}><title>试验</title></head><body>{''.join(body)}</body></html>"
    return html.encode("gb18030" if charset == "gb2312" else charset)


def links(*paths: str) -> str:
    return "".join(f'<a href="{path}">{path}</a>' for path in paths)


STORY_PAGE = page("<p>", STORY, "</p>")
PAGES = {
    "/robots.txt": ("text/plain", b"User-agent: wenhen\nDisallow: /secret\n\nUser-agent: *\nDisallow: /\n"),
    "/": ("text/html", page(links("/one", "/two?b=2&a=1", "/one?utm_source=x#top", "/secret/page"), charset="gb2312")),
    "/one": ("text/html; charset=utf-8", STORY_PAGE),
    "/two?b=2&a=1": ("text/html", page(STORY, links("/", "http://elsewhere.test/", "mailto:a@b.test", "/one"))),
    "/gbk-as-utf8": ("text/html; charset=utf-8", page("<p>", STORY * 3, "</p>", charset="gb18030")),
    "/empty": ("text/html", b""),
    "/untitled": ("text/html", b"<html><body><img src=a.png></body></html>"),
    "/paper.pdf": ("application/pdf", b"%PDF-1.4 ..."),
    "/octets": ("application/octet-stream", STORY_PAGE),
    "/plain": ("text/plain", STORY.encode()),
    "/20mb": ("text/html", page(f"<p>{STORY}</p>" * (20 * MEGABYTE // (len(STORY.encode()) + 7)))),
    "/30mb": ("text/html", b"<p>" + b"x" * (30 * MEGABYTE)),
    "/deep": ("text/html", b"<div>" * 200_000 + STORY.encode()),
    "/wide": ("text/html", page(links(*(f"/wide/{number}" for number in range(40))))),
}
PAGES |= {
    "/index.xml": ("text/xml", b"<sitemapindex><sitemap><loc>/map.xml.gz</loc></sitemap></sitemapindex>"),
    "/map.xml.gz": (
        "application/x-gzip",
        gzip.compress(
            b"<urlset><url><loc>/one</loc></url><url><loc>/two?b=2&amp;a=1</loc></url>"
            b"<url><loc>http://elsewhere.test/</loc></url></urlset>"
        ),
    ),
    "/feed": ("application/rss+xml", b"<rss><channel><item><link>/one</link></item></channel></rss>"),
    "/foreign.xml": ("text/xml", b"<urlset><url><loc>http://elsewhere.test/</loc></url></urlset>"),
}
PAGES |= {
    "/refreshing": ("text/html", b"<html><head><meta http-equiv=Refresh content='1; url=/one'></head></html>"),
    "/scripted": ("text/html", page("<script>location.href='/one'</script>", links("/one"))),
    "/scripted-away": ("text/html", page("<script>location.href='http://elsewhere.test/'</script>")),
    "/ping": ("text/html", page("<script>location.href='/pong'</script>")),
    "/pong": ("text/html", page("<script>location.href='/ping'</script>")),
    "/bad-links": ("text/html", page(STORY, links("http://news.wenhen-test.test:99999/", "http://[a/", "/one"))),
    "/variant?from=list": ("text/html", page("<link rel=canonical href='/one'>", STORY)),
}
SHOWN = "<p><img src=/wait.gif data-src=/part/1.png></p><p><img src=/part/2.png></p><p><img src=/secret/3.png></p>"
PAGES |= {
    "/pictures": ("text/html", page("<header><img src=/part/logo.png></header><div>", SHOWN, "</div>", links("/one"))),
    "/illustrated": ("text/html", page("<p>", STORY * 20, "<img src=/part/4.png></p>")),
    **{f"/part/{name}.png": ("image/png", f"picture {name}".encode()) for name in (1, 2, 4, "logo")},
}
FACE = "@font-face{font-family:x;src:url(x.eot),url('x.ttf') format('truetype'),url(x.woff2?v=1)}"
HIDDEN = "".join(chr(0xE000 + at) for at in range(200))
PAGES |= {
    "/font/inside": ("text/html", page(f"<style>{FACE}</style><p>", HIDDEN, STORY, "</p>")),
    "/font/beside": ("text/html", page("<link rel=stylesheet href=/font/x.css><p>", HIDDEN, STORY, "</p>")),
    "/font/plain": ("text/html", page(f"<style>{FACE}</style><p>", STORY * 3, "</p>")),
    "/styled": (
        "text/html",
        page("<link rel=stylesheet href=/font/x.css><p>", f"{STORY}<i class=q>x</i>{STORY}" * 6, "</p>"),
    ),
    "/font/x.css": ("text/css", FACE.encode()),
    "/font/x.woff2?v=1": ("font/woff2", b"wOF2 of our own"),
}
PAGES |= {f"/wide/{number}": ("text/html", page(STORY, str(number))) for number in range(40)}
PAGES |= {f"/chapter/{n}": ("text/html", page(STORY, f'<a href="/chapter/{n + 1}">下一页</a>')) for n in range(1, 6)}


class Site(BaseHTTPRequestHandler):
    """Answers with pages, or with each kind of misbehaviour under the path of its name."""

    protocol_version = "HTTP/1.1"
    seen: ClassVar[Counter[str]] = Counter()
    hosts: ClassVar[set[str]] = set()
    conditions: ClassVar[dict[str, list[str | None]]] = {}  # by path, the last that were asked for
    times: ClassVar[dict[str, list[float]]] = {}  # by host, when each request came

    def log_message(self, format: str, *args: object) -> None:
        """Keep quiet."""

    def do_GET(self) -> None:
        Site.seen[self.path] += 1
        Site.hosts.add(self.headers["Host"])
        Site.times.setdefault(self.headers["Host"], []).append(time.monotonic())
        Site.conditions[self.path] = [self.headers["If-None-Match"], self.headers["If-Modified-Since"]]
        name = self.path.strip("/").replace("-", "_")
        if self.path == "/robots.txt" and hasattr(self, f"robots_{self.headers['Host'].partition('.')[0]}"):
            getattr(self, f"robots_{self.headers['Host'].partition('.')[0]}")()
        elif self.path in PAGES:
            self.reply(*PAGES[self.path])
        elif self.path.startswith("/day/"):
            self.do_day(int(self.path.removeprefix("/day/")))
        elif self.path.startswith("/winding/"):
            self.reply("text/html", page(STORY, self.path, f'<a href="{self.path}on/">更远</a>'))
        elif hasattr(self, f"do_{name}"):
            getattr(self, f"do_{name}")()
        else:
            self.reply("text/html", page("没有"), status=404)

    def reply(
        self, content_type: str, body: bytes, *headers: tuple[str, str], status: int = 200, length: int | None = None
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def redirect(self, location: str, *headers: tuple[str, str]) -> None:
        self.reply("text/html", b"", ("Location", location), *headers, status=302)

    def robots_busy(self) -> None:
        self.reply("text/plain", b"", status=503)

    def robots_limited(self) -> None:
        self.reply("text/plain", b"", status=429)

    def robots_silent(self) -> None:
        time.sleep(60)

    def robots_without(self) -> None:
        self.reply("text/plain", b"User-agent: *\nDisallow: /\n", status=404)

    def robots_moved(self) -> None:
        self.redirect("http://elsewhere.test/robots.txt")

    def robots_slow(self) -> None:
        self.reply("text/plain", b"User-agent: *\nCrawl-delay: 0.4\nDisallow: /secret\n")

    def robots_mapped(self) -> None:
        self.reply("text/plain", b"User-agent: *\nDisallow: /robots.txt\nSitemap: /index.xml\n")

    def do_day(self, day: int) -> None:
        """A calendar that goes on for ever."""
        self.reply("text/html", page(f"<p>第 {day} 天没有活动</p>", f'<a href="/day/{day + 1}">后一天</a>'))

    def do_tagged(self) -> None:
        if self.headers["If-None-Match"] == '"v1"':
            self.reply("text/html", b"", ("ETag", '"v1"'), status=304)
        else:
            self.reply("text/html", STORY_PAGE, ("ETag", '"v2"'))

    def do_hang(self) -> None:
        time.sleep(60)

    def do_drip(self) -> None:
        self.reply("text/html", b"<p>", length=1000)
        for _ in range(200):
            self.wfile.write(b"x")
            time.sleep(0.1)

    def do_reset(self) -> None:
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True
        self.connection.close()

    def do_garbage(self) -> None:
        self.wfile.write(b"\x00\xff this is not HTTP\r\n\r\n")
        self.close_connection = True

    def do_short(self) -> None:
        self.reply("text/html", STORY_PAGE, length=len(STORY_PAGE) + 5000)
        self.close_connection = True

    def do_missing_picture(self) -> None:
        self.reply("image/png", b"", status=404)

    def do_film(self) -> None:
        self.reply("video/mp4", bytes(10 * MEGABYTE))

    def do_circle_a(self) -> None:
        self.redirect("/circle-b")

    def do_circle_b(self) -> None:
        self.redirect("/circle-a")

    def do_away(self) -> None:
        self.redirect("http://elsewhere.test/")

    def do_inward(self) -> None:
        self.redirect("http://inner.test/one")

    def do_to_www(self) -> None:
        self.redirect("http://www.news.wenhen-test.test/one")

    def do_moved(self) -> None:
        self.redirect("/one")

    def do_cookie(self) -> None:
        if "seen=1" in self.headers.get("Cookie", ""):
            self.reply("text/html", STORY_PAGE)
        else:
            self.redirect("/cookie", ("Set-Cookie", "seen=1"))

    def do_gzip(self) -> None:
        self.reply("text/html", gzip.compress(STORY_PAGE), ("Content-Encoding", "gzip"))

    def do_bomb(self) -> None:
        self.reply("text/html", gzip.compress(bytes(200 * MEGABYTE), 1), ("Content-Encoding", "gzip"))

    def do_endless(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Connection", "close")
        self.end_headers()
        try:
            while True:
                self.wfile.write(b"<p>x</p>" * 10_000)
        except OSError:
            self.close_connection = True

    def do_error(self) -> None:
        self.reply("text/html", page("错误"), status=500)

    def do_captcha(self) -> None:
        self.reply("text/html", page("<p>请完成安全验证后继续访问</p><div id=slide></div>", links("/one")))

    def do_too_often(self) -> None:
        self.reply("text/html", page("<p>访问过于频繁，请稍后再试</p>", charset="gb2312"), status=429)

    def do_members(self) -> None:
        self.redirect("/members-only")

    def do_members_only(self) -> None:
        self.reply("text/html", page("<p>登录后才能阅读全文</p><input type=password>"), status=403)

    def do_forbidden(self) -> None:
        self.reply("text/html", page("<h1>403 Forbidden</h1>"), status=403)

    def do_flaky(self) -> None:
        if Site.seen["/flaky"] > 1:
            self.reply("text/html", STORY_PAGE)
        else:
            self.reply("text/html", b"", ("Retry-After", "1"), status=503)


def answer_names(answers: dict[str, list[str]]) -> None:
    """Let these names resolve to these addresses, one after the other, and to the last from then on."""

    def resolve(self: GAIResolver, receiver: Any, name: str, port: int = 0, *rest: Any) -> None:
        given = answers[name]
        receiver.resolutionBegan(None)
        receiver.addressResolved(IPv4Address("TCP", given.pop(0) if len(given) > 1 else given[0], port))
        receiver.resolutionComplete()

    setattr(GAIResolver, "resolveHostName", resolve)  # noqa: B010  to mypy an assignment would be an error


def tell(job: dict[str, Any], told: Connection) -> None:
    """Crawl, and send what came of it; under "failed" what went wrong with the crawl itself."""
    try:
        result = crawled(job)
    except BaseException:  # noqa: BLE001  whatever it is, the test shows it
        result = {"failed": traceback.format_exc()}
    told.send(json.loads(json.dumps(result)))


def crawled(asked: dict[str, Any]) -> dict[str, Any]:
    test = asked.pop("test", {})
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    asked["host_map"] = {name: target.format(port=server.server_port) for name, target in asked["host_map"].items()}
    asked["start_urls"] = tuple(url.format(port=server.server_port) for url in asked["start_urls"])
    asked["cookies"] = tuple(Cookie(**one) for one in asked.get("cookies", ()))
    asked["render"] = RenderMode(asked.get("render", "never"))
    if "warc_dir" in asked:
        asked["warc_dir"] = Path(asked["warc_dir"])
    if "public" in test:
        # Loopback stands in for the internet: only this address counts as public.
        setattr(resolver, "is_public_address", lambda address: address == test["public"])  # noqa: B010  the same
    if "answers" in test:
        answer_names(test["answers"])
    sink = Recorder(test.get("failing", {}), test.get("stop_after", 0))
    if "memory" in test:
        sink = Remembering(sink.failing, sink.stop_after, test["memory"], test.get("rested", []))
    error = None
    started = time.monotonic()
    try:
        counts = run_crawl(CrawlJob(**asked), sink).as_mapping()
    except Unavailable as caught:
        error, counts = str(caught), {}
    return {
        "pages": sink.pages,
        "reasons": sink.reasons,
        "reports": sink.reports,
        "threads": sorted(sink.threads),
        "counts": counts,
        "error": error,
        "seconds": time.monotonic() - started,
        "seen": Site.seen,
        "hosts": sorted(Site.hosts),
        "times": Site.times,
        "conditions": Site.conditions,
        "same": sink.same,
        "peak_megabytes": peak_megabytes(),
        "cookies": sink.cookies,
        "gone": sink.vanished,
        "in a browser": sink.in_a_browser,
    }
