"""Define the three demo websites with their lists and licences, render their pages, and serve them on loopback."""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit
from zlib import crc32

import jinja2

from wenhen.demo.articles import ARTICLES, BIG5, GBK, UTF8, Article, Encoding, split_paragraphs, to_traditional

# The three sites: what stands around their articles.


NEWS = "news.wenhen-demo.test"
NOVEL = "novel.wenhen-demo.test"
BLOG = "blog.wenhen-demo.test"


@dataclass(frozen=True, slots=True)
class DemoSite:
    """One host: its template, its words, and the path that its robots.txt disallows."""

    host: str
    template: str
    name: str
    slogan: str
    sections: tuple[str, ...]
    disallowed: str
    adverts: tuple[str, ...]
    comments: tuple[tuple[str, str], ...]  # who, what


@dataclass(frozen=True, slots=True)
class FrontPage:
    """A page of links to the articles of a host under `prefix`: page `number` of the `of` pages that the list fills."""

    host: str
    path: str
    title: str
    encoding: Encoding = UTF8
    prefix: str = "/"
    number: int = 1
    of: int = 1
    siblings: tuple[str, ...] = ()  # the other pages of the same list


SITES: dict[str, DemoSite] = {
    NEWS: DemoSite(
        host=NEWS,
        template="news.html",
        name="江声在线",
        slogan="本地的事，慢慢说给您听",
        sections=("要闻", "民生", "文化", "副刊"),
        disallowed="/private/",
        adverts=("全屋窗帘免费上门量尺，满三千减四百", "周末亲子采摘园，老少同行第二人半价", "二手钢琴调律搬运一条龙"),
        comments=(
            ("河边散步的人", "昨天路过还看见了，比照片上热闹。"),
            ("老街坊七号", "写得实在，多来点这样的稿子。"),
            ("小满爱吃瓜", "转给我妈看了，她说她早就知道。"),
            ("匿名用户", "希望能一直办下去，别虎头蛇尾。"),
        ),
    ),
    NOVEL: DemoSite(
        host=NOVEL,
        template="novel.html",
        name="听雨书屋",
        slogan="全本免费，无需登录",
        sections=("玄幻", "江湖", "科幻", "随笔"),
        disallowed="/vip/",
        adverts=("点我领取新人书券", "熬夜看书必备护眼灯，今日直降", "本站诚招兼职打字员"),
        comments=(
            ("书友8027", "催更催更，作者大大辛苦了！"),
            ("夜猫子阿福", "这章短了点，没看过瘾。"),
            ("墨雨", "前排占座，等养肥了再看。"),
        ),
    ),
    BLOG: DemoSite(
        host=BLOG,
        template="blog.html",
        name="半亩方糖",
        slogan="种一点字，收一点甜",
        sections=("生活", "折腾", "读书", "旧文"),
        disallowed="/drafts/",
        adverts=("本博客由一台吵闹的小主机供电", "觉得有用的话，请我喝杯豆浆"),
        comments=(
            ("路过的风", "博主好久没更新了，终于等到。"),
            ("豆浆加糖", "收藏了，周末照着试试。"),
            ("北纬三十度", "评论区居然这么安静，我来占个位子。"),
        ),
    ),
}
HOSTS: tuple[str, ...] = tuple(SITES)

_NEWS_LIST = ("/", "/list_2.html")
_NOVEL_LIST = ("/", "/page/2.html")
_BLOG_LIST = ("/", "/page/2/")

LISTINGS: tuple[FrontPage, ...] = (
    FrontPage(NEWS, "/", "江声在线首页", number=1, of=2, siblings=_NEWS_LIST),
    FrontPage(NEWS, "/list_2.html", "往日新闻", number=2, of=2, siblings=_NEWS_LIST),
    FrontPage(NOVEL, "/", "听雨书屋首页", GBK, number=1, of=2, siblings=_NOVEL_LIST),
    FrontPage(NOVEL, "/page/2.html", "更多小说", GBK, number=2, of=2, siblings=_NOVEL_LIST),
    FrontPage(NOVEL, "/book/101/", "江灯渡 目录", GBK, prefix="/book/101/"),
    FrontPage(NOVEL, "/book/205/", "星海捞尘 目录", GBK, prefix="/book/205/"),
    FrontPage(BLOG, "/", "半亩方糖", number=1, of=2, siblings=_BLOG_LIST),
    FrontPage(BLOG, "/page/2/", "往期文章", number=2, of=2, siblings=_BLOG_LIST),
    FrontPage(BLOG, "/tw/", "繁体小站", BIG5, prefix="/tw/"),
)


# Who may carry which work: what the demo registers with the product before it crawls.


@dataclass(frozen=True, slots=True)
class DemoLicence:
    """An authorised reprint. `url_prefix` is host or host/path, without a scheme; the dates are in UTC."""

    licensee: str
    url_prefix: str
    work_title: str
    valid_from: datetime
    valid_until: datetime

    def covers(self, host: str, path: str, work_title: str) -> bool:
        """Whether the page at this address may carry the work."""
        return work_title == self.work_title and f"{host}{path}".startswith(self.url_prefix)


_VALID_FROM = datetime(2024, 1, 1, tzinfo=UTC)
_VALID_UNTIL = datetime(2099, 12, 31, tzinfo=UTC)

DEMO_LICENCES: tuple[DemoLicence, ...] = (
    DemoLicence("江声在线", NEWS, "镇卫生院来了牙医", _VALID_FROM, _VALID_UNTIL),
    DemoLicence("半亩方糖", f"{BLOG}/licensed/", "潮汐公交试跑三个月", _VALID_FROM, _VALID_UNTIL),
)


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
