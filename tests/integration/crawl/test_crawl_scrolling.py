"""A site whose lists and texts are loaded as JSON while one scrolls, real, on loopback."""

import json

from tests.support.crawls.crawling import missed, run
from tests.support.crawls.serving import Handler, serving
from tests.support.way import made_text

HOST = "http://scrolls.wenhen-test.test"
STORIES = {n: made_text(f"story {n}", 300) for n in range(1, 26)}  # more answers than an endless row is asked for
SERIAL = [made_text(f"part {n}", 300) for n in range(3)]


class Site(Handler):
    """Stories that a list loads one at a time, an endless list, and a serial whose parts are nowhere but in JSON."""

    def page(self) -> None:
        path, _, query = self.path.partition("?")
        asked = dict(one.split("=") for one in query.split("&") if one)
        if path == "/":
            self.reply("<div data-next-url=/api/list?page=1></div><a href=/serial>连载</a><a href=/endless>最新</a>")
        elif path == "/serial":
            self.reply('<script>var state = {"nextUrl": "/api/serial?cursor=0"}</script>')
        elif path == "/endless":
            self.reply("<ul data-api=/api/endless data-next-page=1></ul>")
        elif path.startswith("/story/"):
            self.reply(f"<article><p>{STORIES[int(path.rpartition('/')[2])]}</p></article>")
        elif path == "/api/list":
            here = [n for n in STORIES if n == int(asked["page"])]
            self._answer({"data": [{"title": f"第{n}篇", "url": f"/story/{n}"} for n in here], "hasMore": bool(here)})
        elif path == "/api/serial":
            at = int(asked["cursor"])
            self._answer({"content": SERIAL[at], "next_cursor": at + 1 if at + 1 < len(SERIAL) else None})
        else:
            self._answer({"data": [{"title": "同一篇", "url": "/story/1"}]})

    def _answer(self, value: object) -> None:
        self.reply(json.dumps(value), ("Content-Type", "application/json"))


def test_what_a_page_loads_as_it_scrolls_is_followed_and_texts_that_stand_in_json_alone_are_pages() -> None:
    with serving(Site) as address:
        result = run(f"{HOST}/", host_map={HOST.partition("//")[2]: address}, max_depth=2)
        asked = Site.seen
    pages = {url.removeprefix(HOST) for url in result["pages"]}
    assert {f"/story/{n}" for n in STORIES} <= pages
    assert {f"/api/serial?cursor={n}" for n in range(len(SERIAL))} <= pages
    assert not any("/api/list" in url or "/api/endless" in url for url in pages), "they name pages, and are none"
    assert {path for path in asked if path.startswith("/api/list")} == {f"/api/list?page={n}" for n in range(1, 27)}
    assert sum(count for path, count in asked.items() if path.startswith("/api/endless")) < 25
    assert missed(result) == {"refused_trap": 1}
