"""What is kept of crawls: read back and verified, and let go when nobody needs it any more."""

import os
import resource
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse

from crawler.capture import Capture, WarcPlace
from crawler.context import META_AGAIN
from crawler.warc.reader import check_records, read_body
from crawler.warc.responses import make_capture as captured
from crawler.warc.responses import record_exchange
from crawler.warc.writer import WarcArchive
from tests.support.way import made_page, made_text, opened, store_work, the_case, work_through
from wenhen.archive.integrity import verify_archive
from wenhen.archive.retention import drop_old_captures
from wenhen.kit.errors import NotFound, Unavailable
from wenhen.runtime.embedded.servers import ServerAddresses
from wenhen.runtime.wiring import App

DAYS = 30
STORY = made_text("story")
URL = "http://site.test/a"


@pytest.fixture
def app(servers: ServerAddresses, tmp_path: Path) -> Iterator[App]:
    sections: dict[str, Any] = {"keep": {"days": DAYS}, "crawler": {"warc": str(tmp_path / "warc")}}
    with opened(servers, tmp_path, **sections) as product:
        yield product


def fetch_into(app: App, archive: WarcArchive, url: str) -> Capture:
    """A capture among others of one file, of a body that no compression makes small."""
    body = os.urandom(2000)
    request = Request(url)
    response = HtmlResponse(url, body=body, headers={"Content-Type": "text/html"}, request=request)
    request.meta["warc"] = archive.write(record_exchange(request, response))
    capture = replace(captured(response), fetched_at=app.now())
    app.store.blobs.put(body)
    app.store.pages.put_capture(url, capture, site_id=None)
    return capture


def placed(capture: Capture) -> WarcPlace:
    assert capture.warc
    return capture.warc


def fetch(app: App, url: str, body: bytes, *, days_ago: float, again: bool = False) -> Capture:
    """A capture as a crawl makes one, in a WARC file of its own. again: by a crawler that took it over from another."""
    moment = app.now() - timedelta(days=days_ago)
    folder = Path(app.settings.crawler.warc or "")
    archive = WarcArchive(folder, f"site-{sha256(body).hexdigest()[:8]}-{days_ago}", "test", 1 << 20)
    request = Request(url, meta={META_AGAIN: True} if again else {})
    response = HtmlResponse(url, body=body, headers={"Content-Type": "text/html; charset=utf-8"}, request=request)
    request.meta["warc"] = archive.write(record_exchange(request, response))
    archive.close()
    for path in folder.iterdir():
        if f"-{days_ago}-" in path.name:
            os.utime(path, (moment.timestamp(), moment.timestamp()))
    capture = replace(captured(response), fetched_at=moment)
    app.store.blobs.put(body)
    app.store.pages.put_capture(url, capture, site_id=None)
    return capture


def has_body(app: App, capture: Capture) -> bool:
    try:
        return len(app.store.blobs.get(capture.body_digest)) == capture.body_size
    except NotFound:
        return False


def has_file(app: App, capture: Capture) -> bool:
    assert capture.warc
    return (Path(app.settings.crawler.warc or "") / capture.warc.file).exists()


def later(app: App, days: float) -> App:
    def now() -> datetime:
        return app.now() + timedelta(days=days)

    return replace(app, now=now)


def test_what_was_written_is_verified_with_every_capture_that_points_to_it(app: App) -> None:
    captures = [fetch(app, f"{URL}/{n}", made_page(f"第{n}页", made_text(str(n))), days_ago=n) for n in range(3)]
    assert captures[0].warc
    folder = Path(app.settings.crawler.warc or "")
    verified = verify_archive(app, folder)
    assert (verified.files, verified.records, verified.captures, verified.failed) == (3, 9, 3, 0)
    (folder / captures[0].warc.file).rename(folder / "elsewhere")
    verified = verify_archive(app, folder)
    assert (verified.captures, verified.elsewhere, verified.failed) == (2, 1, 0)


def test_of_a_page_that_was_fetched_once_more_the_later_response_says_so(app: App) -> None:
    for again in (False, True):
        fetch(app, URL, made_page("页", made_text("a")), days_ago=again, again=again)
    verified = verify_archive(app)
    assert (verified.records, verified.again, verified.failed) == (6, 1, 0)


@pytest.mark.parametrize("damage", ["a byte in the middle", "the end cut off", "another file in its place"])
def test_damage_is_found_and_told(app: App, damage: str) -> None:
    capture = fetch(app, URL, made_page("一页", STORY), days_ago=1)
    other = fetch(app, f"{URL}/b", made_page("又一页", made_text("other")), days_ago=2)
    folder = Path(app.settings.crawler.warc or "")
    assert capture.warc
    assert other.warc
    path = folder / capture.warc.file
    content = path.read_bytes()
    middle = capture.warc.offset + 200
    path.write_bytes(
        {
            "a byte in the middle": content[:middle] + bytes([content[middle] ^ 0x40]) + content[middle + 1 :],
            "the end cut off": content[:middle],
            "another file in its place": (folder / other.warc.file).read_bytes(),
        }[damage]
    )
    verified = verify_archive(app, folder)
    assert verified.failed >= 1
    assert any(URL in str(problem) for problem in verified.problems)


@pytest.mark.parametrize("damage", ["a byte in the middle", "a record torn by a full disk", "a page of zeros"])
def test_behind_damage_the_archive_is_read_on_and_only_the_captures_hit_are_named(app: App, damage: str) -> None:
    folder = Path(app.settings.crawler.warc or "")
    archive = WarcArchive(folder, "site", "test", 1 << 20)
    urls = [f"{URL}/{number}" for number in range(5)]
    captures = [fetch_into(app, archive, url) for url in urls]
    archive.close()
    path = folder / placed(captures[0]).file
    content = path.read_bytes()
    hit, following = placed(captures[1]).offset, placed(captures[2]).offset
    middle = hit + 200
    path.write_bytes(
        {
            "a byte in the middle": content[:middle] + bytes([content[middle] ^ 0x40]) + content[middle + 1 :],
            "a record torn by a full disk": content[:middle] + content[middle + 40 :],
            "a page of zeros": content[:middle] + bytes(following - middle) + content[following:],
        }[damage]
    )
    verified = verify_archive(app, folder)
    assert verified.records >= 3 + 2 * 3, "what lies before and behind"
    told = [url for url in urls if any(url in str(problem) for problem in verified.problems)]
    assert told == ([urls[1]] if damage != "a record torn by a full disk" else urls[1:])


def test_a_full_disk_leaves_no_torn_record_and_the_next_response_begins_a_file(tmp_path: Path) -> None:
    archive = WarcArchive(tmp_path, "site", "test", 1 << 20)
    before = archive.write(record_exchange(Request(f"{URL}/0"), HtmlResponse(f"{URL}/0", body=b"<p>0</p>")))
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, ((tmp_path / before.file).stat().st_size + 20_000, limit[1]))
        with pytest.raises(Unavailable, match="WARC files cannot be written"):
            archive.write(record_exchange(Request(f"{URL}/1"), HtmlResponse(f"{URL}/1", body=os.urandom(50_000))))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    after = archive.write(record_exchange(Request(f"{URL}/2"), HtmlResponse(f"{URL}/2", body=b"<p>2</p>")))
    archive.close()
    assert after.file != before.file
    for place, body in ((before, b"<p>0</p>"), (after, b"<p>2</p>")):
        assert [record.problem for record in check_records(tmp_path / place.file)] == [None] * 3
        assert read_body(tmp_path, place) == body


def test_a_response_without_a_single_header_is_kept_as_any_other(tmp_path: Path) -> None:
    archive = WarcArchive(tmp_path, "bare", "test", 1 << 20)
    place = archive.write(record_exchange(Request(URL), HtmlResponse(URL, body=b"<p>x</p>")))
    archive.close()
    assert [record.problem for record in check_records(tmp_path / place.file)] == [None] * 3
    assert read_body(tmp_path, place) == b"<p>x</p>"


def test_superseded_captures_go_with_their_bodies_and_files_and_the_newest_stays(app: App) -> None:
    first = fetch(app, URL, made_page("旧", made_text("old")), days_ago=DAYS + 20)
    second = fetch(app, URL, made_page("新", made_text("new")), days_ago=DAYS + 10)
    dropped = drop_old_captures(later(app, DAYS + 1))
    assert (dropped.bodies, dropped.files) == (1, 1)
    assert not has_body(app, first)
    assert not has_file(app, first)
    assert has_body(app, second)
    assert has_file(app, second)
    assert [one.body_digest for one in app.store.captures.each()] == [second.body_digest]


def test_a_capture_that_a_case_cites_is_never_dropped(app: App) -> None:
    store_work(app, "story", STORY)
    cited = fetch(app, URL, made_page("转载", STORY), days_ago=DAYS + 20)
    work_through(app)
    fetch(app, URL, made_page("已删", made_text("nothing")), days_ago=DAYS + 10)
    work_through(app)
    assert not the_case(app).present
    assert drop_old_captures(later(app, 10 * DAYS)) == drop_old_captures(later(app, 10 * DAYS))
    assert has_body(app, cited)
    assert has_file(app, cited)
    assert the_case(app).capture.warc == cited.warc


def test_a_capture_of_a_case_that_opens_while_others_are_dropped_stays(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    store_work(app, "story", STORY)
    cited = fetch(app, URL, made_page("转载", STORY), days_ago=DAYS + 20)
    drop = app.store.captures.drop_superseded

    def opened_before(*given: Any) -> Any:
        monkeypatch.undo()
        work_through(app)
        fetch(app, URL, made_page("已删", made_text("nothing")), days_ago=DAYS + 10)
        work_through(app)
        return drop(*given)

    monkeypatch.setattr(app.store.captures, "drop_superseded", opened_before)
    drop_old_captures(later(app, DAYS + 1))
    assert the_case(app).capture.body_digest == cited.body_digest
    assert has_body(app, cited)
    assert has_file(app, cited)


def test_a_body_that_another_capture_has_as_well_stays(app: App) -> None:
    same = made_page("同样", made_text("same"))
    first = fetch(app, URL, same, days_ago=DAYS + 20)
    fetch(app, URL, made_page("新", made_text("new")), days_ago=DAYS + 10)
    fetch(app, f"{URL}/mirror", same, days_ago=DAYS + 5)
    drop_old_captures(later(app, DAYS + 1))
    assert has_body(app, first)


def test_a_body_that_comes_in_again_while_it_could_be_dropped_stays(app: App) -> None:
    body = made_page("旧", made_text("old"))
    first = fetch(app, URL, body, days_ago=DAYS + 20)
    fetch(app, URL, made_page("新", made_text("new")), days_ago=DAYS + 10)
    turned = later(app, 2 * DAYS)
    assert app.store.blobs.drop([first.body_digest], app.now() - timedelta(days=1)) == 0, "put in a moment ago"
    assert app.store.blobs.drop([first.body_digest], turned.now()) == 1
    app.store.blobs.put(body)
    assert has_body(app, first)
