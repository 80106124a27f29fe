"""What an administrator decides about the fonts of a site, and what becomes of its pages."""

import base64
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from crawler.capture import PageAsset, pack_assets
from crawler.ports import Arrival
from tests.support.acting import by
from tests.support.fonts import NOTO, exchanging, subset_of
from tests.support.samples import capture as sample
from tests.support.way import capture, made_page, made_text, opened, pairs, store_work, work_through
from wenhen.crawls.sink import StoringSink
from wenhen.kit.errors import BadInput, Forbidden
from wenhen.kit.progress import Step
from wenhen.kit.rights import Right
from wenhen.pages.ocr_and_fonts import DECIPHERED_NOTE
from wenhen.runtime.embedded.servers import ServerAddresses
from wenhen.runtime.wiring import App
from wenhen.sites.access import disable_font_deciphering, enable_font_deciphering
from wenhen.sites.service import add_site

URL, STORY = "http://novel.test/1", made_text("story", 400)
CHARACTERS = "".join(sorted({one for one in STORY if "\u4e00" <= one <= "\u9fff"}))

pytestmark = pytest.mark.skipif(not NOTO.exists(), reason="no Noto Sans CJK on this machine")


@pytest.fixture
def app(servers: ServerAddresses, tmp_path: Path) -> Iterator[App]:
    reference = tmp_path / "reference.otf"
    reference.write_bytes(subset_of(CHARACTERS))
    with opened(servers, tmp_path, crawler={"reference_font": reference}) as product:
        yield product


def scrambled_page() -> bytes:
    font, written = exchanging(subset_of(CHARACTERS), 3, private=True, flavor="woff2")
    face = (
        f"<style>@font-face{{font-family:x;src:url(data:font/woff2;base64,{base64.b64encode(font).decode()})}}</style>"
    )
    return made_page("转载", STORY.translate(written)) + face.encode()


def test_a_page_is_told_and_left_until_an_administrator_decides_and_read_as_shown_then(app: App) -> None:
    store_work(app, "story", STORY)
    site = add_site(by(app), {"urls": "http://novel.test/"}).id
    id = capture(app, URL, scrambled_page(), site)
    work_through(app)
    assert not pairs(app)
    [told] = app.store.problems.recent()
    assert (told.what, told.reason.code) == (URL, "fonts.private")
    with pytest.raises(BadInput, match="reason"):
        enable_font_deciphering(by(app), site, reason=" ")
    with pytest.raises(Forbidden):
        enable_font_deciphering(by(app, rights={Right.SITES}), site, reason="书面许可")
    decided = enable_font_deciphering(by(app), site, reason="书面许可")
    work_through(app)
    assert pairs(app) == {(URL, "story")}
    assert app.store.pages.get(id).note == DECIPHERED_NOTE
    assert (decided.decipher_reason, disable_font_deciphering(by(app), site).decipher_reason) == ("书面许可", None)
    actions = [entry.action for entry in app.store.audit.find(subject=f"site:{site}")]
    assert actions[:2] == ["site.leave_fonts", "site.decipher_fonts"]


def test_a_font_that_was_fetched_with_its_page_is_read_as_one_that_stands_in_it(app: App) -> None:
    store_work(app, "story", STORY)
    site = add_site(by(app), {"urls": "http://novel.test/"}).id
    enable_font_deciphering(by(app), site, reason="书面许可")
    font, written = exchanging(subset_of(CHARACTERS), 3, private=True, flavor="woff2")
    body, archive = (
        made_page("转载", STORY.translate(written)),
        pack_assets([PageAsset("http://novel.test/f.woff2", font)]),
    )
    taken = sample(fetched_at=app.now(), url=URL, body_digest=sha256(body).hexdigest(), body_size=len(body))
    taken = replace(taken, assets_digest=sha256(archive).hexdigest())
    StoringSink(app, "by hand", site).store_captures([Arrival(URL, taken, body, assets=archive)])
    work_through(app)
    assert pairs(app) == {(URL, "story")}


def test_what_was_extracted_stays_where_nothing_can_be_compared(servers: ServerAddresses, tmp_path: Path) -> None:
    reference = tmp_path / "reference.otf"
    reference.write_bytes(b"no font")
    with opened(servers, tmp_path, crawler={"reference_font": reference}) as app:
        site = add_site(by(app), {"urls": "http://novel.test/"}).id
        enable_font_deciphering(by(app), site, reason="书面许可")
        id = capture(app, URL, scrambled_page(), site)
        work_through(app)
        page = app.store.pages.get(id)
        assert (page.progress.step, page.length > 300) == (Step.DONE, True)
        assert {told.reason.code for told in app.store.problems.recent()} == {"fonts.private", "reading.failed"}
