"""On the case screen, and through the API, exhibits are asked for, listed and taken away."""

from io import BytesIO
from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.services.samples.evidence import without_browser
from tests.support.oracles import is_intact
from tests.support.screens import MakeCaller, post, token_in
from tests.support.seed import Seeder
from wenhen.context.use_cases import Acting
from wenhen.evidence.exhibit_creation import make_due_exhibits
from wenhen.evidence.verification import check_exhibit
from wenhen.kit.rights import Right, Role
from wenhen.runtime.wiring import App


@pytest.fixture
def worked(seed: Seeder, product: App) -> Any:
    """One case; afterwards what a worker does."""
    seed.work()
    seed.case()
    app: Any = without_browser(Acting(product, "", frozenset(Right))).product
    return lambda: make_due_exhibits(app)


def test_an_exhibit_is_asked_for_by_a_button_made_by_a_worker_and_taken_away(client: FlaskClient, worked: Any) -> None:
    page = client.get("/cases/1").text
    assert "还没有证据包。" in page
    sent = {"csrf_token": token_in(page)}
    page = client.post("/cases/1/exhibits", data=sent, follow_redirects=True).text
    assert "正在后台制作证据包。" in page
    assert "制作中" in page
    worked()
    page = client.get("/cases/1").text
    address = page.split('href="/cases/exhibits/')[1].split('"')[0]
    answer = client.get(f"/cases/exhibits/{address}")
    assert answer.mimetype == "application/wacz"
    assert answer.headers["Content-Disposition"].startswith("attachment; filename=wenhen-1-")
    assert is_intact(check_exhibit(answer.data))
    assert "没有整页截图和 MHTML" in page
    assert client.get("/cases/exhibits/unknown.wacz").status_code == 404


def test_a_receipt_for_the_manifest_is_kept_on_the_case_screen_and_taken_away_as_it_came(
    client: FlaskClient, worked: Any
) -> None:
    post(client, "/cases/1/exhibits", form_at="/cases/1")
    worked()
    page = client.get("/cases/1").text
    manifest = page.split('href="/cases/exhibits/')[2].split('"')[0]
    assert client.get(f"/cases/exhibits/{manifest}").get_json(force=True)["wacz_version"] == "1.1.1"
    address = page.split('action="/cases/1/exhibits/')[1].split('"')[0]
    assert "回执（0）" in page

    def send(issuer: str) -> str:
        data = {
            "csrf_token": token_in(page),
            "issuer": issuer,
            "file": (BytesIO(b"<script>" * 20_000), "公证<b>书.html"),
        }
        return client.post(f"/cases/1/exhibits/{address}", data=data, follow_redirects=True).text

    assert "请写明出具回执的机构" in send(" ")
    page = send("长江公证处")
    assert "回执已存入。" in page
    assert "公证&lt;b&gt;书.html" in page
    kept = page.split("/receipts/")[1].split('"')[0]
    answer = client.get(f"/cases/exhibits/{address.split('/')[0]}/receipts/{kept}")
    assert (answer.data, answer.mimetype) == (b"<script>" * 20_000, "application/octet-stream")
    assert answer.headers["Content-Disposition"].startswith("attachment")


def test_programs_ask_list_and_take_and_not_everybody_sees_what_is_masked(caller: MakeCaller, worked: Any) -> None:
    call = caller()
    made = call("POST", "/cases/1/exhibits")
    assert made.status_code == 202
    id = made.get_json()["id"]
    assert call("GET", f"/exhibits/{id}/file").status_code == 404
    worked()
    [held] = call("GET", "/cases/1/exhibits").get_json()
    assert (held["exhibit"]["id"], held["exhibit"]["why"], held["waits"]) == (id, "asked", False)
    assert "sealed" not in held["exhibit"]
    assert is_intact(check_exhibit(call("GET", f"/exhibits/{id}/file").data))
    assert call("GET", f"/exhibits/{id}/masked").status_code == 404  # nothing was
    assert call("GET", f"/exhibits/{id}/manifest").get_json(force=True)["wacz_version"] == "1.1.1"
    sent = {"query_string": {"issuer": "长江公证处"}, "data": {"file": (BytesIO(b"%PDF" * 500_000), "公证书.pdf")}}
    receipt = call("POST", f"/exhibits/{id}/receipts", **sent).get_json()
    [shown] = call("GET", "/cases/1/exhibits").get_json()
    assert shown["exhibit"]["receipts"] == [receipt]
    assert call("GET", f"/exhibits/{id}/receipts/{receipt['id']}/file").data == b"%PDF" * 500_000
    assert call("POST", f"/exhibits/{id}/receipts", query_string={"issuer": "甲"}, data={}).status_code == 422
    assert caller(Role.LAWYER)("GET", f"/exhibits/{id}/masked").status_code == 403
    assert call("POST", "/cases/99/exhibits").status_code == 404
