"""Everything that reads foreign bytes, as functions of bytes that must end, soon and in nothing but errors of ours."""

from collections.abc import Callable, Mapping
from functools import partial
from types import SimpleNamespace

from protego import Protego
from scrapy.http import HtmlResponse

from crawler.crawl.canonical_addresses import canonical, leads_on, linked
from crawler.crawl.host_names import host_of
from crawler.extract.chapters.chapter_lists import in_reading_order
from crawler.extract.links import canonical_link, links_of
from crawler.extract.page import extract
from crawler.extract.parsed_page import all_text, page_as_sent
from crawler.extract.whole_text import whole_text
from crawler.fetch.cookie_text import read_cookies
from crawler.fetch.page_redirects import sent_on
from crawler.fetch.robots_in_child import MOST_READ, for_agent
from crawler.spiders.sitemaps_and_feeds import listing
from crawler.spiders.soft_blocks import soft_block
from fingerprinter.features.index_features import features
from fingerprinter.normalize.read_letters import read_letters
from services.importing.read_one_file import read_bytes

Target = Callable[[bytes], object]
URL = "http://site.test/book/12/345_2.html"
ENDINGS = ("txt", "md", "html", "jsonl", "csv", "xlsx", "pdf", "docx", "doc", "rtf", "mobi", "epub", "zip")


def _page(body: bytes) -> None:
    headers = (("Content-Type", "text/html; charset=" + body[:20].decode("latin-1")),)
    page = extract(body, headers if body[:1] > b"a" else (), URL)
    page.text.encode()  # may be stored
    for stated in (page.title, page.author, page.site_name, page.canonical):
        (stated or "").encode()


def _crawled(body: bytes) -> None:
    page = page_as_sent(HtmlResponse(URL, body=body))
    soft_block(page.text)
    canonical_link(page)
    in_reading_order([(url, words) for url, words in links_of(page) if leads_on(words) or words])
    all_text(page)
    sent_on(page.text[:20_000], URL)


def _address(body: bytes) -> None:
    text = body.decode("utf-8", "replace")
    host_of(canonical(text))
    try:
        linked(URL, text)
    except ValueError:  # as its callers expect it
        return


def _letters(body: bytes) -> None:
    for charset in ("utf-8", "gb18030", "utf-16-le"):
        text = body.decode(charset, "surrogatepass" if charset == "utf-16-le" else "replace") if charset else ""
        features(read_letters(text))


def _wide(body: bytes) -> None:
    try:
        _letters(body)
    except UnicodeDecodeError:  # half of a surrogate at the end
        read_letters(body.decode("utf-16-be", "ignore"))


def _robots(body: bytes) -> None:
    parsed = Protego.parse(for_agent(body[:MOST_READ], "wenhen").decode())
    parsed.can_fetch(URL, "wenhen")
    parsed.crawl_delay("wenhen")


def _file(ending: str, body: bytes) -> None:
    for found in read_bytes(body, f"a.{ending}"):
        str(SimpleNamespace(found=found))


TARGETS: Mapping[str, Target] = {
    "page": _page,
    "whole": lambda body: whole_text(body, ()),
    "crawled": _crawled,
    "list": lambda body: listing(body, URL.replace("345_2.html", "sitemap.xml"), 1 << 20),
    "robots": _robots,
    "cookies": lambda body: read_cookies(body.decode("utf-8", "replace"), "site.test"),
    "address": _address,
    "letters": _wide,
    **{f"file.{ending}": partial(_file, ending) for ending in ENDINGS},
}
