"""Parts of a site that have no end, each by a real server on loopback that makes them up as it is asked."""

import secrets
from collections.abc import Iterator
from datetime import UTC, datetime
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest

from tests.support.crawls.crawling import missed, run
from tests.support.crawls.serving import Handler, serving

HOST = "http://maze.wenhen-test.test"
STORY = "集市散了以后，地上只剩下稻草和秤砣压过的印子，他蹲下去，把一枚别人不要的铜钱捡起来擦了又擦。"


class Maze(Handler):
    def page(self) -> None:
        parts = urlsplit(self.path)
        asked = parse_qsl(parts.query)
        if parts.path == "/robots.txt":
            self.reply("")
        elif parts.path.startswith("/calendar/"):
            year, month = map(int, parts.path.split("/")[2:4])
            turned = (year + 1, 1) if month == 12 else (year, month + 1)
            # Each month has words of its own: only how far it lies ahead gives the calendar away.
            self.reply(f"<p>{secrets.token_hex(40)}</p><a href=/calendar/{turned[0]}/{turned[1]:02}>下个月</a>")
        elif parts.path == "/facets":
            more = [(f"f{secrets.token_hex(2)}", "1"), *asked]
            self.reply(f"<p>{STORY}{secrets.token_hex(40)}</p><a href='/facets?{urlencode(more)}'>筛选</a>")
        elif parts.path == "/visit":
            links = "".join(f"<a href='/visit?who={secrets.token_hex(8)}'>{n}</a>" for n in range(5))
            self.reply(f"<p>{STORY}</p>{links}")
        elif parts.path == "/session":
            links = "".join(
                f"<a href='/session?PHPSESSID={secrets.token_hex(8)}&amp;utm_source=x'>{n}</a>" for n in range(5)
            )
            self.reply(f"<p>{STORY}</p>{links}")
        else:
            self.reply("", status=404)


@pytest.fixture
def hosts() -> Iterator[dict[str, str]]:
    with serving(Maze) as address:
        yield {"maze.wenhen-test.test": address}


@pytest.mark.parametrize(
    ("start", "most"),
    [
        (f"/calendar/{datetime.now(UTC).year}/01", 40),  # until the end of next year, also where a year turns meanwhile
        ("/facets", 20),  # parameters that pile up
        ("/visit", 50),  # a parameter that changes nothing; a few more are on their way when that is clear
    ],
)
def test_what_has_no_end_is_left_after_a_few_pages_and_told_once(hosts: dict[str, str], start: str, most: int) -> None:
    result = run(f"{HOST}{start}", host_map=hosts, max_depth=1000, max_pages=500, concurrency=2)
    assert 10 < len(result["pages"]) <= most
    assert missed(result) == {"refused_trap": 1}


def test_session_ids_and_tracking_parameters_make_no_further_pages(hosts: dict[str, str]) -> None:
    result = run(f"{HOST}/session", host_map=hosts, max_depth=1000, max_pages=500)
    assert set(result["pages"]) == {f"{HOST}/session"}
    assert not missed(result)
    assert Maze.seen["/session"] == 1
