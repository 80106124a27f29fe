"""Captures of a page from several regions, on the screens of page and case, in the API, exhibits and reports."""

import json
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
from flask.testing import FlaskClient
from selectolax.lexbor import LexborHTMLParser

from tests.services.samples.evidence import without_browser
from tests.support.acting import by
from tests.support.browsing.every_screen import put_regions
from tests.support.screens import MakeApp, MakeCaller, post_and_follow
from tests.support.seed import NOW, Seeder
from wenhen.cases.model import Case
from wenhen.crawls.model import RegionalState
from wenhen.crawls.regions import run_next_regional_capture
from wenhen.evidence.exhibit_creation import make_exhibit_now
from wenhen.evidence.verification import FindingState, verify_exhibit
from wenhen.runtime.celery_queue import CeleryQueue
from wenhen.runtime.wiring import App

PROXY = "http://spider:s3cret@proxy.example:3128"


@pytest.fixture
def case(seed: Seeder) -> Case:
    """A case whose page was looked at from three regions."""
    seed.work()
    seed.case()
    put_regions(seed.store, seed.store.cases.get("1"))
    return seed.store.cases.get("1")


@pytest.fixture
def regional(make_app: MakeApp, case: Case, product: App) -> FlaskClient:
    """A dashboard of an installation with proxies in two regions."""
    app = make_app()
    services = app.extensions["wenhen"]
    crawler = product.settings.crawler.model_copy(update={"regions": {"jp": PROXY, "德国": PROXY}})
    settings = product.settings.model_copy(update={"crawler": crawler})
    app.extensions["wenhen"] = replace(services, product=replace(services.product, settings=settings))
    return app.test_client()


def cells(page: str) -> list[list[str]]:
    """The words of the rows of the last round."""
    table = LexborHTMLParser(page).css_first("#regions ~ table")
    assert table is not None
    return [[" ".join(cell.text().split()) for cell in row.css("th, td")] for row in table.css("tbody tr")]


@pytest.mark.parametrize("address", ["/pages/{page}", "/cases/1"])
def test_the_regions_stand_side_by_side_with_what_each_shows(regional: FlaskClient, case: Case, address: str) -> None:
    page = regional.get(address.format(page=case.page_id) + "?lang=en").text
    direct, german, american = cells(page)
    assert direct[:5] == ["No region's proxy", "200", "七秒", "The same", "Case #1 1,234 characters, 93.0% of the work"]
    assert german[:2] == ["德国", "451"]
    assert german[2].startswith("Unavailable For Legal Reasons")
    assert german[3:5] == ["0.0%", "None"]
    assert american[1] == "Failed"
    assert "refuses the user and password" in american[2]
    assert "Some regions alone show the works" in page
    assert "s3cret" not in page
    assert "1 earlier" in page
    chinese = regional.get(address.format(page=case.page_id) + "?lang=zh").text
    assert "只有部分地区可见作品文字" in chinese


def test_a_capture_leads_to_its_record_and_to_what_differs(regional: FlaskClient, case: Case) -> None:
    page = regional.get(f"/pages/{case.page_id}/regions/r2?lang=en").text
    assert "a.warc.gz" in page
    assert "from byte 1234" in page
    assert any("此内容在你所在的地区不提供" in part.text() for part in LexborHTMLParser(page).css("ins"))
    assert "The text is the same" in regional.get(f"/pages/{case.page_id}/regions/r1?lang=en").text
    assert regional.get(f"/pages/{case.page_id}/regions/r3?lang=en").status_code == 200
    assert regional.get(f"/pages/{case.page_id}/regions/none").status_code == 404
    assert regional.get("/pages/other/regions/r1").status_code == 404


def test_the_button_begins_captures_of_the_chosen_regions(
    regional: FlaskClient, case: Case, seed: Seeder, monkeypatch: pytest.MonkeyPatch
) -> None:
    called: list[str] = []
    monkeypatch.setattr(CeleryQueue, "regions", lambda _: called.append("regions"))
    begin = f"/pages/{case.page_id}/regions"
    page = post_and_follow(regional, begin, form_at=f"/pages/{case.page_id}?lang=en", region=["jp"], case="1").text
    assert "Begun: a worker fetches them one by one." in page
    assert "Case #1" in page, "it leads back to the case"
    assert [row[:2] for row in cells(page)] == [["No region's proxy", "Waiting"], ["jp", "Waiting"]]
    assert "<progress" in page
    assert called == ["regions", "regions"]
    assert 'name="region"' not in page, "while they are open there is no second button"
    again = post_and_follow(regional, begin, form_at="/sites/", region=["jp"]).text
    assert "are going on" in again
    [line] = seed.store.audit.find(action="page.regions")
    assert line.new == "jp -"


def test_choosing_none_or_an_unknown_region_is_refused(regional: FlaskClient, case: Case) -> None:
    begin, at = f"/pages/{case.page_id}/regions", f"/pages/{case.page_id}?lang=en"
    assert "choose one region at least" in post_and_follow(regional, begin, form_at=at).text
    assert "there is no region &#39;mars&#39;" in post_and_follow(regional, begin, form_at=at, region=["mars"]).text


def test_without_regions_the_page_says_which_setting_they_need(client: FlaskClient, case: Case) -> None:
    page = client.get(f"/pages/{case.page_id}?lang=en").text
    assert "crawler.regions" in page
    assert 'name="region"' not in page


def test_a_silent_queue_leaves_nothing_open(regional: FlaskClient, case: Case, seed: Seeder) -> None:
    app = regional.application
    services = app.extensions["wenhen"]
    silent = replace(services.product, queue=CeleryQueue("redis://127.0.0.1:1/0"))  # nobody listens there
    app.extensions["wenhen"] = replace(services, product=silent)
    begin = f"/pages/{case.page_id}/regions"
    assert post_and_follow(regional, begin, form_at=f"/pages/{case.page_id}", region=["jp"]).status_code == 503
    last, *_ = seed.store.regional_captures.of_page(case.page_id, 10)
    assert last.state is RegionalState.FAILED


def test_a_program_asks_for_captures_and_reads_them(
    caller: MakeCaller, case: Case, product: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = caller()
    found = call("GET", f"/pages/{case.page_id}/regions").get_json()
    assert call("GET", "/cases/1/regions").get_json() == found
    assert [one["status"] for one in found[:3]] == [200, 451, None]
    assert found[0]["copies"][0]["share_of_work"] == 0.93
    refused = call("POST", "/cases/1/regions", json={"regions": ["jp"]})
    assert refused.status_code == 400
    assert "set crawler.regions" in refused.text


def test_the_exhibit_contains_the_answers_and_the_report_names_them(
    case: Case, client: FlaskClient, product: App, tmp_path: Path
) -> None:
    exhibit = make_exhibit_now(without_browser(by(product)), case.number)
    file = product.store.blobs.get(exhibit.file_digest or "")
    with ZipFile(BytesIO(file)) as members:
        direct, german = json.loads(members.read("evidence/regions.json"))
        assert members.read("evidence/region-2.txt").decode() == "此内容在你所在的地区不提供。"
        assert members.read("indexes/index.cdx").count(b"copies.example") == 3, "the page's capture, and both answers"
    assert (direct["region"], direct["share_of_work"]) == (None, 0.93)
    assert (german["region"], german["capture"]["status"], german["share_of_work"]) == ("德国", 451, None)
    path = tmp_path / "case.wacz"
    path.write_bytes(file)
    assert FindingState.FAILS not in {finding.standing for finding in verify_exhibit(path)}

    [reported] = client.get("/cases/1/report.json").get_json()["cases"]
    assert [(one["region"], one["status"], one["share_of_work"]) for one in reported["regions"]] == [
        (None, 200, 0.93),
        ("德国", 451, 0.0),
    ]
    printed = client.get("/cases/1/report.html?lang=en").text
    assert "自 德国 的代理访问" in printed
    assert "Nothing of the work is shown there (answer 451)" in printed


def test_a_case_without_such_captures_has_no_member_for_them(seed: Seeder, product: App) -> None:
    seed.work()
    seed.case()
    exhibit = make_exhibit_now(without_browser(by(product)), 1)
    with ZipFile(BytesIO(product.store.blobs.get(exhibit.file_digest or ""))) as members:
        assert not [name for name in members.namelist() if "region" in name]


def test_two_workers_never_fetch_the_same_capture(case: Case, product: App) -> None:
    [asked, *_] = product.store.regional_captures.of_page(case.page_id, 1)
    product.store.regional_captures.put(replace(asked, state=RegionalState.WAITING, asked_at=NOW))
    at_noon = replace(product, now=lambda: NOW)
    fetched: list[str] = []
    for _ in range(2):
        run_next_regional_capture(at_noon, lambda one: fetched.append(one.id))
    assert fetched == [asked.id]
