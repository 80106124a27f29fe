"""Sites are added, found, changed and paused; what cannot be used is refused and said so."""

import dataclasses
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from crawler.site_access import Access
from tests.support.acting import by
from tests.support.crawls.serving import Handler, serving
from tests.support.way import opened
from wenhen.crawls.job import make_crawl_job
from wenhen.crawls.service import TRIAL_PAGES, remove_site, try_site
from wenhen.kit.clock import CHINA
from wenhen.kit.errors import BadInput, Conflict, FetchRefused, NotFound
from wenhen.kit.rights import RIGHTS, Role
from wenhen.runtime.embedded.servers import ServerAddresses
from wenhen.runtime.wiring import App
from wenhen.sites.import_export import import_sites_csv
from wenhen.sites.model import Layout
from wenhen.sites.service import add_site, choose_site_ids, edit_site, pause_site, resume_site, survey_site

pytestmark = pytest.mark.usefixtures("nursery")

NOON = datetime(2026, 3, 2, 4, 0, tzinfo=UTC)  # in Shanghai


@pytest.fixture
def app(servers: ServerAddresses, tmp_path: Path) -> Iterator[App]:
    with opened(servers, tmp_path, crawler={"host_map": {}}) as product:
        yield dataclasses.replace(product, now=lambda: NOON)


def test_hosts_in_their_own_letters_are_kept_as_they_are_looked_up(app: App) -> None:
    site = add_site(by(app), {"urls": "http://新闻.中国/要闻", "hosts": "*.新闻.中国"})
    assert (site.id, site.hosts) == ("xn--efvy88h.xn--fiqs8s", ("xn--efvy88h.xn--fiqs8s", "*.xn--efvy88h.xn--fiqs8s"))
    assert site.name == edit_site(by(app), site.id, {"name": ""}).name == "新闻.中国"
    assert make_crawl_job(site, app.settings, Access(id=site.id)).wants("http://m.新闻.中国/1")


def test_what_is_set_is_what_the_crawler_does(app: App) -> None:
    site = add_site(
        by(app),
        {
            "urls": "http://a.test/ http://www.a.test/list",
            "hosts": "*.a.test",
            "layout": "host",
            "include": "/book/ re:/\\d+$",
            "exclude": "/login",
            "delay": "2.5",
            "concurrency": "3",
            "tags": "小说 重点 小说",
            "notes": "每天看",
        },
    )
    assert site == app.store.sites.get("a.test")
    assert (site.hosts, site.tags, site.notes) == (("a.test", "www.a.test", "*.a.test"), ("小说", "重点"), "每天看")
    job = make_crawl_job(site, app.settings, Access(id=site.id))
    assert (job.delay, job.concurrency) == (2.5, 3)
    assert job.start_urls[2:] == ("http://a.test/robots.txt", "http://www.a.test/robots.txt")
    assert [
        job.wants(f"http://{url}") for url in ("a.test/book/1", "m.a.test/x/7", "a.test/x", "a.test/book/login")
    ] == [
        True,
        True,
        False,
        False,
    ]
    listed = edit_site(by(app), "a.test", {"layout": "sitemap"})
    assert make_crawl_job(listed, app.settings, Access(id="a.test")).max_depth == 0


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("urls", "ftp://a.test/", "urls: ftp://a.test/ is not an address"),
        ("urls", "", "urls: a site needs an address"),
        (
            "urls",
            "http://me:word@a.test/",
            "urls: http://me:***@a.test/ is not an address that can be crawled: leave",
        ),
        ("hosts", "http://a.test", "hosts: http://a.test is no host name"),
        ("layout", "blog", "layout: blog is none of news, novel"),
        ("every", "0", "every: 0 is not from 0.1 to 8760"),
        ("max_pages", "1.5", "max_pages: '1.5' is no whole number"),
        ("cron", "30 3 * *", "cron: '30 3 * *' is no schedule"),
        ("cron", "61 3 * * *", "is no schedule"),
        ("cron", "0 3 31 2 *", "its day never comes"),
        ("quiet", "8-9-10", "quiet: '8-9-10' are no quiet hours"),
        ("include", "re:(", "is not a regular expression"),
        ("paused", "perhaps", "paused: perhaps is neither yes nor no"),
        ("headers", "chrome", "headers: there is no header profile 'chrome'"),
        ("mirrors", "*.a.test", "is no name of one host"),
        ("colour", "red", "colour is no setting of a site"),
    ],
)
def test_what_cannot_be_used_is_refused_by_its_name(app: App, name: str, text: str, said: str) -> None:
    add_site(by(app), {"urls": "http://a.test/"})
    with pytest.raises(BadInput, match=said.replace("(", r"\(").replace("*", r"\*")):
        edit_site(by(app), "a.test", {"notes": "x", name: text})
    assert app.store.sites.get("a.test").notes == ""


def test_a_setting_is_taken_back_by_nothing(app: App) -> None:
    add_site(by(app), {"urls": "http://a.test/", "cron": "30 3 * * *", "delay": "2", "name": "甲站"})
    site = edit_site(by(app), "a.test", {"cron": "", "delay": "", "name": ""})
    assert (site.cron, site.delay, site.name) == (None, None, "a.test")


def test_a_new_schedule_counts_from_now(app: App) -> None:
    assert add_site(by(app), {"urls": "http://a.test/"}).due <= NOON + timedelta(seconds=1)
    nightly = add_site(by(app), {"urls": "http://b.test/", "cron": "30 3 * * *"})
    assert nightly.due == datetime(2026, 3, 3, 3, 30, tzinfo=CHINA)
    assert edit_site(by(app), "a.test", {"every": "6"}).due == NOON + timedelta(hours=6)
    assert edit_site(by(app), "a.test", {"cron": "0 13 * * 1"}).due == NOON + timedelta(hours=1)
    assert edit_site(by(app), "a.test", {"notes": "x"}).due == NOON + timedelta(hours=1)


def test_a_paused_site_is_crawled_again_at_its_time(app: App) -> None:
    add_site(by(app), {"urls": "http://a.test/", "cron": "30 3 * * *"})
    add_site(by(app), {"urls": "http://b.test/"})
    for id in ("a.test", "b.test"):
        assert pause_site(by(app), id).paused
    later = dataclasses.replace(app, now=lambda: NOON + timedelta(days=3))
    assert later.store.sites.due(later.now()) == []
    assert resume_site(by(later), "a.test").due == datetime(2026, 3, 6, 3, 30, tzinfo=CHINA)
    assert resume_site(by(later), "b.test").due <= NOON + timedelta(seconds=1), "at once"


def test_sites_are_chosen_by_their_tag(app: App) -> None:
    for name, tags in (("a", "小说"), ("b", "新闻 小说"), ("c", "")):
        add_site(by(app), {"urls": f"http://{name}.test/", "tags": tags})
    assert choose_site_ids(app, ["c.test", "a.test"], "小说") == ["c.test", "a.test", "b.test"]
    with pytest.raises(BadInput, match="no site has the tag 诗"):
        choose_site_ids(app, [], "诗")


def test_a_removed_site_is_forgotten_with_its_session(app: App) -> None:
    add_site(by(app), {"urls": "http://a.test/"})
    app.store.accesses.set_proxies("a.test", ("http://p.test:1",), NOON)
    remove_site(by(app), "a.test")
    assert app.store.accesses.get("a.test").proxies == ()
    with pytest.raises(NotFound):
        remove_site(by(app), "a.test")


def test_a_csv_file_adds_its_sites_and_refuses_lines_with_their_reason(app: App) -> None:
    add_site(by(app), {"urls": "http://there.test/"})
    done = import_sites_csv(
        by(app),
        "\ufeffid,urls,name,layout,every,tags,notes\n"
        ',http://a.test/ http://a.test/b,甲,novel,12,小说 甲,"两行\n说明"\n'
        ",http://there.test/,,,,,\n"
        ",not an address,,,,,\n"
        ",http://b.test/,,blog,,,\n"
        ",http://c.test/,,,,,,too many\n"
        "own,http://d.test/\n".encode(),
    )
    assert [(site.id, site.layout, site.interval_hours) for site in done.added] == [
        ("a.test", Layout.NOVEL, 12),
        ("own", Layout.NEWS, 24),
    ]
    assert done.added[0].notes == "两行\n说明"
    assert [(line, str(reason).split(":")[0]) for line, reason, _ in done.refused] == [
        (4, "the site there.test is there already"),
        (5, "urls"),
        (6, "layout"),
        (7, "more fields than the first line names"),
    ]


@pytest.mark.parametrize(
    ("first", "said"),
    [
        ("name,every", "has no column urls"),
        ("urls,colour", "'colour'"),
        ("urls" * 50_000, "field larger|unknown column .{,90};"),
    ],
)
def test_a_csv_file_whose_first_line_does_not_fit_is_refused(app: App, first: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        import_sites_csv(by(app), f"{first}\nhttp://a.test/,1\n".encode())


def test_tables_as_people_save_them_are_read_and_a_quote_left_open_swallows_no_line(app: App) -> None:
    for between, host in ((";", "a.test"), ("\t", "b.test")):
        table = f"URLs{between} Id \r\nhttp://{host}/{between}{host}\r\n{between}\r\n\r\n"
        done = import_sites_csv(by(app), table.encode())
        assert ([site.id for site in done.added], done.refused) == ([host], ())
    done = import_sites_csv(by(app), b'urls,id\nhttp://c.test/,c\n"http://d.test/,d\nhttp://e.test/,e\n')
    assert [site.id for site in done.added] == ["c"]
    assert [(line, str(reason).split(":")[0]) for line, reason, _ in done.refused] == [(3, "not CSV")]


def test_a_csv_file_as_excel_writes_it_in_china_is_read_and_what_is_no_text_is_refused(app: App) -> None:
    lines = "urls,name,tags\r\nhttp://a.test/,晚报连载,小说\r\n"
    [site] = import_sites_csv(by(app), lines.encode("gb18030")).added
    assert (site.name, site.tags) == ("晚报连载", ("小说",))
    with pytest.raises(BadInput, match="is no CSV of text"):
        import_sites_csv(by(app), bytes(range(128, 256)) * 9)


def test_lines_of_internal_sites_are_refused_where_these_may_not_be_added(app: App) -> None:
    lines = "urls,internal\nhttp://a.test/,是\nhttp://b.test/,\nhttp://c.test/,perhaps\n"
    done = import_sites_csv(by(app, rights=RIGHTS[Role.OPERATOR]), lines.encode())
    assert [(site.id, site.internal) for site in done.added] == [("b.test", False)]
    assert [(line, str(reason).split(":")[0]) for line, reason, _ in done.refused] == [(2, "internal"), (4, "internal")]


def test_hosts_that_are_declared_mirrors_are_counted_as_the_first_until_they_are_taken_back(app: App) -> None:
    site = add_site(by(app), {"urls": "http://a.test/", "mirrors": "M.a.test wap.a.test"})
    assert site.mirrors == ("m.a.test", "wap.a.test")
    assert app.store.mirrors.mains() == {"m.a.test": "a.test", "wap.a.test": "a.test"}
    assert edit_site(by(app), "a.test", {"mirrors": "m.a.test", "notes": "x"}).mirrors == ("m.a.test",)
    assert app.store.mirrors.mains() == {"m.a.test": "a.test"}
    assert edit_site(by(app), "a.test", {"mirrors": ""}).mirrors == ()
    assert app.store.mirrors.mains() == {}


def test_an_id_that_cannot_stand_in_an_address_is_refused(app: App) -> None:
    with pytest.raises(BadInput, match="is no id of a site"):
        add_site(by(app), {"urls": "http://a.test/"}, id="a/b")


def test_a_site_that_is_there_is_not_written_over(app: App) -> None:
    add_site(by(app), {"urls": "http://a.test/", "notes": "mine"})
    with pytest.raises(Conflict, match="there already"):
        add_site(by(app), {"urls": "http://a.test/"})
    assert app.store.sites.get("a.test").notes == "mine"


class Offering(Handler):
    """A site with a sitemap that its robots.txt names, one of the usual name, and a feed that its front page names."""

    def page(self) -> None:
        match self.path:
            case "/robots.txt":
                self.reply("User-agent: *\nSitemap: /maps/news.xml\n", ("Content-Type", "text/plain"))
            case "/maps/news.xml" | "/sitemap.xml":
                self.reply(
                    "<urlset><url><loc>/1</loc></url><url><loc>/2</loc></url></urlset>", ("Content-Type", "text/xml")
                )
            case "/news":
                feed = "<link rel=alternate type=application/rss+xml href=/feeds/all>"
                page = f"<html><head><meta charset=gbk><title>晚报网</title>{feed}</head><body>新闻</body></html>"
                self.reply(page.encode("gbk"))
            case "/old":
                self.reply("", ("Location", "/news"), status=301)
            case "/feeds/all":
                self.reply("<rss><channel><item><link>/1</link></item></channel></rss>", ("Content-Type", "text/xml"))
            case _:
                self.reply("", status=404)


def test_a_site_is_found_by_what_it_offers(servers: ServerAddresses, tmp_path: Path) -> None:
    with serving(Offering) as address, opened(servers, tmp_path) as app:
        home = f"http://{address}"
        found = survey_site(by(app), f"{home}/news", internal=True)
        assert (found.name, found.layout, found.pages) == ("晚报网", Layout.SITEMAP, 5)
        assert set(found.sitemaps) == {f"{home}/maps/news.xml", f"{home}/sitemap.xml"}
        assert found.feeds == (f"{home}/feeds/all",)
        moved = survey_site(by(app), f"{home}/old", internal=True)
        assert (moved.name, moved.feeds) == (found.name, found.feeds), "most sites send on to https, or to www."
        site = add_site(by(app), {**found.setting_values(), "internal": "yes"})
        assert (site.layout, set(site.start_urls)) == (Layout.SITEMAP, set(found.sitemaps))
        asked = Offering.seen.total()
        with pytest.raises(BadInput, match="private network"):
            survey_site(by(app), f"{home}/news")
        assert Offering.seen.total() == asked


class Shelf(Handler):
    """A front page with books, more than are looked at, and what is not wanted."""

    def page(self) -> None:
        match self.path:
            case "/robots.txt":
                self.reply("User-agent: *\nDisallow: /closed\n", ("Content-Type", "text/plain"))
            case "/":
                links = ("closed", "tag/1", *(f"book/{number}" for number in range(30)))
                self.reply("".join(f"<a href=/{link}>{link}</a>" for link in links))
            case _:
                self.reply(f"<p>{self.path}</p>")


def test_what_a_crawl_would_ask_for_is_tried_out_and_nothing_is_stored(
    servers: ServerAddresses, tmp_path: Path
) -> None:
    with serving(Shelf) as address, opened(servers, tmp_path, crawler={"internal_delay": 0.0}) as app:
        home = f"http://{address}"
        site = add_site(by(app), {"urls": f"{home}/", "internal": "yes", "exclude": "/tag/"})
        tried = try_site(by(app), site.id)
        assert list(tried.asked) == [f"{home}/", f"{home}/closed", *(f"{home}/book/{number}" for number in range(30))]
        assert len(tried.pages) == TRIAL_PAGES
        assert [url for url, _ in tried.missed] == [f"{home}/closed"]
        assert "robots.txt" in str(tried.missed[0][1])
        assert Shelf.seen["/tag/1"] == 0
        assert (app.store.pages.count(), app.store.runs.recent(limit=9), app.store.problems.recent()) == (0, [], [])
        assert not list(tmp_path.rglob("*.warc*"))


class Silent(Handler):
    """A site whose server ends the connection of every page."""

    def page(self) -> None:
        if self.path == "/robots.txt":
            self.reply("", ("Content-Type", "text/plain"))
        self.close_connection = True


def test_a_server_that_cannot_be_reached_is_not_asked_for_its_lists(servers: ServerAddresses, tmp_path: Path) -> None:
    with serving(Silent) as address, opened(servers, tmp_path) as app:
        with pytest.raises(FetchRefused):
            survey_site(by(app), f"http://{address}/news", internal=True)
        assert set(Silent.seen) == {"/robots.txt", "/news"}
        with pytest.raises(FetchRefused, match=f"https://{address}/news: "):
            survey_site(by(app), f"{address}/news", internal=True)


def test_an_address_without_a_scheme_is_completed(app: App) -> None:
    site = add_site(by(app), {"urls": "书库.example/list http://m.example/"})
    assert site.start_urls == ("https://书库.example/list", "http://m.example/")
    assert edit_site(by(app), site.id, {"urls": "b.example:8443"}).start_urls == ("https://b.example:8443",)
