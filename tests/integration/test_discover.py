"""Copies outside the watched sites: a real search endpoint in the form of SearXNG's, on loopback, and a real crawl."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from click.testing import CliRunner, Result

from services.discover.discovering import discover, questions
from services.discover.engines import open_engine
from services.discover.review import accept, refuse
from services.discover.searxng import LARGEST, Searxng
from store.errors import BadInput, NotFound, SetupError, Unavailable
from store.records import DiscoveryStatus
from tests.support.acting import by
from tests.support.local_site import served
from tests.support.way import capture, made_page, made_text, opened, pairs, store_work, work_through
from wenhen.cli import main
from wenhen.crawl_runs import run_crawl
from wenhen.embedded import Addresses
from wenhen.settings import as_environment
from wenhen.wiring import App

RIVER, SNOW = made_text("river"), made_text("snow")
NO_PAGES = [
    {"title": "no address"},
    {"url": "ftp://old.test/a", "title": "no page"},
    {"url": "http://[bad/", "title": "no host"},
    {"url": "http://odd.test/\ud800", "title": "no text"},
    {"url": f"http://long.test/{'a' * 2000}", "title": "no end"},
    "no result",
]
MORE = b"<a href='/more'>more</a></nav>"
PIRATE = "http://pirate.test"


@dataclass
class Web:
    """What a search engine has read: address -> text; and how it answers."""

    texts: dict[str, str]
    asked: list[dict[str, list[str]]] = field(default_factory=list)
    status: int = 200
    limits: list[str] = field(default_factory=list)  # pauses that it wants, each before it answers one more question
    body: bytes | None = None
    address: str = ""

    def answer(self, query: dict[str, list[str]]) -> tuple[int, str, bytes]:
        self.asked.append(query)
        if self.status != 200 or self.body is not None:
            return self.status, "application/json", self.body or b"{}"
        if query.get("format") != ["json"]:
            return 403, "text/html", b"<h1>Forbidden</h1>"
        phrase = query["q"][0].strip('"')
        rows = [
            {
                "url": url,
                "title": f"转载 {url} \ud800",
                "content": phrase,
                "engine": "bing",
                "parsed_url": [*urlsplit(url), ""],
                "template": "default.html",
                "engines": ["bing"],
                "positions": [place],
                "score": 1.0 / place,
                "category": "general",
            }
            for place, (url, text) in enumerate(self.texts.items(), 1)
            if phrase in text.replace("\n", "")
        ]
        answer = {
            "query": query["q"][0],
            "number_of_results": len(rows),
            "results": [*rows, *NO_PAGES],
            "answers": [],
            "corrections": [],
            "infoboxes": [],
            "suggestions": [],
            "unresponsive_engines": [["google", "timeout"]],
        }
        return 200, "application/json", json.dumps(answer).encode()


@contextmanager
def search_engine(web: Web) -> Iterator[Web]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            known = parts.path == "/searx/search"
            pause = web.limits.pop(0) if web.limits else None
            status, kind, body = web.answer(parse_qs(parts.query)) if known else (404, "text/plain", b"")
            self.send_response(status if pause is None else 429)
            if pause is not None:
                self.send_header("Retry-After", pause)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Nothing on stderr."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    web.address = f"http://127.0.0.1:{server.server_port}/searx/"
    try:
        yield web
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def web() -> Iterator[Web]:
    """Two pages that copy the river, and one that copies nothing."""
    texts = {f"{PIRATE}/copy": RIVER, f"{PIRATE}/part": SNOW + RIVER[300:], "http://other.test/a": SNOW}
    with search_engine(Web(texts)) as engine:
        yield engine


@pytest.fixture
def app(servers: Addresses, tmp_path: Path, web: Web, monkeypatch: pytest.MonkeyPatch) -> Iterator[App]:
    """A library with the river, a search engine, and the pirate's site on loopback."""
    pages = {
        "/copy": ("text/html; charset=utf-8", made_page("转载", RIVER).replace(b"</nav>", MORE)),
        "/part": ("text/html; charset=utf-8", made_page("转载", SNOW + RIVER[300:])),
        "/more": ("text/html; charset=utf-8", made_page("更多", RIVER)),
    }
    with served(pages) as site:
        settings = {
            "discover": {"url": web.address, "delay": 0},
            "crawler": {"host_map": {"pirate.test": site.removeprefix("http://")}, "internal_delay": 0},
        }
        with opened(servers, tmp_path, **settings) as product:
            store_work(product, "river", RIVER, url="http://holder.test/river")
            work_through(product)
            for name, value in as_environment(product.settings).items():  # for the crawl, a process of its own
                monkeypatch.setenv(name, value)
            yield product


def silent(done: int, total: int) -> None:
    """Nobody watches."""


def search(app: App, work: str = "river") -> Any:
    engine = open_engine(app.settings.discover)
    try:
        return discover(app, work, engine, silent)
    finally:
        engine.close()


def urls(app: App, **wanted: Any) -> set[str]:
    return {one.url for one in app.store.discoveries.find(**wanted)}


def test_sentences_of_the_work_find_the_pages_that_hold_them(app: App, web: Web) -> None:
    found = search(app)
    assert {one.url for one in found.new} == urls(app) == {f"{PIRATE}/copy", f"{PIRATE}/part"}
    assert len(web.asked) == len(found.asked) == app.settings.discover.sentences
    assert all(query["q"][0] == f'"{sentence}"' for query, sentence in zip(web.asked, found.asked, strict=True))
    [copy] = [one for one in app.store.discoveries.find() if one.url == f"{PIRATE}/copy"]
    assert set(copy.sentences) == set(found.asked)
    again = search(app)
    assert (again.new, again.on_list) == ((), 2)


def test_pages_that_are_stored_and_the_holders_own_page_are_left_out(app: App, web: Web) -> None:
    web.texts["http://holder.test/river"] = RIVER
    capture(app, f"{PIRATE}/copy", made_page("转载", RIVER))
    found = search(app)
    assert {one.url for one in found.new} == {f"{PIRATE}/part"}
    assert found.known == 2


def test_what_stands_in_another_work_too_is_not_asked_for(app: App) -> None:
    store_work(app, "half", RIVER[:300])
    work_through(app)
    asked = questions(app, app.store.works.get("river"))
    assert asked
    assert not any(sentence in RIVER[:300].replace("\n", "") for sentence in asked)
    with pytest.raises(BadInput, match="no sentence of its own"):
        search(app, "half")


def test_near_duplicates_of_the_work_do_not_keep_its_sentences_from_being_asked_for(app: App) -> None:
    store_work(app, "edition", "".join(char for place, char in enumerate(RIVER) if place % 50))
    work_through(app)
    assert questions(app, app.store.works.get("river"))


def test_accepted_addresses_are_fetched_alone_and_their_copies_found(app: App) -> None:
    found = search(app)
    run = accept(by(app), [one.id for one in found.new])
    run_crawl(app, run.id)
    ended = app.store.runs.get(run.id)
    assert (ended.problem, ended.counts["fetched"]) == (None, 2), "what the pages link to is not fetched"
    work_through(app)
    assert pairs(app) == {(f"{PIRATE}/copy", "river"), (f"{PIRATE}/part", "river")}
    assert urls(app, status=DiscoveryStatus.ACCEPTED) == urls(app)


def test_an_address_inside_the_network_is_not_fetched(app: App, web: Web) -> None:
    web.texts = {"http://127.0.0.1:9/copy": RIVER}
    run = accept(by(app), [one.id for one in search(app).new])
    run_crawl(app, run.id)
    ended = app.store.runs.get(run.id)
    assert ended.ended_at is not None, ended
    assert ended.counts.get("fetched", 0) == 0
    assert app.store.pages.count() == 0


def test_refused_addresses_stay_refused_when_they_are_found_again(app: App) -> None:
    refuse(by(app), [one.id for one in search(app).new])
    assert search(app).new == ()
    assert urls(app, status=DiscoveryStatus.REFUSED) == urls(app)
    with pytest.raises(NotFound):
        refuse(by(app), ["none"])


@pytest.mark.parametrize(
    ("status", "body", "error", "told"),
    [
        (403, None, SetupError, "add json to search.formats"),
        (429, None, Unavailable, "raise discover.delay"),
        (500, None, Unavailable, "does not answer"),
        (200, b"<html>", SetupError, "does not answer in JSON"),
        (200, b"[]", SetupError, "not SearXNG's JSON"),
        (200, b" " * (LARGEST + 1), Unavailable, "more than 4 MB"),
    ],
)
def test_an_engine_that_does_not_answer_as_it_should_says_what_to_do(
    web: Web, status: int, body: bytes | None, error: type[Exception], told: str
) -> None:
    web.status, web.body = status, body
    engine = Searxng(web.address, timeout=5)
    with pytest.raises(error, match=told):
        engine.search("渡口的灯还亮着")
    engine.close()


def test_an_engine_that_limits_questions_is_asked_again_once_after_the_pause_that_it_wants(web: Web) -> None:
    engine = Searxng(web.address, timeout=5)
    phrase = RIVER.replace("\n", "")[:20]
    web.limits = ["0"]
    assert engine.search(phrase)
    assert len(web.asked) == 2
    for pauses, left in ((["0", "0", "0"], 1), (["3600", "0"], 1), (["tomorrow", "0"], 1)):
        web.limits = pauses
        with pytest.raises(Unavailable, match=r"raise discover\.delay"):
            engine.search(phrase)
        assert len(web.limits) == left
    engine.close()


def test_an_engine_that_is_not_there_or_no_address_is_told(app: App) -> None:
    with pytest.raises(Unavailable, match="does not answer"):
        Searxng("http://127.0.0.1:9", timeout=1).search("渡口")
    with pytest.raises(SetupError, match="no address"):
        Searxng("searx.test", timeout=1)
    with pytest.raises(SetupError, match="WENHEN_DISCOVER_URL"):
        open_engine(app.settings.discover.model_copy(update={"url": None}))


def command(app: App, *arguments: str) -> Result:
    return CliRunner(env=as_environment(app.settings)).invoke(main, arguments)


def test_the_commands_review_and_crawl(app: App) -> None:
    found = json.loads(command(app, "discover", "river", "--json").stdout)
    assert len(found["new"]) == 2
    ids = {one["url"]: one["id"] for one in found["new"]}
    assert command(app, "discovered", "refuse", ids[f"{PIRATE}/part"]).exit_code == 0
    listed = json.loads(command(app, "discovered", "list", "--status", "pending", "--json").stdout)
    assert [one["url"] for one in listed] == [f"{PIRATE}/copy"]
    assert ids[f"{PIRATE}/copy"] in command(app, "discovered", "list").stdout
    accepted = command(app, "discovered", "accept", ids[f"{PIRATE}/copy"], "--json")
    assert accepted.exit_code == 0, accepted.output
    assert json.loads(accepted.stdout)["counts"]["fetched"] == 1
    assert pairs(app) == {(f"{PIRATE}/copy", "river")}


def test_discover_with_crawl_fetches_at_once(app: App) -> None:
    done = command(app, "discover", "river", "--crawl", "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["run"]["counts"]["fetched"] == 2
    assert pairs(app) == {(f"{PIRATE}/copy", "river"), (f"{PIRATE}/part", "river")}
