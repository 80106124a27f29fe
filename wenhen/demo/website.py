"""Render the pages of the demo websites, and serve them over HTTP on loopback."""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit
from zlib import crc32

import jinja2

from wenhen.demo.articles import Article, Encoding, split_paragraphs
from wenhen.demo.catalogue import ARTICLES
from wenhen.demo.disguises import to_traditional
from wenhen.demo.sites import HOSTS, LISTINGS, SITES, DemoSite, FrontPage

# The pages of the little web, built from the articles and the sites' templates; the same bytes on every run.


Replacements = Mapping[tuple[str, str], str]  # (host, path) -> text, in place of what the page would show

_RECOMMENDED_LINKS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoPage:
    """A response of the little web. `charset` is the real one, whatever the page or the header says."""

    host: str
    path: str
    title: str
    body: bytes
    content_type: str
    charset: str

    @property
    def is_html(self) -> bool:
        """False for robots.txt."""
        return self.content_type.startswith("text/html")


def list_articles(replace: Replacements | None = None) -> tuple[Article, ...]:
    """The articles, some of them with another text. Raises `KeyError` for an address that has no article."""
    texts = dict(replace or {})
    replaced = tuple(
        article.with_text(split_paragraphs(texts.pop(article.address))) if article.address in texts else article
        for article in ARTICLES
    )
    if texts:
        raise KeyError(f"no article of the demo stands at {sorted(texts)}")
    return replaced


def build_pages(replace: Replacements | None = None) -> list[DemoPage]:
    """Every page of the three hosts: articles, lists and robots.txt."""
    every = list_articles(replace)
    return [
        *(_build_article_page(article, every) for article in every),
        *(_build_listing_page(listing, every) for listing in LISTINGS),
        *(_build_robots_page(site) for site in SITES.values()),
    ]


def is_disallowed(host: str, path: str) -> bool:
    """Whether the host's robots.txt forbids the path."""
    return path.startswith(SITES[host].disallowed)


def _build_article_page(article: Article, every: Sequence[Article]) -> DemoPage:
    return _render_page(
        article.address,
        article.title,
        article.encoding,
        every,
        article=article,
        paragraphs=article.paragraphs(),
        contents=_contents_path(article),
        comments=SITES[article.host].comments,
    )


def _contents_path(article: Article) -> str:
    """The path of the narrowest list that holds the article."""
    lists = [
        listing for listing in LISTINGS if listing.host == article.host and article.path.startswith(listing.prefix)
    ]
    return max(lists, key=lambda listing: len(listing.prefix)).path


def _build_listing_page(listing: FrontPage, every: Sequence[Article]) -> DemoPage:
    listed = [a for a in _open_articles(listing.host, every) if a.path.startswith(listing.prefix)]
    if listing.of > 1:  # a front page runs from new to old, a table of contents in the order of the chapters
        listed.sort(key=lambda article: article.date, reverse=True)
    share = -(-len(listed) // listing.of)
    links = listed[(listing.number - 1) * share : listing.number * share]
    return _render_page(
        (listing.host, listing.path), listing.title, listing.encoding, every, links=links, siblings=listing.siblings
    )


def _render_page(
    address: tuple[str, str], title: str, encoding: Encoding, every: Sequence[Article], **content: Any
) -> DemoPage:
    host, path = address
    site = SITES[host]
    pick = crc32(path.encode())  # not hash(): its values change from run to run
    html = load_template(site.template).render(
        site=site,
        title=title,
        meta_charset=encoding.meta,
        traditional=encoding.real == "big5",
        advert=site.adverts[pick % len(site.adverts)],
        recommended=_recommended_articles(address, every, pick),
        **content,
    )
    if encoding.real == "big5":
        html = to_traditional(html)
    return DemoPage(
        host=host,
        path=path,
        title=title,
        # Characters that the encoding lacks (those of no width in GBK) become references, as editors of such sites do.
        body=html.encode(encoding.real, "xmlcharrefreplace"),
        content_type=f"text/html; charset={encoding.header}" if encoding.header else "text/html",
        charset=encoding.real,
    )


def _recommended_articles(address: tuple[str, str], every: Sequence[Article], pick: int) -> list[Article]:
    others = [article for article in _open_articles(address[0], every) if article.address != address]
    return [others[(pick + step) % len(others)] for step in range(_RECOMMENDED_LINKS)]


def _open_articles(host: str, every: Sequence[Article]) -> list[Article]:
    return [article for article in every if article.host == host and not is_disallowed(host, article.path)]


def _build_robots_page(site: DemoSite) -> DemoPage:
    return DemoPage(
        host=site.host,
        path="/robots.txt",
        title="robots.txt",
        body=f"User-agent: *\nDisallow: {site.disallowed}\n".encode(),
        content_type="text/plain; charset=utf-8",
        charset="utf-8",
    )


@cache
def load_template(name: str) -> jinja2.Template:
    """The template of a site, by its file's name."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("wenhen.demo"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.ChainableUndefined,
    )
    return environment.get_template(name)


# The little web over HTTP on loopback: three hosts behind one port, told apart by the Host header.


class DemoServer:
    """Serves pages (all of the demo's unless given) from 127.0.0.1, at a free port, while the context is open.

    `visited` holds the (host, path) of every GET so far, in order.
    """

    def __init__(self, pages: Sequence[DemoPage] | None = None) -> None:
        every = build_pages() if pages is None else pages
        self.visited: list[tuple[str, str]] = []
        self._server = _DemoHttpServer(self.visited)
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


class _DemoHttpServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, visited: list[tuple[str, str]]) -> None:
        super().__init__(("127.0.0.1", 0), _DemoHttpHandler)
        self.pages: dict[tuple[str, str], DemoPage] = {}
        self.visited = visited


class _DemoHttpHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30  # seconds that an idle connection stays open
    server: _DemoHttpServer

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
