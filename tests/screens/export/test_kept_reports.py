"""What takes long is made in the background: asked for, followed, taken away, and told why where it cannot be made."""

import json
from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.support.acting import by
from tests.support.screens import MakeCaller, token_in
from tests.support.seed import Seeder
from wenhen.context.use_cases import Acting
from wenhen.kit.errors import Forbidden, TooLarge, Unavailable, Unreadable
from wenhen.kit.files import MAX_RECORDS_IN_MEMORY, RecordPile
from wenhen.kit.rights import Right, Role
from wenhen.reports import service
from wenhen.reports.contents import gather_report
from wenhen.reports.pdf import document
from wenhen.reports.pdf.document import to_pdf
from wenhen.reports.service import STORED_FORMATS, delete_report, make_due_reports, render_report, request_report
from wenhen.runtime.wiring import App
from wenhen.settings.notices_and_reports import ReportSettings


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """More than one case takes long."""
    monkeypatch.setattr(service, "MAX_CASES_AT_ONCE", dict.fromkeys(STORED_FORMATS, 1))


@pytest.mark.usefixtures("few")
def test_a_long_report_is_asked_for_by_name_and_taken_away_when_it_is_made(
    client: FlaskClient, seed: Seeder, product: App
) -> None:
    seed.library()
    page = client.get("/reports/cases.json?status=lead").text
    assert "在后台生成报告" in page
    form = {"csrf_token": token_in(page), "name": "三月 线索", "format": "json"}
    page = client.post("/reports/kept/?status=lead", data=form, follow_redirects=True).text
    assert "正在后台生成报告。" in page
    assert "排队中" in page
    assert "data-going" in page
    make_due_reports(product, render_report)
    page = client.get("/reports/kept/").text
    assert "data-going" not in page
    [kept] = product.store.kept_reports.newest()
    answer = client.get(f"/reports/kept/{kept.id}")
    assert json.loads(answer.data)["chosen_by"] == {"status": "lead"}
    assert answer.headers["Content-Disposition"].startswith("attachment")
    form = {"csrf_token": token_in(page)}
    assert "已删除。" in client.post(f"/reports/kept/{kept.id}/remove", data=form, follow_redirects=True).text
    assert client.get(f"/reports/kept/{kept.id}").status_code == 404


@pytest.mark.usefixtures("few")
def test_a_long_report_is_made_in_the_language_that_was_asked_for(
    client: FlaskClient, seed: Seeder, product: App
) -> None:
    seed.library()
    page = client.get("/reports/cases.pdf?status=lead&language=en").text
    assert '<option value="en" selected>' in page
    form = {"csrf_token": token_in(page), "name": "March", "format": "pdf", "language": "en"}
    client.post("/reports/kept/?status=lead", data=form)
    [kept] = product.store.kept_reports.newest()
    assert kept.language == "en"


@pytest.mark.usefixtures("few")
def test_programs_are_refused_what_takes_long_and_have_it_made(caller: MakeCaller, seed: Seeder, product: App) -> None:
    seed.library()
    call = caller()
    refused = call("GET", "/reports/cases.csv?status=lead")
    assert refused.status_code == 413
    asked = call("POST", "/reports", json={"name": "表", "format": "csv", "filter": {"status": "lead"}})
    assert asked.status_code == 202
    id = asked.get_json()["id"]
    assert call("GET", f"/reports/{id}/file").status_code == 404
    make_due_reports(product, render_report)
    made = call("GET", f"/reports/{id}").get_json()
    assert (made["done"], made["of"], made["cases"]) == (4, 4, 4)
    file = call("GET", f"/reports/{id}/file")
    assert file.data.count(b"\r\n") == 5
    described = call.client.get("/api/v1/openapi.json").get_json()["paths"]["/api/v1/reports/{id}/file"]["get"]
    assert file.mimetype in described["responses"]["200"]["content"]
    other = caller(Role.LAWYER)
    assert other("DELETE", f"/reports/{id}").status_code == 403
    assert call("DELETE", f"/reports/{id}").status_code == 204


def test_what_fails_is_told_and_tried_again_only_where_that_may_help(seed: Seeder, product: App) -> None:
    seed.library()

    def failing(error: Exception) -> Any:
        def fail(*_: object) -> bytes:
            raise error

        return fail

    request_report(by(product), "一", "pdf")
    make_due_reports(product, failing(Unavailable("reports.not_set", error="x")))
    [kept] = product.store.kept_reports.newest()
    assert kept.due is not None
    assert kept.due > product.now()
    assert kept.problem is not None
    delete_report(by(product), kept.id)
    request_report(by(product), "二", "pdf")
    make_due_reports(product, failing(TooLarge("reports.too_many_cases", count=1, most=1)))
    [kept] = product.store.kept_reports.newest()
    assert kept.due is None
    with pytest.raises(Forbidden):
        delete_report(by(product, "别人", {Right.EXPORT}), kept.id)


@pytest.mark.parametrize(
    ("told", "kind"),
    [
        (Unreadable("reading.killed", signal="SIGKILL", memory=4000), TooLarge),
        (Unreadable("reading.too_long", seconds=120), Unavailable),
        (Unreadable("reading.failed", error="exit status 3"), Unavailable),
    ],
)
def test_a_pdf_that_cannot_be_set_is_not_told_as_something_that_cannot_be_read(
    told: Unreadable, kind: type[Exception], seed: Seeder, acting: Acting, monkeypatch: pytest.MonkeyPatch
) -> None:
    seed.work()
    seed.case()

    def read(*_: object, **__: object) -> bytes:
        raise told

    monkeypatch.setattr(document, "read_in_child", read)
    with pytest.raises(kind, match="PDF"):
        to_pdf(gather_report(acting), ReportSettings())


def test_records_of_a_spool_are_read_as_often_as_one_likes_few_or_many() -> None:
    for count in (3, MAX_RECORDS_IN_MEMORY + 3):
        pile = RecordPile[tuple[int, str]]()
        for at in range(count):
            pile.add((at, "文"))
        records = pile.records()
        assert len(records) == count
        assert list(records) == list(records) == [(at, "文") for at in range(count)]
        both = iter(records), iter(records)
        assert [next(one) for one in both for _ in range(2)] == [(0, "文"), (1, "文")] * 2
        assert records[-1] == (count - 1, "文")
        assert list(records[1:3]) == [(1, "文"), (2, "文")]


@pytest.mark.parametrize(("asked", "said"), [("work=药", "没有作品“药”"), ("host=wu.example", "站点“wu.example”")])
def test_a_report_on_what_nobody_knows_is_refused_beside_the_choices(
    client: FlaskClient, seed: Seeder, asked: str, said: str
) -> None:
    seed.library()
    refused = client.get(f"/reports/cases.csv?{asked}&status=")
    assert (refused.status_code, said in refused.text) == (400, True)
    assert f'value="{asked.partition("=")[2]}"' in refused.text, "what was typed stays"
