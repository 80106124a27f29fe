"""Crawlers in processes of their own share one site: its addresses, and how often it is asked."""

import json
import subprocess
import sys
import time
from collections import Counter
from itertools import pairwise
from typing import Any, ClassVar

import pytest
import redis

from crawler.frontier.redis import RedisFrontier
from crawler.frontier.scheduler import MAX_ENTRIES_PER_REQUEST
from tests.support.commands.launching import FRONTIER_RUNNER
from tests.support.crawls.serving import Handler, serving
from tests.support.way import made_text, wait_for
from wenhen.runtime.embedded.servers import throwaway_servers

HOST = "together.test"
PAGES = 240
CONCURRENCY = 4
LEASE = "2"
NAMES = ("survivor", "killed")

pytestmark = pytest.mark.usefixtures("nursery")


class Tree(Handler):
    """Pages that each link to six further ones, and back to the first."""

    asked: ClassVar[list[tuple[str, str, float]]] = []  # who, what, when
    pause: ClassVar[float] = 0.02
    busy: ClassVar[bool] = False

    def page(self) -> None:
        number = int(self.path.strip("/") or 0) if self.path != "/robots.txt" else PAGES
        if number >= PAGES:
            self.reply("", status=404)
            return
        if number and Tree.busy:
            Tree.asked.append((self.headers["User-Agent"], self.path, time.monotonic()))
            self.reply("", ("Retry-After", "3600"), status=503)
            return
        Tree.asked.append((self.headers["User-Agent"], self.path, time.monotonic()))
        time.sleep(Tree.pause)
        links = "".join(f"<a href=/{n}>{n}</a>" for n in range(6 * number + 1, 6 * number + 7) if n < PAGES)
        self.reply(f"<html><body><p>{made_text(self.path, 60)}</p><a href=/>首页</a>{links}</body></html>")


def start(redis_url: str, address: str, names: tuple[str, ...] = NAMES, **fields: Any) -> "list[subprocess.Popen[str]]":
    """Crawlers of one run, begun at the same moment."""
    crawlers = [
        subprocess.Popen(
            [sys.executable, FRONTIER_RUNNER, redis_url, "run", LEASE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in names
    ]
    job = {
        "start_urls": [f"http://{HOST}/"],
        "host_map": {HOST: address},
        "internal": True,
        "delay": 0.0,
        "concurrency": CONCURRENCY,
        "max_depth": 9,
        "max_pages": PAGES,
    }
    for crawler in crawlers:
        assert crawler.stdout
        assert crawler.stdout.readline() == "ready\n"
    for name, crawler in zip(names, crawlers, strict=True):
        assert crawler.stdin
        crawler.stdin.write(json.dumps(job | {"user_agent": name} | fields))
        crawler.stdin.close()
        crawler.stdin = None
    return crawlers


def ended(process: "subprocess.Popen[str]") -> tuple[list[str], dict[str, int]]:
    """What a crawler captured, and the counts of its run; no counts if it was killed."""
    out, err = process.communicate(timeout=600)
    lines = out.splitlines()
    counts = json.loads(lines.pop()) if process.returncode == 0 else {}
    assert process.returncode in (0, -9), err
    return [line.removeprefix(f"http://{HOST}") for line in lines], counts


def test_of_two_crawlers_one_is_killed_and_nothing_is_lost_or_double(redis_url: str) -> None:
    Tree.asked, Tree.pause = [], 0.02
    with serving(Tree) as address:
        survivor, killed = start(redis_url, address)
        wait_for(lambda: min(Counter(who for who, _, _ in Tree.asked)[name] for name in NAMES) > 30, "30 pages by each")
        killed.kill()
        by_killed, _ = ended(killed)
        by_survivor, counts = ended(survivor)
    pages = ["/", *(f"/{number}" for number in range(1, PAGES))]
    assert set(by_survivor) | set(by_killed) == set(pages), "nothing is lost"
    assert len(by_survivor) == len(set(by_survivor))
    asked = Counter(path for _, path, _ in Tree.asked)
    twice = {path for path, times in asked.items() if times > 1}
    assert len(twice) <= MAX_ENTRIES_PER_REQUEST * CONCURRENCY
    for path in twice:
        assert sorted(who for who, what, _ in Tree.asked if what == path) == ["killed", "survivor"]
    assert len(by_killed) >= 15, "it was killed in the middle"
    stored_twice = set(by_killed) & set(by_survivor)
    assert stored_twice <= twice
    assert PAGES <= counts["fetched"] <= PAGES + len(stored_twice)
    with redis.Redis.from_url(redis_url) as client:
        RedisFrontier(client, "run", PAGES).end()
        assert {key.decode().rpartition(":")[2] for key in client.scan_iter("wenhen:crawl:*")} == {"about"}


def test_two_crawlers_ask_a_host_no_more_often_than_one_may(redis_url: str) -> None:
    Tree.asked, Tree.pause = [], 0.0
    delay = 0.15
    with serving(Tree) as address:
        captured = [
            ended(crawler)[0] for crawler in start(redis_url, address, delay=delay, concurrency=2, max_pages=30)
        ]
    assert all(captured), "both had a share"
    times = sorted(when for _, _, when in Tree.asked)
    gaps = [later - earlier for earlier, later in pairwise(times)]
    assert len(gaps) >= 29
    held_up = sum(gap < delay / 2 for gap in gaps)  # who waits for a busy machine comes late, the next in time
    assert held_up <= len(gaps) // 4, "apart by the delay; of two that do not know of each other half are not"
    assert sum(gaps) / len(gaps) > delay * 0.95


def test_a_server_that_asks_for_an_hour_is_left_alone_by_what_waits_for_its_turn_already(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Tree, "busy", True)
    Tree.asked = []
    with serving(Tree) as address:
        [only] = start(redis_url, address, ("only",), concurrency=1, delay=0.2)
        by_only, counts = ended(only)
    assert by_only == ["/"]
    assert len(Tree.asked) == 2, "the front page, and the one that it answered so"
    assert (counts["failed_http_503"], counts["refused_asked_to_wait"]) == (1, 5)


@pytest.mark.parametrize("told_to_end", [False, True])
def test_a_crawler_whose_redis_stays_away_ends_and_says_so(*, told_to_end: bool) -> None:
    Tree.asked, Tree.pause = [], 0.0
    with serving(Tree) as address:
        with throwaway_servers() as servers:
            [only] = start(servers.redis_url, address, ("only",), delay=0.2, patience=2.0)
            wait_for(lambda: len(Tree.asked) > 3, "some pages")
        if told_to_end:
            only.terminate()
        _, said = only.communicate(timeout=600)
    assert only.returncode == 1
    assert "Unavailable: the Redis with what is still to fetch does not answer" in said
