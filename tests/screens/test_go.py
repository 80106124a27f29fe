"""Ctrl-K: what the typed letters lead to."""

from urllib.parse import unquote

from flask.testing import FlaskClient

from tests.support.acting import by
from tests.support.holders import ready_holder
from tests.support.screens import MakeApp
from tests.support.seed import Seeder
from wenhen.runtime.wiring import App
from wenhen.sites.service import add_site


def places(client: FlaskClient, typed: str) -> list[tuple[str, str]]:
    answer = client.get("/search/go", query_string={"q": typed})
    assert answer.status_code == 200, answer.text
    return [(one["label"], one["address"]) for one in answer.get_json()]


def test_a_number_leads_to_its_case_first(client: FlaskClient, seed: Seeder) -> None:
    seed.library()
    for typed in ("1", "#1"):
        label, address = places(client, typed)[0]
        assert (label[:2], address) == ("#1", "/cases/1")


def test_works_holders_and_sites_are_found_by_their_names(client: FlaskClient, seed: Seeder, product: App) -> None:
    seed.work()
    ready_holder(seed.store)
    add_site(by(product), {"urls": "http://a.test/", "name": "甲站"})
    work = seed.store.works.get("dock")
    assert "/works/one?id=dock" in [address for _, address in places(client, work.title[:2])]
    assert ("河岸文艺社", "/holders/?name=河岸文艺社") in [(name, _plain(at)) for name, at in places(client, "河岸")]
    assert places(client, "甲站") == [("甲站", "/sites/of/a.test")]
    add_site(by(product), {"urls": "http://书库.example/", "name": "乙站"})
    for typed in ("书库", "xn--1jq370b"):
        assert [name for name, _ in places(client, typed)] == ["乙站"]


def test_screens_are_found_in_both_languages_and_without_a_letter(client: FlaskClient) -> None:
    assert ("抓取网址", "/addresses/") in places(client, "网址")
    assert ("抓取网址", "/addresses/") in places(client, "fetch")
    assert places(client, "")[0] == ("总览", "/")
    assert places(client, "没有这样的东西") == []


def test_a_screen_that_a_person_may_not_see_is_not_offered(make_app: MakeApp) -> None:
    assert make_app(sign_in=True).test_client().get("/search/go?q=a").status_code == 303


def _plain(address: str) -> str:
    return unquote(address)
