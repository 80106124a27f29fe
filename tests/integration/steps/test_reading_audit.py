"""A site's pages in a real browser, against what was read of them."""

from pathlib import Path

import pytest

from crawler.rendering.browser import find_browser
from tests.support.acting import by
from tests.support.way import capture, made_page, made_text, opened, work_through
from wenhen.crawls.reading_audit import audit_due_sites, audit_reading, last_audit
from wenhen.kit.errors import SetupError
from wenhen.runtime.embedded.servers import ServerAddresses
from wenhen.sites.service import add_site

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("nursery")]
FOOT = "<p>本站所有文字均由网友上传，如有不妥，请来信告知，我们会尽快处理。</p>"
SCRIPT = "<script>document.body.append('这一段话只有脚本运行以后才看得见，抓取的时候并没有它。')</script>"


def test_the_worst_page_comes_first_with_what_a_script_showed_and_nobody_read(
    servers: ServerAddresses, tmp_path: Path
) -> None:
    with opened(servers, tmp_path) as app:
        try:
            find_browser(None)
        except SetupError as error:
            pytest.skip(str(error))
        site = add_site(by(app), {"urls": "http://shown.test/"}).id
        for number in range(3):
            body = made_page(f"第{number}篇", made_text(f"page {number}", 300)) + FOOT.encode()
            capture(app, f"http://shown.test/{number}", body + (SCRIPT.encode() if number == 1 else b""), site)
        work_through(app)
        assert last_audit(app, site) is None
        audit_due_sites(app)
        found = last_audit(app, site)
        assert found is not None
        assert found.pages[0].url == "http://shown.test/1"
        assert [page.share for page in found.pages[1:]] == [1, 1], "what all of them show does not count"
        assert "脚本运行以后才看得见" in found.pages[0].unread
        assert found.share is not None
        assert 0.9 < found.share < 1
        assert audit_reading(by(app), site, most=1).pages[0].url in {page.url for page in found.pages}
