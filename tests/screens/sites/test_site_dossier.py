"""The dossier of a site is a screen in both languages and an operation of the API; what a page says stays text."""

import pytest
from flask.testing import FlaskClient

from tests.support.screens import MakeCaller
from tests.support.seed import Seeder
from wenhen.kit.rights import Right, Role

FOOT = "<footer>粤ICP备00000001号 <p>地址：海州市河口区槐树路7号&lt;script&gt;alert(1)&lt;/script&gt;</p></footer>"


@pytest.mark.parametrize(
    ("language", "words"),
    [("zh", ("站点档案", "ICP 备案号", "抄用字数")), ("en", ("Dossier", "ICP number", "Characters taken"))],
)
def test_the_screen_tells_it_in_both_languages(
    client: FlaskClient, seed: Seeder, language: str, words: tuple[str, ...]
) -> None:
    seed.library()
    seed.case("https://copies.example/about", beside=FOOT)
    assert "/sites/dossier/copies" in client.get("/sites/of/copies").text
    page = client.get(f"/sites/dossier/copies?lang={language}").text
    assert "粤ICP备00000001号" in page
    assert "198.51.100.7" in page
    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert(1)" not in page
    assert all(word in page for word in words)
    assert client.get("/sites/dossier/nobody").status_code == 404


def test_the_api_tells_the_same_with_its_sums(caller: MakeCaller, seed: Seeder) -> None:
    seed.library()
    seed.case("https://copies.example/about", beside=FOOT)
    answer = caller(Role.LAWYER, frozenset({Right.READ}))("GET", "/sites/copies/dossier")
    assert answer.status_code == 200
    told = answer.get_json()
    assert (told["stated"][0]["kind"], told["stated"][0]["value"]) == ("icp", "粤ICP备00000001号")
    assert told["taken"]["copies"] == sum(work["copies"] for work in told["taken"]["works"]) == 3
    assert (told["taken"]["confirmed"], told["taken"]["confirmed_works"]) == (0, 0)
    assert told["pay"] == pytest.approx(told["taken"]["characters"] * told["rate"] / 1_000)
    assert (told["repeats"], told["criminal_works"]["named"]) == (False, 500)
