"""What somebody saw in an app is a capture with its circumstances, and whoever may not crawl brings none."""

from datetime import UTC, datetime

import pytest

from crawler.capture import Brought
from tests.support.acting import by
from wenhen.crawls.manual_captures import Circumstances, add_capture
from wenhen.kit.errors import BadInput, Forbidden
from wenhen.kit.progress import Step
from wenhen.kit.rights import Right
from wenhen.runtime.wiring import App

URL = "https://app.example/chapter/7"
SEEN_AT = datetime(2026, 3, 5, 9, tzinfo=UTC)
SEEN = Circumstances(by="陆", seen_at=SEEN_AT, app="晨读 8.2", device="手机", note="会员章节")
FILES = [("上.txt", "渡船靠岸".encode()), ("下.txt", "天已经黑了".encode("gbk"))]


def test_files_are_one_capture_with_who_when_which_app_and_device(product: App) -> None:
    page = add_capture(by(product), URL, FILES, SEEN)
    assert (page.url, page.progress.step, page.capture.status) == (URL, Step.EXTRACT, 0)
    assert page.capture.brought == Brought(
        by="陆", seen_at=SEEN_AT, files=("上.txt", "下.txt"), app="晨读 8.2", device="手机", note="会员章节"
    )
    [entry] = product.store.audit.find(action="capture.add")
    assert entry.subject == f"page:{page.id}"
    assert page.capture.body_digest in (entry.new or "")


def test_a_page_that_a_browser_saved_is_the_page_of_its_address(product: App) -> None:
    saved = "<!DOCTYPE html><html><head><meta charset='gbk'></head><body>渡船靠岸</body></html>".encode("gbk")
    page = add_capture(by(product), URL, [("渡船.html", saved)], SEEN)
    assert product.store.blobs.get(page.capture.body_digest) == saved
    assert page.capture.headers == (("Content-Type", "text/html"),)
    assert page.capture.brought
    assert page.capture.brought.files == ("渡船.html",)


def test_the_same_files_again_are_the_same_body_and_another_capture(product: App) -> None:
    first = add_capture(by(product), URL, FILES, SEEN)
    again = add_capture(by(product), URL, FILES, Circumstances())
    assert (again.id, again.capture.body_digest, again.captures) == (first.id, first.capture.body_digest, 2)
    assert again.capture.brought
    assert again.capture.brought.by == by(product).who


@pytest.mark.parametrize(
    ("url", "files", "why"),
    [
        ("app.example/7", FILES, "in full"),
        (URL, [], "no file"),
        (URL, [("a.exe", b"MZ")], "a.exe cannot be read"),
        (URL, [("a.txt", b"\0\0\0")], "a.txt cannot be read"),
        (URL, [*FILES, ("a.html", b"<html>")], "a.html is a saved page: add it alone"),
        (URL, [("a.html", b"no markup")], "a.html cannot be read"),
        (URL, [("a.json", b'{"pages": []}')], "a.json cannot be read"),
        (URL, [*FILES, ("a.vtt", b"WEBVTT\n")], "a.vtt cannot be read as a transcript with times: it holds no line"),
    ],
)
def test_what_cannot_be_a_page_is_refused(product: App, url: str, files: list[tuple[str, bytes]], why: str) -> None:
    with pytest.raises(BadInput, match=why):
        add_capture(by(product), url, files, SEEN)
    assert product.store.audit.count() == 0


def test_it_needs_the_right_to_crawl(product: App) -> None:
    with pytest.raises(Forbidden, match="crawl"):
        add_capture(by(product, rights={Right.READ}), URL, FILES, SEEN)
