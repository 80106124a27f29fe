"""How much of a site is read stands on its screen and in the API, where somebody has looked."""

import pytest
from flask.testing import FlaskClient

from tests.support.acting import by
from tests.support.samples import NOON
from tests.support.screens import MakeCaller
from wenhen.kit.rights import Right, Role
from wenhen.runtime.wiring import App
from wenhen.sites.service import add_site

PAGES = [
    {"url": "https://a.example/<b>", "visible": 400, "read": 300, "unread": "<i>没有读到的话"},
    {"url": "https://a.example/2", "visible": 600, "read": 600, "unread": ""},
]


@pytest.mark.parametrize(
    ("language", "told"), [("zh", "读到了 90"), ("en", "prose that a browser shows on 2 pages, 90")]
)
def test_the_share_and_the_worst_pages_are_told_once_somebody_has_looked(
    product: App, client: FlaskClient, caller: MakeCaller, language: str, told: str
) -> None:
    site = add_site(by(product), {"urls": "https://a.example/"}).id
    reads = caller(Role.LAWYER, frozenset({Right.READ}))
    assert 'id="audit"' not in client.get(f"/sites/of/{site}?lang={language}").text
    assert reads("GET", f"/sites/{site}/reading").status_code == 404
    product.store.marks.set(f"reading:{site}", {"at": NOON, "pages": PAGES, "not_shown": 2})
    page = client.get(f"/sites/of/{site}?lang={language}").text
    assert told in page
    assert "&lt;i&gt;没有读到的话" in page
    assert "https://a.example/2" not in page, "all of it was read"
    answer = reads("GET", f"/sites/{site}/reading").json
    assert answer is not None
    assert (answer["share"], answer["not_shown"], len(answer["pages"])) == (0.9, 2, 2)
