"""Sitemaps, feeds and what only looks like them."""

import gzip
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.spiders.sitemaps_and_feeds import Listing, read_listing

URL = "http://a.test/lists/sitemap.xml"
MEGABYTE = 1 << 20
ATTRIBUTE, QUOTE = "href='", "'/>"
TRADITIONAL = str.maketrans("树个没来过说会记时雾", "樹個沒來過說會記時霧")
SITEMAP = b"""<?xml version="1.0" encoding="UTF-8"?><!-- generator: x --><?xml-stylesheet href="s.xsl"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>http://a.test/old</loc><lastmod>2020-01-01</lastmod></url>
<url><loc> /undated </loc></url>
<url><loc>http://a.test/new?a=1&amp;b=2</loc><lastmod>2024-05-06T07:08:09+08:00</lastmod></url></urlset>"""
INDEX = b"""<sitemapindex><sitemap><loc>http://a.test/1.xml.gz</loc></sitemap></sitemapindex>"""
RSS = """<?xml version="1.0" encoding="gb2312"?><rss version="2.0"><channel><title>新闻</title>
<link>http://a.test/</link><item><title>一</title><link>/1.html</link></item>
<item><link><![CDATA[ http://a.test/2.html ]]></link></item><item><title>没有地址</title></item></channel></rss>"""
GUIDS = b"""<rss><channel><item><guid>http://a.test/6?a=1&b=2</guid><link>http://a.test/7?c=1&d=2&amp;e=3</link></item>
<item><guid>http://a.test/8</guid></item><item><guid isPermaLink="false">http://a.test/9</guid></item>
<item><guid>tag:a.test,2026:1</guid></item><item><link><![CDATA[http://a.test/10?a=1&b=2]]></link></item></channel></rss>"""
BASED = b"""<feed xmlns="http://www.w3.org/2005/Atom" xml:base="/n/">
<entry xml:base="x/"><link href="1"/></entry></feed>"""
JSON = """{"version": "https://jsonfeed.org/version/1.1", "title": "新闻", "items": [
{"id": "1", "url": "http://a.test/11"}, {"id": "2", "external_url": "/12"}, {"id": "3"}]}""".encode()
ATOM = b"""<feed xmlns="http://www.w3.org/2005/Atom"><link href="/"/><entry><link rel="edit" href="/edit"/>
<link rel="alternate" href="/3.html"/></entry><entry><link href="/4.html"/></entry></feed>"""
RDF = b"""<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">
<channel><link>/</link></channel><item><link>/5.html</link></item></rdf:RDF>"""


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lambda body: b"\xef\xbb\xbf\n" + body])
def test_a_sitemap_names_its_pages_the_newest_first_packed_or_not(pack: object) -> None:
    assert callable(pack)
    found = read_listing(pack(SITEMAP), URL, MEGABYTE)
    assert found == Listing(pages=("http://a.test/new?a=1&b=2", "http://a.test/old", "http://a.test/undated"))


def test_pictures_and_news_of_a_sitemap_are_no_pages_of_their_own() -> None:
    picture = b"<image:image><image:loc>http://a.test/1.jpg</image:loc></image:image>"
    news = b"<news:news><news:publication_date>2026-03-02</news:publication_date></news:news>"
    spaces = b'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="i" xmlns:news="n"'
    body = b"<urlset %b><url><loc>/1</loc>%b%b</url><url>%b<loc>/2</loc></url></urlset>"
    for declared in (spaces, b""):
        found = read_listing(body % (declared, picture, news, picture), URL, MEGABYTE)
        assert found == Listing(pages=("http://a.test/1", "http://a.test/2"))


def test_a_sitemap_index_names_further_lists() -> None:
    assert read_listing(INDEX, URL, MEGABYTE) == Listing(lists=("http://a.test/1.xml.gz",))


@pytest.mark.parametrize(
    ("body", "paths"),
    [
        (RSS.encode("gb2312"), ("/1.html", "/2.html")),
        (ATOM, ("/3.html", "/4.html")),
        (RDF, ("/5.html",)),
        (GUIDS, ("/7?c=1&d=2&e=3", "/8", "/10?a=1&b=2")),
        (BASED, ("/n/x/1",)),
        (JSON, ("/11", "/12")),
    ],
)
def test_a_feed_names_the_pages_of_its_items_but_not_its_own(body: bytes, paths: tuple[str, ...]) -> None:
    found = read_listing(body, URL, MEGABYTE)
    assert found == Listing(pages=tuple(f"http://a.test{path}" for path in paths))


def test_a_sitemap_may_be_a_text_of_one_address_a_line_and_an_address_in_it_stand_as_it_is() -> None:
    text = "http://a.test/江?a=1&b=2\r\n\nhttps://a.test/2\n".encode()
    assert read_listing(text, URL, MEGABYTE) == Listing(pages=("http://a.test/江?a=1&b=2", "https://a.test/2"))
    unescaped = b"<urlset><url><loc>http://a.test/?a=1&b=2&#38;c=3</loc></url></urlset>"
    assert read_listing(unescaped, URL, MEGABYTE) == Listing(pages=("http://a.test/?a=1&b=2&c=3",))


def test_what_is_no_address_costs_a_list_none_of_the_others() -> None:
    lists = (
        b"<urlset><url><loc>http://[a</loc></url><url><loc>/1</loc></url></urlset>",
        b"<rss><channel><item><link>http://[a</link></item><item><link>/1</link></item></channel></rss>",
        b'{"version": "https://jsonfeed.org/version/1", "items": [{"url": "http://[a"}, {"url": "/1"}]}',
    )
    for body in lists:
        assert read_listing(body, URL, MEGABYTE) == Listing(pages=("http://a.test/1",))


def test_robots_txt_names_sitemaps() -> None:
    body = b"User-agent: *\nDisallow: /x\nSitemap: /s.xml\nsitemap: http://b.test/s.xml\n"
    assert read_listing(body, "http://a.test/robots.txt", 100) == Listing(
        lists=("http://a.test/s.xml", "http://b.test/s.xml")
    )


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<!doctype html><html><body><rss></body></html>" + SITEMAP,
        b"<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'><body/></html>",
        gzip.compress(b"<html>", mtime=0),
        b"\x1f\x8bnot gzip",
    ],
)
def test_what_is_no_list_is_not_taken_for_one(body: bytes) -> None:
    assert read_listing(body, "http://a.test/", MEGABYTE) is None


def test_a_list_that_is_cut_short_gives_what_came() -> None:
    cut = read_listing(SITEMAP[: SITEMAP.index(b"<url><loc> /un") + 20], URL, MEGABYTE)
    assert cut is not None
    assert "http://a.test/old" in cut.pages
    packed = gzip.compress(SITEMAP.replace(b"</urlset>", b"<url><loc>http://a.test/x</loc></url>" * 100_000))
    bounded = read_listing(packed, URL, 10_000)
    assert bounded is not None
    assert 100 < len(bounded.pages) < 400, "what is unpacked is bounded"


def test_entities_of_a_list_are_not_expanded() -> None:
    bomb = b'<!DOCTYPE rss [<!ENTITY a "http://b.test/"><!ENTITY f SYSTEM "file:///etc/passwd">]>'
    for entity in (b"&a;", b"&f;"):
        found = read_listing(bomb + b"<rss><item><link>" + entity + b"</link></item></rss>", URL, MEGABYTE)
        assert found == Listing()


@given(st.one_of(st.binary(max_size=200), st.binary(max_size=100).map(lambda tail: SITEMAP[:150] + tail)))
def test_any_bytes_can_be_looked_at(body: bytes) -> None:
    read_listing(body, URL, MEGABYTE)


STORY = "他把那封旧信从抽屉里取出来，读了两遍，又放回原处；窗外的雨还没有停。" * 8
FULL = {
    "rss": f"""<rss xmlns:c="http://purl.org/rss/1.0/modules/content/"><channel><item><link>/1</link><title>信</title>
<description>{STORY[:20]}</description><c:encoded><![CDATA[<p>{STORY}</p>]]></c:encoded></item>
<item><link>/2</link><description>短</description></item></channel></rss>""",
    "atom": f"""<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="/1"/><title>信</title>
<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>{STORY}</p></div></content></entry>
<entry><link href="/2"/></entry></feed>""",
    "json": f"""{{"version": "https://jsonfeed.org/version/1.1", "items": [
{{"url": "/1", "title": "信", "content_text": "{STORY}"}}, {{"url": "/2", "summary": "短"}}]}}""",
}


@pytest.mark.parametrize("kind", FULL)
def test_the_items_of_a_feed_that_hold_their_texts_come_with_them(kind: str) -> None:
    found = read_listing(FULL[kind].encode(), URL, MEGABYTE)
    assert found is not None
    assert found.pages == ("http://a.test/1", "http://a.test/2")
    [(url, item)] = found.items.items()
    assert url == "http://a.test/1"
    assert f"<p>{STORY}</p>" in item.page.replace(' xmlns="http://www.w3.org/1999/xhtml"', "")
    assert item.stands_in(f"首页 {STORY[:200]}\n{STORY[200:]} 版权")
    assert not item.stands_in(f"首页 {STORY[:20]}…… 阅读全文")


def test_a_packed_list_of_several_members_is_read_whole_and_padding_costs_nothing() -> None:
    names = [f"http://a.test/{number}" for number in range(900)]
    text = "\n".join(names).encode()
    for cuts in ((400,), (1, 2, 3), (5_000, 9_000, 9_001)):
        edges = [0, *cuts, len(text)]
        packed = b"".join(gzip.compress(text[begin:end]) for begin, end in pairwise(edges))
        for padding in (b"", bytes(512), b"\x1f\x8b damaged"):
            assert read_listing(packed + padding, URL, MEGABYTE) == Listing(pages=tuple(names))
    assert read_listing(gzip.compress(SITEMAP[:90]) + gzip.compress(SITEMAP[90:]), URL, MEGABYTE) == read_listing(
        SITEMAP, URL, MEGABYTE
    )
    bounded = read_listing(gzip.compress(text[:5_000]) + gzip.compress(text[5_000:]), URL, 6_000)
    assert bounded is not None
    assert len("\n".join(bounded.pages)) == 6_000


FERRY = "渡口的老人把船系在柳树上，等了一夜，天亮时河面上只剩下雾，没有一个人来过。他说水会记得走过的路。" * 5


@pytest.mark.parametrize("charset", ["utf-8", "gb18030", "big5", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize(
    "declared", ["", "utf-8", "UTF-8", "gb2312", "gbk", "big5", "iso-8859-1", "us-ascii", "nothing"]
)
@pytest.mark.parametrize("root", ["rss", "atom", "sitemap"])
def test_a_list_is_read_in_the_charset_that_its_bytes_are_in_whatever_it_declares(
    charset: str, declared: str, root: str
) -> None:
    story = FERRY.translate(TRADITIONAL) if charset == "big5" else FERRY
    head = f'<?xml version="1.0" encoding="{declared}"?>\n' if declared else ""
    item = f"<title>渡口</title><link {{}}/江/1{{}}<description>{story}</description>"
    body = {
        "rss": f"<rss><channel><item>{item.format('>', '</link>')}</item></channel></rss>",
        "atom": f"<feed xmlns='http://www.w3.org/2005/Atom'><entry>{item.format(ATTRIBUTE, QUOTE)}</entry></feed>",
        "sitemap": f"<urlset><!-- {story} --><url><loc>http://a.test/江/1</loc></url></urlset>",
    }[root]
    listing = read_listing((head + body).encode(charset), URL, MEGABYTE)
    assert listing is not None
    assert listing.pages == ("http://a.test/江/1",)
    assert [item.text for item in listing.items.values()] == ([] if root == "sitemap" else [story])
