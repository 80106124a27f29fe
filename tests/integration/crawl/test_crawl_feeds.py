"""Texts that a feed holds in full, of pages that show less, on a real site on loopback."""

from tests.support.crawls.crawling import missed, run
from tests.support.crawls.serving import Handler, serving
from tests.support.way import made_text

HOST = "http://feeds.wenhen-test.test"
TEXTS = {name: made_text(name, 400) for name in ("whole", "teaser", "gone", "walled")}


class Blog(Handler):
    def page(self) -> None:
        name = self.path.strip("/")
        if name == "feed":
            items = "".join(
                f"<item><title>{one}</title><link>/{one}</link><description><![CDATA[<p>{text}</p>]]></description></item>"
                for one, text in TEXTS.items()
            )
            self.reply(f"<rss><channel>{items}</channel></rss>", ("Content-Type", "application/rss+xml"))
        elif name == "walled":
            self.reply("<p>登录后才能阅读全文</p><input type=password>")
        elif name == "gone":
            self.reply("<h1>404</h1>", status=404)
        elif name in TEXTS:
            self.reply(f"<article><p>{TEXTS[name] if name == 'whole' else TEXTS[name][:30]}</p></article>")
        else:
            self.reply("")


def test_the_item_of_a_feed_is_the_text_of_a_page_that_shows_less_or_is_gone_and_the_capture_says_so() -> None:
    with serving(Blog) as address:
        result = run(f"{HOST}/feed", host_map={HOST.partition("//")[2]: address}, max_depth=0)
    pages = {url.rpartition("/")[2]: page for url, page in result["pages"].items()}
    assert set(pages) == set(TEXTS)
    assert (result["gone"], missed(result)) == ({}, {})
    assert (pages["whole"]["dom"], pages["whole"]["problems"]) == (None, [])
    for name in ("teaser", "gone", "walled"):
        assert TEXTS[name] in pages[name]["dom"]
        assert pages[name]["problems"] == [
            f"the page holds the beginning alone or is gone: its text is read from the feed {HOST}/feed"
        ]
    assert [pages[name]["status"] for name in ("teaser", "gone")] == [200, 404], "what their server said stays"
