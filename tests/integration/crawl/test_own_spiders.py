"""A site that a spider of one's own crawls: its items are captures with evidence, within the bounds of every crawl."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from crawler.warc.reader import read_body
from tests.support.acting import by
from tests.support.crawls.crawling import HOST, missed, run
from tests.support.local_site import served
from tests.support.way import made_page, made_text, opened, pairs, store_work, work_through
from wenhen.crawls.breakages import breakage_words, broken_sites
from wenhen.crawls.job import spider_folder, warc_folder
from wenhen.crawls.model import BreakKind, Run, RunKind
from wenhen.crawls.service import start_crawl, start_recrawls, try_site
from wenhen.kit.errors import BadInput, Forbidden
from wenhen.kit.progress import Subject, page_id
from wenhen.kit.rights import RIGHTS, Role
from wenhen.pipeline.crawl_runner import run_crawl
from wenhen.runtime.embedded.servers import ServerAddresses
from wenhen.runtime.settings_sources import settings_environment
from wenhen.runtime.wiring import App
from wenhen.sites.service import add_site, edit_site

pytestmark = pytest.mark.usefixtures("nursery")

CHECKOUT = Path(__file__).parents[3]
RIVER, SNOW = made_text("river"), made_text("snow")
SITE = "http://pirate.test"
# Chapters stand in one answer of an interface, by number; only the spider knows their addresses.
SPIDER = """
import dataclasses
from scrapy import Request, Spider

@dataclasses.dataclass
class Chapter:
    url: str
    title: str
    text: str

class Chapters(Spider):
    name = "chapters"
    custom_settings = {"ROBOTSTXT_OBEY": False, "DOWNLOAD_DELAY": 0}

    def parse(self, response):
        yield response.follow("/api?book=1", self.chapters, cb_kwargs={"book": 1}, meta={"shelf": "river"})
        yield response.follow("/page", self.page)
        yield response.follow("/secret", self.page)
        yield response.follow("/broken", self.broken)
        yield Request("http://elsewhere.test/", self.page)
        yield response.follow("/form", self.page, method="POST")
        yield response.follow("/page?by=lambda", lambda response: None)

    async def chapters(self, response, book):
        assert response.meta == {"shelf": "river"}
        for one in response.json():
            yield Chapter(f"/read/{book}/{one['number']}", one["title"], one["text"])
        yield {"url": "/read/1/9", "title": "nothing", "text": "  "}
        yield {"title": "no address", "text": "x"}
        yield {"url": "http://elsewhere.test/1", "text": "x"}
        yield {"url": "/huge", "text": "x" * 2_000_000}
        yield 7

    def page(self, response):
        return {"url": response.url, "body": response.body}

    def broken(self, response):
        yield {"url": response.url, "body": response.body}
        raise LookupError("no chapter here")

class Silent(Spider):
    name = "silent"

    def parse(self, response):
        return None

class Unmade(Spider):
    name = "unmade"

    def __init__(self):
        raise OSError("no key")

class Early(Spider):
    name = "early"

    async def start(self):
        raise LookupError("no start")
        yield

class Inward(Spider):
    name = "inward"

    def parse(self, response):
        yield response.follow("http://inner.test/", self.parse)

class Deep(Spider):
    name = "deep"

    def parse(self, response):
        yield {"url": response.url, "text": response.url * 9}
        yield response.follow(response.url + "x", self.parse)
"""


@pytest.fixture
def app(servers: ServerAddresses, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[App]:
    """A library with the river, the pirate's site on loopback, and the spiders in the folder for them."""
    chapters = [{"number": 1, "title": "渡口", "text": RIVER}, {"number": 2, "title": "雪", "text": SNOW}]
    pages = {
        "/robots.txt": ("text/plain", b"User-agent: *\nDisallow: /secret\n"),
        "/": ("text/html", b"<p>list</p>"),
        "/api?book=1": ("application/json", json.dumps(chapters).encode()),
        "/page": ("text/html; charset=utf-8", made_page("雪夜", SNOW)),
        "/secret": ("text/html", b"<p>secret</p>"),
        "/broken": ("text/html; charset=utf-8", made_page("旧页", SNOW)),
    }
    with served(pages) as site:
        host_map = {"pirate.test": site.removeprefix("http://")}
        settings = {"crawler": {"host_map": host_map, "internal_delay": 0, "retries": 0, "max_body_mb": 1}}
        with opened(servers, tmp_path, **settings) as product:
            spider_folder(product.settings).mkdir(parents=True)
            (spider_folder(product.settings) / "riverside.py").write_text(SPIDER, encoding="utf-8")
            store_work(product, "river", RIVER, url="http://holder.test/river")
            work_through(product)
            for name, value in settings_environment(product.settings).items():  # for the crawl, a process of its own
                monkeypatch.setenv(name, value)
            yield product


def crawled(app: App, spider: str, **settings: str) -> Run:
    add_site(by(app), {"urls": f"{SITE}/", "spider": spider, **settings})
    run = start_crawl(app, Subject.read("pirate.test"))
    run_crawl(app, run.id)
    return app.store.runs.get(run.id)


def test_its_items_are_captures_with_evidence_and_what_is_no_item_is_counted_by_name(app: App) -> None:
    run = crawled(app, "riverside:Chapters")
    told = {problem.kind: str(problem.reason) for problem in app.store.problems.of_run(run.id, 50)}
    assert {name: count for name, count in run.counts.items() if "_" in name} == {
        "refused_robots": 1,
        "refused_item_without_text": 1,
        "refused_item_without_url": 1,
        "refused_other_host": 2,
        "refused_too_large": 1,
        "refused_spider_output": 3,
        "failed_spider_failed": 1,
    }
    assert run.counts["fetched"] == 4
    assert "no chapter here" in told["spider_failed"]
    assert told["other_host"] == "http://elsewhere.test/1 is not on a host of this site"
    work_through(app)
    assert pairs(app) == {(f"{SITE}/read/1/1", "river")}
    page = app.store.pages.get(page_id(f"{SITE}/read/1/1"))
    assert (page.title, page.capture.url) == ("渡口", f"{SITE}/api?book=1")
    assert [str(problem) for problem in page.capture.problems] == [
        "its text was read from the server's answer by the spider riverside:Chapters"
    ]
    folder = warc_folder(app.settings)
    assert folder is not None
    assert page.capture.warc is not None
    assert json.loads(read_body(folder, page.capture.warc))[0]["text"] == RIVER, "the answer is the evidence"
    whole = app.store.pages.get(page_id(f"{SITE}/page"))
    assert whole.capture.rendered_digest is None, "the answer itself is the page"


def test_one_that_raises_stands_in_health_and_its_other_pages_are_taken(app: App) -> None:
    crawled(app, "riverside:Chapters")
    [(run, [broken])] = broken_sites(app)
    assert (str(run.subject), broken.kind, broken.count, broken.url) == (
        "pirate.test",
        BreakKind.SPIDER,
        1,
        f"{SITE}/broken",
    )
    assert "no chapter here" in str(breakage_words(broken))
    assert "自写爬虫不能用" in breakage_words(broken).text("zh")


@pytest.mark.parametrize(
    ("spider", "said"),
    [
        ("nowhere:Chapters", "the spider nowhere:Chapters cannot be loaded: ModuleNotFoundError"),
        ("riverside:Chapter", "riverside:Chapter is no subclass of scrapy.Spider"),
        ("riverside:Verses", "the spider riverside:Verses cannot be loaded: AttributeError"),
        ("riverside:Unmade", "the spider riverside:Unmade cannot be loaded: OSError: no key"),
        ("riverside:Silent", "the spider gave no page at all"),
        ("riverside:Early", "LookupError: no start"),
    ],
)
def test_one_that_cannot_be_used_says_so(app: App, spider: str, said: str) -> None:
    run = crawled(app, spider)
    assert run.ended_at is not None
    assert run.problem is not None
    [(_, [broken])] = broken_sites(app)
    assert broken.kind is BreakKind.SPIDER
    assert said in str(breakage_words(broken))


def test_a_trial_shows_what_it_would_ask_for_and_what_is_wrong_with_it(app: App) -> None:
    add_site(by(app), {"urls": f"{SITE}/", "spider": "riverside:Chapters"})
    tried = try_site(by(app), "pirate.test")
    assert set(tried.pages) == {f"{SITE}/read/1/1", f"{SITE}/read/1/2", f"{SITE}/page", f"{SITE}/broken"}
    edit_site(by(app), "pirate.test", {"spider": "nowhere:Chapters"})
    with pytest.raises(BadInput, match="looked at: the spider nowhere:Chapters cannot be loaded"):
        try_site(by(app), "pirate.test")


def test_only_administrators_choose_one_and_a_wrong_name_is_refused(app: App) -> None:
    operator = by(app, rights=RIGHTS[Role.OPERATOR])
    written = {"urls": f"{SITE}/", "spider": "riverside:Chapters"}
    with pytest.raises(Forbidden):
        add_site(operator, written)
    for wrong in ("riverside", "river side:Chapters", "riverside:", "../riverside:Chapters", "riverside:a.b"):
        with pytest.raises(BadInput, match="names no spider"):
            add_site(by(app), {**written, "spider": wrong})
    site = add_site(by(app), written)
    assert edit_site(operator, site.id, {**written, "notes": "unchanged"}).spider == "riverside:Chapters"
    with pytest.raises(Forbidden):
        edit_site(operator, site.id, {"spider": "riverside:Silent"})
    assert edit_site(operator, site.id, {"spider": ""}).spider is None


def test_no_page_of_it_is_fetched_between_two_crawls(app: App) -> None:
    crawled(app, "riverside:Chapters", every="8760")
    work_through(app)
    start_recrawls(app, app.now())
    assert app.store.runs.active(RunKind.CRAWL) == []


def test_its_requests_keep_to_the_guard_and_the_bounds(tmp_path: Path) -> None:
    (tmp_path / "inward.py").write_text(SPIDER, encoding="utf-8")
    own = {"spider_dir": str(tmp_path), "hosts": ("outer.test", "inner.test"), "internal": False, "host_map": {}}
    guard = {"public": "127.0.0.1", "answers": {"outer.test": ["127.0.0.1"], "inner.test": ["10.0.0.1"]}}
    inward = run("http://outer.test:{port}/", test=guard, obey_robots=False, spider="inward:Inward", **own)
    assert missed(inward) == {"refused_private_address": 1}
    deep = run("/winding/", spider="inward:Deep", spider_dir=str(tmp_path), max_depth=3)
    assert (len(deep["pages"]), missed(deep)) == (4, {"refused_too_deep": 1})
    bounded = run("/winding/", spider="inward:Deep", spider_dir=str(tmp_path), max_depth=9, max_pages=2)
    assert (len(bounded["pages"]), bounded["counts"]["refused_page_limit"]) == (2, 1)
    assert deep["pages"][f"{HOST}/winding/"]["warc"] is None


def test_the_example_of_the_manual_works_and_scrapys_own_commands_list_it(tmp_path: Path) -> None:
    manual = (CHECKOUT / "docs/spiders.md").read_text(encoding="utf-8")
    [example] = re.findall(r"```python\n(.*?)```", manual, re.DOTALL)
    (tmp_path / "riverside.py").write_text(example, encoding="utf-8")
    (tmp_path / "unwell.py").write_text("import nowhere_at_all", encoding="utf-8")
    environment = os.environ | {"WENHEN_CRAWLER_SPIDERS": str(tmp_path)}
    scrapy = [sys.executable, "-m", "scrapy"]
    listed = subprocess.run(
        [*scrapy, "list"], cwd=CHECKOUT, env=environment, capture_output=True, text=True, timeout=300, check=True
    )
    assert listed.stdout.split() == ["riverside"]
    page = '<a class="chapter" href="/1">1</a><h1>渡口</h1><p class="page">'
    with served({"/": ("text/html; charset=utf-8", page.encode()), "/robots.txt": ("text/plain", b"")}) as site:
        shown = subprocess.run(
            [*scrapy, "shell", "--nolog", site, "-c", "response.css('h1::text').get()"],
            cwd=CHECKOUT, env=environment, capture_output=True, text=True, timeout=300, check=True,
        )  # fmt: skip
    assert "渡口" in shown.stdout
