"""The pages of the little web, built from the articles and the sites' templates; the same bytes on every run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any
from zlib import crc32

import jinja2

from lab.demo.articles import Article, Encoding
from lab.demo.catalogue import ARTICLES
from lab.demo.sites import LISTINGS, SITES, DemoSite, FrontPage
from lab.demo.texts import paragraphs_of
from lab.demo.traditional import to_traditional

Replacements = Mapping[tuple[str, str], str]  # (host, path) -> text, in place of what the page would show

_RECOMMENDED = 5


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


def articles(replace: Replacements | None = None) -> tuple[Article, ...]:
    """The articles, some of them with another text. Raises `KeyError` for an address that has no article."""
    texts = dict(replace or {})
    replaced = tuple(
        article.with_text(paragraphs_of(texts.pop(article.address))) if article.address in texts else article
        for article in ARTICLES
    )
    if texts:
        raise KeyError(f"no article of the demo stands at {sorted(texts)}")
    return replaced


def build_pages(replace: Replacements | None = None) -> list[DemoPage]:
    """Every page of the three hosts: articles, lists and robots.txt."""
    every = articles(replace)
    return [
        *(_article_page(article, every) for article in every),
        *(_listing_page(listing, every) for listing in LISTINGS),
        *(_robots(site) for site in SITES.values()),
    ]


def is_disallowed(host: str, path: str) -> bool:
    """Whether the host's robots.txt forbids the path."""
    return path.startswith(SITES[host].disallowed)


def _article_page(article: Article, every: Sequence[Article]) -> DemoPage:
    return _page(
        article.address,
        article.title,
        article.encoding,
        every,
        article=article,
        paragraphs=article.paragraphs(),
        contents=_contents(article),
        comments=SITES[article.host].comments,
    )


def _contents(article: Article) -> str:
    """The path of the narrowest list that holds the article."""
    lists = [
        listing for listing in LISTINGS if listing.host == article.host and article.path.startswith(listing.prefix)
    ]
    return max(lists, key=lambda listing: len(listing.prefix)).path


def _listing_page(listing: FrontPage, every: Sequence[Article]) -> DemoPage:
    listed = [a for a in _open_articles(listing.host, every) if a.path.startswith(listing.prefix)]
    if listing.of > 1:  # a front page runs from new to old, a table of contents in the order of the chapters
        listed.sort(key=lambda article: article.date, reverse=True)
    share = -(-len(listed) // listing.of)
    links = listed[(listing.number - 1) * share : listing.number * share]
    return _page(
        (listing.host, listing.path), listing.title, listing.encoding, every, links=links, siblings=listing.siblings
    )


def _page(
    address: tuple[str, str], title: str, encoding: Encoding, every: Sequence[Article], **content: Any
) -> DemoPage:
    host, path = address
    site = SITES[host]
    pick = crc32(path.encode())  # not hash(): its values change from run to run
    html = template(site.template).render(
        site=site,
        title=title,
        meta_charset=encoding.meta,
        traditional=encoding.real == "big5",
        advert=site.adverts[pick % len(site.adverts)],
        recommended=_recommended(address, every, pick),
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


def _recommended(address: tuple[str, str], every: Sequence[Article], pick: int) -> list[Article]:
    others = [article for article in _open_articles(address[0], every) if article.address != address]
    return [others[(pick + step) % len(others)] for step in range(_RECOMMENDED)]


def _open_articles(host: str, every: Sequence[Article]) -> list[Article]:
    return [article for article in every if article.host == host and not is_disallowed(host, article.path)]


def _robots(site: DemoSite) -> DemoPage:
    return DemoPage(
        host=site.host,
        path="/robots.txt",
        title="robots.txt",
        body=f"User-agent: *\nDisallow: {site.disallowed}\n".encode(),
        content_type="text/plain; charset=utf-8",
        charset="utf-8",
    )


@cache
def template(name: str) -> jinja2.Template:
    """The template of a site, by its file's name."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("lab.demo"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.ChainableUndefined,
    )
    return environment.get_template(name)
