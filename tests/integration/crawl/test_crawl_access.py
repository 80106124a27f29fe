"""Sites that want to know their visitor: a session, a kind of headers, patience. Real servers on loopback."""

import time
from collections.abc import Iterator
from typing import ClassVar

import pytest

from tests.support.crawls.crawling import missed, run
from tests.support.crawls.serving import Handler, serving

HOST = "http://members.wenhen-test.test"
STORY = "她把船票夹进书里，站在舷窗前看了很久，岸上的灯一盏接一盏灭了，谁也没有再回头。"


class Members(Handler):
    """Shows its pages to whoever is signed in; the token changes with every page, as banks and forums do it."""

    token: ClassVar[str] = "t1"
    agents: ClassVar[set[str]] = set()

    def page(self) -> None:
        Members.agents.add(self.headers["User-Agent"])
        cookies = dict(pair.split("=", 1) for pair in self.headers.get("Cookie", "").split("; ") if "=" in pair)
        if self.path == "/robots.txt":
            self.reply("", status=404)
        elif self.path.startswith("/hour"):
            self.reply("", ("Retry-After", "3600"), status=503)
        elif self.path == "/second" and Members.seen["/second"] == 1:
            self.reply("", ("Retry-After", "1"), status=429)
        elif self.path in ("/second", "/after"):
            self.reply(f"<p>{STORY}</p>")
        elif self.path == "/telephone":
            mobile = "Mobile" in self.headers["User-Agent"]
            self.reply(f"<p>{STORY}</p>" if mobile else "<p>no</p>", status=200 if mobile else 406)
        elif cookies.get("user") == "reader" and cookies.get("token") == Members.token:
            Members.token = f"t{int(Members.token[1:]) + 1}"
            self.reply(
                f"<p>{STORY}{self.path}</p><a href=/b>2</a>", ("Set-Cookie", f"token={Members.token}; Path=/; HttpOnly")
            )
        else:
            self.reply("<form><p>请登录后才能阅读全文</p><input type=password></form>")


@pytest.fixture
def host_map() -> Iterator[dict[str, str]]:
    Members.token, Members.agents = "t1", set()
    with serving(Members) as address:
        yield {"members.wenhen-test.test": address}


def test_a_session_that_was_brought_along_opens_the_site_and_comes_back_as_the_site_has_set_it_last(
    host_map: dict[str, str],
) -> None:
    closed = run(f"{HOST}/a", host_map=host_map)
    assert not closed["pages"]
    assert missed(closed) == {"refused_soft_block": 1}
    assert closed["cookies"] == {}

    domain = "members.wenhen-test.test"
    session = [
        {"name": "user", "value": "reader", "domain": domain},
        {"name": "token", "value": "t1", "domain": domain},
        {"name": "stale", "value": "x", "domain": domain, "path": "/elsewhere"},
        {"name": "foreign", "value": "x", "domain": "other.test"},
    ]
    opened = run(f"{HOST}/a", host_map=host_map, cookies=session, concurrency=1)
    assert set(opened["pages"]) == {f"{HOST}/a", f"{HOST}/b"}
    assert not missed(opened)
    assert opened["cookies"] == {"user": "reader", "token": "t3", "stale": "x", "foreign": "x"}

    session[1]["value"] = "t3"
    assert set(run(f"{HOST}/a", host_map=host_map, cookies=session)["pages"]) == {f"{HOST}/a", f"{HOST}/b"}


def test_a_header_profile_is_sent_with_every_request_and_always_names_the_crawler(host_map: dict[str, str]) -> None:
    assert missed(run(f"{HOST}/telephone", host_map=host_map)) == {"failed_http_406": 1}
    assert set(run(f"{HOST}/telephone", host_map=host_map, header_profile="mobile")["pages"]) == {f"{HOST}/telephone"}
    assert Members.agents == {
        "wenhen/0.1 (+https://example.com/contact)",
        "Mozilla/5.0 (Linux; Android 10; Mobile) (compatible; wenhen/0.1 (+https://example.com/contact))",
    }


def test_a_server_that_asks_for_an_hour_is_not_asked_again_by_this_crawl(host_map: dict[str, str]) -> None:
    began = time.monotonic()
    pages = [f"{HOST}/hour/{number}" for number in range(6)]
    result = run(*pages, host_map=host_map, concurrency=1)
    assert missed(result) == {"failed_http_503": 2, "refused_asked_to_wait": 4}
    assert "60 minutes" in result["reasons"][pages[-1]]
    assert sum(Members.seen.values()) == 3, "robots.txt, and what was under way when the server spoke"
    assert time.monotonic() - began < 60


def test_the_whole_host_rests_while_one_page_waits_for_its_second_try(host_map: dict[str, str]) -> None:
    result = run(f"{HOST}/second", f"{HOST}/after", host_map=host_map, concurrency=1)
    assert set(result["pages"]) == {f"{HOST}/second", f"{HOST}/after"}
    assert result["seconds"] >= 1.0
