"""A link lets somebody without an account take one report: for some days, read-only, until it is revoked."""

from datetime import datetime, timedelta

import pytest
from flask.testing import FlaskClient

from tests.support.people import add_user
from tests.support.screens import MakeApp, MakeCaller, post
from tests.support.seed import NOW, Seeder, move_case
from wenhen.cases.model import CaseStatus
from wenhen.context.use_cases import Acting
from wenhen.kit.rights import Right, Role
from wenhen.reports.service import make_due_reports, request_report
from wenhen.reports.shared_links import share_case, share_report


@pytest.fixture
def one_case(seed: Seeder) -> Seeder:
    """A confirmed case with an internal remark."""
    seed.work()
    case = seed.case()
    move_case(seed.store, str(case.number), CaseStatus.CONFIRMED, by="a", reason="内部：先别说", at=NOW)
    return seed


def test_whoever_has_the_link_takes_the_report_without_signing_in(
    client: FlaskClient, make_app: MakeApp, one_case: Seeder
) -> None:
    made = post(client, "/reports/links/", form_at="/reports/links/", case="#1", days="7").text
    address = made.partition('readonly value="')[2].partition('"')[0]
    assert "/shared/" in address
    outside = make_app(sign_in=True).test_client()
    page = outside.get(address)
    assert page.status_code == 200
    assert "wenhen-1-" in page.text
    assert "Set-Cookie" not in page.headers
    assert one_case.store.shared_links.newest()[0].opened == 0, "looking takes nothing"
    file = outside.get(f"{address}/file")
    assert file.headers["Content-Disposition"].startswith("attachment")
    assert file.headers["Cache-Control"] == "no-store"
    assert "修船的老人" in file.text
    assert "内部：先别说" not in file.text
    assert one_case.store.shared_links.newest()[0].opened == 1
    assert address.rpartition("/")[2] not in client.get("/reports/links/").text, "the address is shown once"


def test_the_audit_log_says_who_shared_what_and_that_it_was_taken(
    client: FlaskClient, acting: Acting, one_case: Seeder
) -> None:
    link, secret = share_case(acting, 1)
    client.get(f"/shared/{secret}/file")
    lines = [(line.action, line.who) for line in one_case.store.audit.find(subject="case:1", limit=10)]
    assert ("link.make", acting.who) in lines
    assert ("link.open", f"link {link.id}") in lines


def test_a_link_ends_on_its_day(make_app: MakeApp, acting: Acting, one_case: Seeder) -> None:
    now = [NOW]

    def clock() -> datetime:
        return now[0]

    _, secret = share_case(acting, 1, 2)
    client = make_app(sign_in=True, clock=clock).test_client()
    now[0] += timedelta(days=2, seconds=-1)
    assert client.get(f"/shared/{secret}/file").status_code == 200
    now[0] += timedelta(seconds=1)
    for address in (f"/shared/{secret}", f"/shared/{secret}/file", "/shared/unknown", "/shared/unknown/file"):
        answer = client.get(address)
        assert answer.status_code == 404
        assert "这个链接已失效" in answer.text


def test_a_revoked_link_leads_nowhere(client: FlaskClient, acting: Acting, one_case: Seeder) -> None:
    link, secret = share_case(acting, 1)
    post(client, "/reports/links/revoke", form_at="/reports/links/", id=link.id)
    assert client.get(f"/shared/{secret}/file").status_code == 404
    assert "已作废" in client.get("/reports/links/?lang=zh").text


def test_a_stored_report_is_shared_and_its_file_outlives_the_list(
    client: FlaskClient, acting: Acting, one_case: Seeder
) -> None:
    kept = request_report(acting, "三月", "json")
    make_due_reports(acting.product, lambda *_: b'{"a": 1}')
    _, secret = share_report(acting, kept.id)
    post(client, f"/reports/kept/{kept.id}/remove", form_at="/reports/links/")
    assert client.get(f"/shared/{secret}/file").data == b'{"a": 1}'


@pytest.mark.parametrize(
    ("form", "status"),
    [
        ({"case": "1", "days": "0"}, 400),
        ({"case": "1", "days": "91"}, 400),
        ({"case": "1", "days": "x"}, 400),
        ({"case": "", "days": "5"}, 400),
        ({"case": "77", "days": "5"}, 400),
        ({"case": "1", "days": "90"}, 200),
    ],
)
def test_what_cannot_be_shared_is_said_where_it_was_asked(
    client: FlaskClient, one_case: Seeder, form: dict[str, str], status: int
) -> None:
    assert post(client, "/reports/links/", form_at="/reports/links/", **form).status_code == status


def test_programs_share_and_revoke(caller: MakeCaller, one_case: Seeder) -> None:
    call = caller()
    made = call("POST", "/links", json={"case": 1, "days": 3})
    assert made.status_code == 201
    assert "secret" not in str(made.json["link"])  # type: ignore[index]  # a JSON object
    path = made.json["address"].partition("/shared/")[2]  # type: ignore[index]
    assert call.client.get(f"/shared/{path}/file").status_code == 200
    [listed] = call("GET", "/links").json or []
    assert listed["opened"] == 1
    assert call("DELETE", f"/links/{listed['id']}").status_code == 204
    assert call.client.get(f"/shared/{path}/file").status_code == 404
    assert call("POST", "/links", json={"days": 3}).status_code == 422
    assert call("POST", "/links", json={"case": 1, "report": "a"}).status_code == 422


def test_the_link_of_another_is_revoked_by_an_administrator_alone(
    caller: MakeCaller, acting: Acting, one_case: Seeder
) -> None:
    link, _ = share_case(acting, 1)
    add_user(one_case.store, "reader", Role.LAWYER)
    assert caller(scopes=frozenset({Right.EXPORT}))("DELETE", f"/links/{link.id}").status_code == 403
