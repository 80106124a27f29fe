"""A report is gathered by who may export, and every export is written down."""

import json
from dataclasses import replace
from hashlib import sha256

import pytest

from tests.support.acting import by
from tests.support.seed import NOW, Seeder
from wenhen.cases.model import CaseConditions, CaseStatus
from wenhen.kit.errors import BadInput, Forbidden, NotFound
from wenhen.kit.rights import Right
from wenhen.reports.contents import gather_report
from wenhen.reports.phrases import filter_line
from wenhen.reports.service import (
    export_report,
    hand_out_report,
    make_due_reports,
    render_report,
    report_file_name,
    request_report,
)
from wenhen.runtime.wiring import App


@pytest.fixture
def filled(product: App) -> App:
    """Four cases."""
    Seeder(product.store).library()
    return replace(product, now=lambda: NOW)


def test_what_was_exported_stands_in_the_audit_log_with_its_filter_and_its_file(filled: App) -> None:
    made = export_report(
        by(filled), "json", render_report, name="线索.json", status=CaseStatus.LEAD, host="copies.example"
    )
    export_report(by(filled), "csv", render_report, name="2.csv", case_ids=["2"])
    one, many = filled.store.audit.find(action="report.export")
    assert (one.who, one.subject) == ("陆", "case:2")
    told = json.loads(one.new or "")
    assert (told["case"], told["cases"], told["file"]) == ("2", 1, "2.csv")
    assert (many.at, many.subject) == (NOW, "report:cases")
    digest = sha256(made.content).hexdigest()
    file = {"file": "线索.json", "size": len(made.content), "sha256": digest}
    assert json.loads(many.new or "") == {
        "status": "lead",
        "host": "copies.example",
        "cases": 2,
        "numbers": "1 4",
        **file,
    }
    assert [case.number for case in made.report.cases] == [1, 4]
    assert filled.store.audit.find(sha256=digest) == [many], "is this the file that left the house?"


def test_a_kept_report_is_named_by_its_file_when_it_is_made_and_when_it_is_taken_away(filled: App) -> None:
    asked = request_report(by(filled), "三月", "json")
    make_due_reports(filled, render_report)
    kept, content = hand_out_report(by(filled, "客户"), asked.id)
    lines = filled.store.audit.find(sha256=sha256(content).hexdigest())
    did = [(line.who, line.action, line.subject) for line in lines]
    of_cases = "report:cases"
    assert did == [
        ("客户", "report.hand_out", of_cases),
        ("客户", "report.hand_out", f"report:{kept.id}"),
        ("陆", "report.export", of_cases),
    ]
    assert {json.loads(line.new or "")["file"] for line in lines} == {report_file_name(kept)}


def test_who_may_not_export_gets_nothing(filled: App) -> None:
    with pytest.raises(Forbidden, match="export"):
        gather_report(by(filled, rights=frozenset(Right) - {Right.EXPORT}))
    assert filled.store.audit.count() == 0


def test_a_report_of_a_case_that_is_not_there_is_none(filled: App) -> None:
    with pytest.raises(NotFound):
        gather_report(by(filled), case_ids=["1", "9"])
    assert filled.store.audit.count() == 0


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ({"work_id": "朝花夕拾集"}, "朝花夕拾集"),
        ({"holder": "无此人"}, "无此人"),
        ({"hosts": ("xn--1jq370b.example",)}, "书库.example"),
    ],
)
def test_a_report_on_what_nobody_knows_is_refused_by_its_name(filled: App, where: CaseConditions, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        gather_report(by(filled), **where)
    with pytest.raises(BadInput, match=said):
        request_report(by(filled), "三月", "json", **where)
    assert (filled.store.audit.count(), filled.store.kept_reports.newest()) == (0, [])


def test_a_report_on_a_known_work_without_such_cases_says_that_there_are_none(filled: App) -> None:
    work = filled.store.cases.get("1").work_id
    made = gather_report(by(filled), work_id=work, status=CaseStatus.SETTLED)
    assert (made.totals.cases, filter_line(made).endswith("没有符合的案件 no case matches")) == (0, True)
    assert "没有符合的案件" not in filter_line(gather_report(by(filled), work_id=work))
