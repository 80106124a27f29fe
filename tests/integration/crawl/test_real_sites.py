"""Three sites that nobody here wrote, with their real HTML, crawled, read and compared as in production.

They are Debian's Chinese manuals, which `make manuals` unpacks below out/, or as they are installed. Without them the
tests skip.
"""

import dataclasses
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from email.utils import formatdate
from pathlib import Path
from urllib.parse import urldefrag, urljoin, urlsplit

import lxml.html
import pytest

from tests.support.acting import by
from tests.support.crawls.crawlers import crawler
from tests.support.crawls.serving import Handler, serving
from tests.support.way import opened, store_work, work_through
from wenhen.archive.integrity import verify_archive
from wenhen.crawls.model import RunKind
from wenhen.crawls.service import start_crawl
from wenhen.kit.clock import utc_now
from wenhen.kit.progress import Subject
from wenhen.matching.rematch import apply_new_templates
from wenhen.pages.model import Page
from wenhen.runtime.embedded.servers import ServerAddresses
from wenhen.runtime.wiring import App
from wenhen.sites.model import Layout
from wenhen.sites.service import add_site
from wenhen.steps.runner import REMATCH_PAUSE

INDEX = "index.zh-cn.html"


@dataclasses.dataclass(frozen=True)
class Manual:
    """A site: its pages in a folder, gone through by `layout` from `start`, and a chapter that the library holds."""

    host: str
    folder: Path
    layout: Layout
    start: str
    chapter: str

    @property
    def home(self) -> str:
        return f"http://{self.host}/"

    def files(self) -> Mapping[str, Path]:
        """Its pages by their addresses."""
        return {f"{self.home}{path.name}": path for path in self.folder.glob("*.html")}


UNPACKED = Path(__file__).parents[3] / "out/manuals/usr/share"
SHARE = UNPACKED if UNPACKED.is_dir() else Path("/usr/share")
MANUALS = (
    Manual("reference.test", SHARE / "debian-reference", Layout.NEWS, INDEX, "ch06.zh-cn.html"),
    Manual("faq.test", SHARE / "doc/debian/FAQ/zh-cn", Layout.NOVEL, INDEX, "pkg-basics.zh-cn.html"),
    Manual("guide.test", SHARE / "doc/maint-guide-zh-cn/html", Layout.HOST, "upload.zh-cn.html", "dother.zh-cn.html"),
)


def site_of(manual: Manual) -> type[Handler]:
    """A server of its files as they are, with a robots.txt that names a sitemap, and times of change."""

    class Site(Handler):
        def page(self) -> None:
            path = manual.folder / self.path.lstrip("/")
            if self.path == "/robots.txt":
                self.reply("User-agent: *\nSitemap: /sitemap.xml\n", ("Content-Type", "text/plain"))
            elif self.path == "/sitemap.xml":
                listed = "".join(f"<url><loc>{url}</loc></url>" for url in manual.files())
                self.reply(f"<urlset>{listed}</urlset>", ("Content-Type", "text/xml"))
            elif path.suffix != ".html" or not path.is_file():
                self.reply("", status=404)
            else:
                changed = formatdate(path.stat().st_mtime, usegmt=True)
                known = self.headers["If-Modified-Since"] == changed
                self.reply(
                    b"" if known else path.read_bytes(),
                    ("Content-Type", "text/html"),
                    ("Last-Modified", changed),
                    status=304 if known else 200,
                )

    return Site


def reachable(manual: Manual) -> tuple[set[str], set[str]]:
    """The pages that links lead to from the start, read from the files; and addresses of the host that lead nowhere."""
    files, found, dangling = manual.files(), set[str](), set[str]()
    left = [urljoin(manual.home, manual.start), *(files if manual.layout is Layout.HOST else ())]
    while left:
        url = left.pop()
        if url in found or url in dangling:
            continue
        if url not in files:
            dangling.add(url)
            continue
        found.add(url)
        for href in lxml.html.fromstring(files[url].read_bytes()).xpath("//a/@href"):
            target = urldefrag(urljoin(url, href))[0]
            if urlsplit(target).hostname == manual.host and urlsplit(target).scheme == "http":
                left.append(target)
    return found, dangling


def paragraphs(path: Path) -> list[str]:
    """What a page says, in pieces of some length, without white space."""
    found = lxml.html.fromstring(path.read_bytes()).xpath("//p")
    return [text for p in found if len(text := bare(p.text_content())) >= 40]


def bare(text: str) -> str:
    return re.sub(r"\s+", "", text)


@pytest.fixture(scope="module")
def app(servers: ServerAddresses, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """The product that watches them all, with a chapter of each in its library."""
    if missing := [str(manual.folder) for manual in MANUALS if not manual.folder.is_dir()]:
        pytest.skip(f"no manuals in {', '.join(missing)}: make manuals")
    with ExitStack() as stack:
        hosts = {manual.host: stack.enter_context(serving(site_of(manual))) for manual in MANUALS}
        data = tmp_path_factory.mktemp("real")
        product = stack.enter_context(opened(servers, data, crawler={"host_map": hosts}))
        for manual in MANUALS:
            chapter = lxml.html.fromstring((manual.folder / manual.chapter).read_bytes())
            [body] = chapter.xpath("//div[@class='chapter']")
            store_work(product, manual.host, "\n".join(p.text_content() for p in body.xpath(".//p")))
            add_site(by(product), {"urls": manual.home + manual.start, "layout": str(manual.layout), "max_depth": "20"})
        crawl(product)
        yield product


def crawl(app: App) -> None:
    """Crawl every site, each by a process as a worker starts it, and do all that follows."""
    for manual in MANUALS:
        assert crawler(app, start_crawl(app, Subject.read(manual.host))).wait(120) == 0
    work_through(app)


def counts(app: App, manual: Manual) -> Mapping[str, int]:
    run = app.store.runs.recent(kind=RunKind.CRAWL, subject=Subject.read(manual.host), limit=1)[0]
    assert (run.ended_at is not None, run.problem) == (True, None)
    return run.counts


def pages_of(app: App, manual: Manual) -> dict[str, Page]:
    found = app.store.pages.many(list(app.store.pages.ids())).values()
    return {page.url: page for page in found if page.host == manual.host}


@pytest.mark.parametrize("manual", MANUALS, ids=lambda manual: manual.host)
def test_what_links_and_sitemaps_lead_to_is_stored_byte_for_byte_and_nothing_else(app: App, manual: Manual) -> None:
    expected, dangling = reachable(manual)
    assert len(expected) > 10
    pages = pages_of(app, manual)
    assert set(pages) == expected
    for url, page in pages.items():
        assert app.store.blobs.get(page.capture.body_digest) == manual.files()[url].read_bytes()
    counted = counts(app, manual)
    assert counted["fetched"] == len(expected)
    assert counted.get("failed", 0) == len(dangling)


@pytest.mark.parametrize("manual", MANUALS, ids=lambda manual: manual.host)
def test_the_text_of_a_page_is_what_its_file_says(app: App, manual: Manual) -> None:
    said = found = 0
    for url, page in pages_of(app, manual).items():
        text = bare(app.store.blobs.get_text(page.text_digest)) if page.text_digest else ""
        of_file = paragraphs(manual.files()[url])
        said += len(of_file)
        found += sum(paragraph in text for paragraph in of_file)
    assert found >= 0.98 * said > 0


def test_each_chapter_is_found_on_its_own_page_and_no_case_rests_on_what_pages_of_a_site_share(app: App) -> None:
    # The first pages were read before it was known what all share; they are read again once the templates rest.
    later = dataclasses.replace(app, now=lambda: utc_now() + 2 * REMATCH_PAUSE)
    assert apply_new_templates(later) > 0
    work_through(later)
    cases = [case for case in app.store.cases.each() if case.present]
    whole = {(case.page_url, case.work_id) for case in cases if case.match.share_of_work > 0.9}
    assert whole == {(manual.home + manual.chapter, manual.host) for manual in MANUALS}
    shared = Counter(
        text for manual in MANUALS for path in manual.files().values() for text in dict.fromkeys(paragraphs(path))
    )
    furniture = {text for text, pages in shared.items() if pages >= 5}
    assert furniture, "all chapters of one of them begin with the same notice"
    for case in cases:
        text = app.store.blobs.get_text(case.page_text_digest)
        copied = bare("".join(text[one.page_start : one.page_end] for one in case.match.passages))
        assert not any(line in copied for line in furniture), case.page_url


def test_the_archive_holds_every_answer_and_every_capture_points_into_it(app: App) -> None:
    verified = verify_archive(app, app.settings.data / "warc")
    assert (verified.failed, verified.elsewhere) == (0, 0)
    assert verified.captures == app.store.pages.count()


def test_a_second_crawl_finds_nothing_changed(app: App) -> None:
    before = {manual.host: pages_of(app, manual) for manual in MANUALS}
    crawl(app)
    for manual in MANUALS:
        assert counts(app, manual)["unchanged"] == len(before[manual.host])
        assert {url: page.text_digest for url, page in pages_of(app, manual).items()} == {
            url: page.text_digest for url, page in before[manual.host].items()
        }
