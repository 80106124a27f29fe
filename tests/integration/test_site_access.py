"""How a site is reached, decided by people and used by its crawls."""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from crawler.job import RenderMode
from crawler.ports import Arrival, KnownPage
from crawler.site_access import Cookie, mask_url_password
from tests.support.acting import by
from tests.support.way import capture, made_page, made_text, opened, work_through
from wenhen.crawls.job import make_crawl_job
from wenhen.crawls.model import RunKind, RunState
from wenhen.crawls.service import remove_site
from wenhen.crawls.sink import SteeredStoringSink, StoringSink
from wenhen.kit.errors import BadInput, NotFound, SetupError
from wenhen.kit.progress import Step, Subject
from wenhen.runtime.embedded.servers import ServerAddresses
from wenhen.runtime.wiring import App
from wenhen.sites.access import (
    clear_session_cookies,
    forget_rendering,
    open_access,
    override_robots,
    respect_robots,
    retry_rendering,
    set_proxies,
    set_session_cookies,
)
from wenhen.sites.service import add_site, edit_site

LEARNS = RenderMode.LEARN if shutil.which("chromium") else RenderMode.NEVER
PROXY = "http://me:s3cret@proxy.test:3128"


@pytest.fixture
def app(servers: ServerAddresses, tmp_path: Path) -> Iterator[App]:
    crawler = {"proxies": ["http://general.test:3128"], "contact": "https://rights.example/bot"}
    with opened(servers, tmp_path, crawler=crawler) as product:
        add_site(by(product), {"urls": "http://news.test/"}, id="news")
        yield product


def test_a_crawl_is_made_of_the_site_and_of_what_is_known_of_the_way_to_it(app: App) -> None:
    plain = make_crawl_job(app.store.sites.get("news"), app.settings, open_access(app, "news"))
    assert (plain.proxies, plain.cookies, plain.render) == (("http://general.test:3128",), (), LEARNS)
    assert plain.obey_robots
    assert plain.contact == "https://rights.example/bot"

    set_proxies(by(app), "news", [PROXY])
    edit_site(by(app), "news", {"render": "on", "headers": "mobile"})
    given = ".news.test\tTRUE\t/\tFALSE\t0\tsid\t7f\n.other.test\tTRUE\t/\tFALSE\t0\tsid\t1\n"
    set_session_cookies(by(app), "news", given)
    override_robots(by(app), "news", reason="书面授权 2026-17")
    job = make_crawl_job(app.store.sites.get("news"), app.settings, open_access(app, "news"))
    assert job.proxies == (PROXY,)
    assert job.cookies == (Cookie(name="sid", value="7f", domain=".news.test"),), "of its own hosts only"
    assert (job.render, job.header_profile, job.obey_robots) == (RenderMode.ALWAYS, "mobile", False)
    assert "s3cret" not in repr(job)
    assert "7f" not in repr(job)


def test_a_site_learns_that_its_empty_pages_are_to_be_rendered_until_people_undo_it(app: App) -> None:
    def asked() -> RenderMode:
        return make_crawl_job(app.store.sites.get("news"), app.settings, open_access(app, "news")).render

    run = app.store.runs.start(RunKind.CRAWL, Subject.read("news"), app.now())
    sink = SteeredStoringSink(app, run, app.store.sites.get("news"), ())
    app.store.runs.move(run.id, {RunState.WAITING}, RunState.GOING, app.now())
    sink.needs_browser("http://news.test/app")
    assert asked() is RenderMode.EMPTY
    assert not sink.should_leave_off(), "the crawl that found it out does so already, and goes on"
    sink.needs_browser("http://news.test/other")
    assert app.store.sites.get("news").render_learned_from == "http://news.test/app"

    forget_rendering(by(app), "news")
    assert asked() is RenderMode.NEVER
    sink.needs_browser("http://news.test/app")
    assert asked() is RenderMode.NEVER, "what people undid is not learned again"
    assert retry_rendering(by(app), "news").learns_render
    assert asked() is LEARNS
    log = [(one.who, one.action, one.old, one.new) for one in app.store.audit.find(limit=3)]
    assert log == [
        ("陆", "site.try_rendering", None, None),
        ("陆", "site.unlearn_rendering", "http://news.test/app", None),
        ("wenhen", "site.learn_rendering", None, "http://news.test/app"),
    ]


def test_overriding_robots_needs_a_reason_and_is_logged_with_it(app: App) -> None:
    with pytest.raises(BadInput, match="needs a reason"):
        override_robots(by(app), "news", reason=" ")
    site = override_robots(by(app), "news", reason="书面授权")
    assert (site.ignore_robots_reason, site.ignore_robots_by) == ("书面授权", "陆")
    assert site.ignore_robots_at is not None
    obeying = respect_robots(by(app, "沈"), "news")
    assert (obeying.ignore_robots_reason, obeying.ignore_robots_by, obeying.ignore_robots_at) == (None, None, None)
    log = [(one.who, one.action, one.subject, one.old, one.new) for one in app.store.audit.find(limit=2)]
    assert log == [
        ("沈", "site.obey_robots", "site:news", "书面授权", None),
        ("陆", "site.ignore_robots", "site:news", None, "书面授权"),
    ]


def test_what_cannot_be_used_is_refused_and_what_was_there_stays(app: App) -> None:
    set_session_cookies(by(app), "news", "sid=7f")
    for wrong in ("nothing", ".other.test\tTRUE\t/\tFALSE\t0\tsid\t1\n"):
        with pytest.raises(BadInput):
            set_session_cookies(by(app), "news", wrong)
    with pytest.raises(BadInput, match="host:port"):
        set_proxies(by(app), "news", [PROXY, "socks5://a:1"])
    with pytest.raises(BadInput, match="header profile"):
        edit_site(by(app), "news", {"headers": "chrome"})
    with pytest.raises(NotFound):
        set_session_cookies(by(app), "no", "a=1")
    assert [cookie.name for cookie in open_access(app, "news").cookies] == ["sid"]
    clear_session_cookies(by(app), "news")
    assert open_access(app, "news").cookies == ()


def test_a_masked_password_stays_as_it_is_and_the_log_holds_no_secret(app: App) -> None:
    set_session_cookies(by(app), "news", "sid=7f-secret")
    set_proxies(by(app), "news", [PROXY, "plain.test:8080"])
    set_proxies(by(app, "沈"), "news", ["http://me:***@proxy.test:3128"])
    assert open_access(app, "news").proxies == (PROXY,)
    with pytest.raises(BadInput, match="write its password"):
        set_proxies(by(app, "沈"), "news", ["http://me:***@other.test:3128"])
    log = [(one.who, one.action, one.old, one.new) for one in app.store.audit.find(limit=3)]
    both = "http://me:***@proxy.test:3128 plain.test:8080"
    assert log == [
        ("沈", "site.proxies", both, "http://me:***@proxy.test:3128"),
        ("陆", "site.proxies", None, both),
        ("陆", "site.session", None, "sid@news.test"),
    ]


def test_what_is_kept_of_a_way_to_a_site_holds_no_secret_that_could_be_read(app: App) -> None:
    set_session_cookies(by(app), "news", "sid=7f5e0c")
    set_proxies(by(app), "news", [PROXY, "http://open.test:1"])
    kept = app.store.accesses.get("news")
    assert not [secret for secret in ("7f5e0c", "s3cret") if secret in str(kept)]
    assert [mask_url_password(url) for url in kept.proxies] == ["http://me:***@proxy.test:3128", "http://open.test:1"]
    assert open_access(app, "news").proxies == (PROXY, "http://open.test:1")
    edit_site(by(app), "news", {"urls": "http://news.test/b"})
    app.store.accesses.set_cookies("other", kept.cookies, app.now())
    with pytest.raises(SetupError):
        open_access(app, "other")  # worth nothing in another record


def test_the_session_that_a_crawl_ends_with_is_what_the_next_begins_with(app: App) -> None:
    set_session_cookies(by(app), "news", "sid=7f")
    begun = open_access(app, "news").cookies
    StoringSink(app, "run", "news", cookies=begun).session([Cookie(name="sid", value="8a", domain="news.test")])
    assert make_crawl_job(app.store.sites.get("news"), app.settings, open_access(app, "news")).cookies[0].value == "8a"


def test_a_crawl_does_not_write_over_a_session_that_was_brought_or_ended_meanwhile(app: App) -> None:
    set_session_cookies(by(app), "news", "sid=7f")
    sink = StoringSink(app, "run", "news", cookies=open_access(app, "news").cookies)
    left = [Cookie(name="sid", value="8a", domain="news.test")]
    set_session_cookies(by(app), "news", "sid=9b")
    sink.session(left)
    assert [cookie.value for cookie in open_access(app, "news").cookies] == ["9b"]
    clear_session_cookies(by(app), "news")
    sink.session(left)
    assert open_access(app, "news").cookies == ()
    remove_site(by(app), "news")
    sink.session(left)
    assert open_access(app, "news").cookies == ()


def test_the_text_of_a_rendered_page_is_read_from_what_the_browser_made_of_it(app: App) -> None:
    id = capture(app, "http://news.test/a", b"<div id=app></div><script src=/a.js></script>")
    first = app.store.pages.get(id).capture
    work_through(app)
    assert app.store.pages.get(id).note == "no_text"

    text = made_text("rendered")
    dom = made_page("渲染", text).replace(b"charset='utf-8'", b"charset='gb2312'")
    later = replace(first, rendered_digest=sha256(dom).hexdigest(), fetched_at=app.now())
    sink = StoringSink(app, "run", "news")
    sink.store_captures([Arrival("http://news.test/a", later, app.store.blobs.get(first.body_digest), dom)])
    page = app.store.pages.get(id)
    assert page.progress.step is Step.EXTRACT, "another rendering of the same body is another content"
    work_through(app)
    assert app.store.blobs.get_text(app.store.pages.get(id).text_digest or "").endswith(text)
    assert sink.recall_pages(["http://news.test/a"]) == [KnownPage()], (
        "what a server says of the shell says nothing of the page"
    )
