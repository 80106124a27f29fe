"""Pages that were taken down, by what real servers say of them, and what becomes of their cases."""

import dataclasses
from collections.abc import Iterator
from datetime import timedelta
from hashlib import sha256
from pathlib import Path

import pytest

from crawler.ports import Arrival
from tests.support.crawls.crawling import missed, run
from tests.support.crawls.serving import Handler, serving
from tests.support.killed import Killed, killed
from tests.support.way import capture, made_page, made_text, opened, pairs, store_work, work_through
from wenhen.crawls.sink import StoringSink
from wenhen.kit.clock import utc_now
from wenhen.kit.errors import message, plain_message
from wenhen.kit.progress import page_id
from wenhen.runtime.embedded.servers import ServerAddresses
from wenhen.runtime.wiring import App

HOST = "http://novels.wenhen-test.test"
URL, RIVER = f"{HOST}/river", made_text("river")
SENT_ON = {
    "/home": "/",
    "/www": "http://www.novels.wenhen-test.test/index.html",
    "/by-notice": "/soft",
    "/elsewhere": "/moved",
}
FOR_GOOD = {"/renamed": "/new-name", "/closed": "/login?next=/closed"}


class Novels(Handler):
    def page(self) -> None:
        statuses = {"/404": 404, "/410": 410, "/451": 451, "/500": 500, "/forbidden": 403}
        if self.path in statuses:
            self.reply("<h1>错误</h1>", status=statuses[self.path])
        elif self.path in ("/soft", "/taken-down"):
            status = 200 if self.path == "/soft" else 403
            self.reply("<ul><li><a href=/>首页</a></ul><p>应版权方要求，该内容已被删除</p>", status=status)
        elif to := SENT_ON.get(self.path):
            self.reply("", ("Location", to), status=302)
        elif to := FOR_GOOD.get(self.path):
            self.reply("", ("Location", to), status=301)
        elif self.path == "/reset":
            self.close_connection = True
        else:
            self.reply(f"<p>{RIVER}</p>" if self.path != "/robots.txt" else "")


def test_what_a_server_says_is_gone_is_told_apart_from_what_it_does_not_deliver() -> None:
    answered = ("/404", "/410", "/451", "/500", "/forbidden", "/soft", "/taken-down", "/reset")
    paths = [path[1:] for path in (*answered, *SENT_ON, *FOR_GOOD)]
    with serving(Novels) as address:
        hosts = dict.fromkeys(("novels.wenhen-test.test", "www.novels.wenhen-test.test"), address)
        # The front page was captured before and need not be asked for: "/home" is answered from what is stored.
        test = {"memory": {f"{HOST}/": ["<p>首页</p>", '"v1"', None]}, "rested": [f"{HOST}/"]}
        result = run(*[f"{HOST}/{path}" for path in paths], test=test, host_map=hosts, retries=0, max_depth=0)
    gone = {url.removeprefix(HOST): reason for url, reason in result["gone"].items()}
    assert set(gone) == {"/404", "/410", "/451", "/soft", "/taken-down", "/home", "/www", "/by-notice", "/renamed"}
    assert gone["/410"] == "the server answered 410"
    assert "该内容已被删除" in gone["/by-notice"]
    assert gone["/renamed"] == f"moved for good to {HOST}/new-name"
    assert gone["/home"] == f"sends its visitors to the front page, {HOST}/"
    assert {url.removeprefix(HOST) for url in result["pages"]} == {*("/moved", SENT_ON["/www"], *FOR_GOOD.values())}
    assert missed(result)["refused_removed"] == 3
    assert missed(result)["failed_http_500"] == missed(result)["failed_http_403"] == 1


@pytest.fixture
def app(servers: ServerAddresses, tmp_path: Path) -> Iterator[App]:
    with opened(servers, tmp_path) as product:
        store_work(product, "river", RIVER)
        work_through(product)
        capture(product, URL, made_page("河", RIVER))
        work_through(product)
        yield product


def test_a_case_is_absent_while_its_page_is_gone_and_present_again_when_it_returns(app: App) -> None:
    assert pairs(app, present=True) == {(URL, "river")}
    sink = StoringSink(app, "run", "site")
    sink.report_gone(URL, plain_message("the server answered 404"))
    sink.report_gone(f"{HOST}/never-seen", plain_message("the server answered 404"))
    page = app.store.pages.get(page_id(URL))
    assert page.gone_at is not None
    assert page.gone_reason == plain_message("the server answered 404")
    assert pairs(app, present=True) == set()
    assert pairs(app, present=False) == {(URL, "river")}
    assert app.store.pages.count() == 1

    tomorrow = dataclasses.replace(app, now=lambda: utc_now() + timedelta(days=1))
    StoringSink(tomorrow, "run", "site").report_gone(URL, plain_message("the server answered 410"))
    assert app.store.pages.get(page_id(URL)).gone_at == page.gone_at, "since when it is gone stays"

    capture(app, URL, made_page("河", RIVER))  # the very same page
    work_through(app)
    assert app.store.pages.get(page_id(URL)).gone_at is None
    assert pairs(app, present=True) == {(URL, "river")}


def test_cases_are_absent_though_the_crawl_that_heard_that_their_page_is_gone_died_before_it_marked_them(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The crawl that goes on where it was hears it again."""
    with monkeypatch.context() as dying:
        dying.setattr(type(app.store.cases), "mark_absent", killed)
        with pytest.raises(Killed):
            StoringSink(app, "run", "site").report_gone(URL, plain_message("the server answered 404"))
    StoringSink(app, "run", "site").report_gone(URL, plain_message("the server answered 404"))
    assert pairs(app, present=True) == set()


def test_cases_are_present_again_though_the_crawl_that_saw_their_page_again_died_before_its_next_write(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    StoringSink(app, "run", "site").report_gone(URL, plain_message("the server answered 404"))
    with monkeypatch.context() as dying:
        for where, write in ((type(app.store.pages), "restart"), (type(app.queue), "steps")):
            dying.setattr(where, write, killed)
        with pytest.raises(Killed):
            capture(app, URL, made_page("河", RIVER))
    capture(app, URL, made_page("河", RIVER))
    work_through(app)
    assert app.store.pages.get(page_id(URL)).gone_at is None
    assert pairs(app, present=True) == {(URL, "river")}


def test_a_copy_that_is_found_only_after_its_page_vanished_is_a_case_that_is_absent(app: App) -> None:
    lake = made_text("lake")
    capture(app, f"{HOST}/lake", made_page("湖", lake))
    work_through(app)
    StoringSink(app, "run", "site").report_gone(f"{HOST}/lake", plain_message("the server answered 404"))
    store_work(app, "lake", lake)
    work_through(app)
    assert pairs(app, present=False) == {(f"{HOST}/lake", "lake")}


def test_a_page_is_one_by_http_and_https_and_keeps_its_case_when_its_site_moves_to_https(app: App) -> None:
    by_https = URL.replace("http:", "https:")
    sink = StoringSink(app, "run", "site")
    [known] = sink.recall_pages([by_https])
    assert known == sink.recall_pages([URL])[0], "its server is asked whether that page changed"
    old = app.store.pages.get(page_id(URL)).capture
    body = made_page("河", RIVER + "新的一行，昨天还没有。")
    taken = dataclasses.replace(
        old, url=by_https, fetched_at=app.now(), body_size=len(body), body_digest=sha256(body).hexdigest()
    )
    sink.store_captures([Arrival(by_https, taken, body)])
    work_through(app)
    assert app.store.pages.count() == 1
    assert app.store.pages.get(page_id(URL)).capture.url == by_https
    assert pairs(app, present=True) == {(URL, "river")}


def test_of_a_page_that_was_kept_twice_by_http_and_https_one_case_stays_present(app: App) -> None:
    by_https = URL.replace("http:", "https:")
    capture(app, by_https, made_page("河", RIVER))
    work_through(app)
    assert pairs(app, present=True) == {(URL, "river"), (by_https, "river")}
    sink, body = StoringSink(app, "run", "site"), made_page("河", RIVER)
    sink.recall_pages([URL])
    taken = dataclasses.replace(app.store.pages.get(page_id(URL)).capture, fetched_at=app.now())
    sink.store_captures([Arrival(URL, taken, body)])
    work_through(app)
    assert pairs(app, present=True) == {(by_https, "river")}
    assert app.store.pages.get(page_id(URL)).gone_reason == message("fetch.moved", url=by_https)
