"""On the case screen, and through the API, exhibits are asked for, listed and taken away."""

from typing import Any

import pytest
from flask.testing import FlaskClient

from services.acting import Acting
from services.evidence import keeping
from services.evidence.package.check import check, holds
from store.records import Role
from store.rules.rights import Right
from tests.services.samples.evidence import without_browser
from tests.support.people import token_in
from tests.support.screens import MakeCaller
from tests.support.seed import Seeder
from wenhen.wiring import App


@pytest.fixture
def worked(seed: Seeder, product: App) -> Any:
    """One case; afterwards what a worker does."""
    seed.work()
    seed.case()
    app: Any = without_browser(Acting(product, "", frozenset(Right))).product
    return lambda: keeping.make_due(app)


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
    assert holds(check(answer.data))
    assert "没有整页截图和 MHTML" in page
    assert client.get("/cases/exhibits/unknown.wacz").status_code == 404


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
    assert holds(check(call("GET", f"/exhibits/{id}/file").data))
    assert call("GET", f"/exhibits/{id}/masked").status_code == 404  # nothing was
    assert caller(Role.LAWYER)("GET", f"/exhibits/{id}/masked").status_code == 403
    assert call("POST", "/cases/99/exhibits").status_code == 404
