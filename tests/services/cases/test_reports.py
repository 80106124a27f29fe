"""A report is gathered by who may export, and every export is written down."""

import json
from dataclasses import replace

import pytest

from services.reporting.report_contents import report
from store.errors import Forbidden, NotFound
from store.records import CaseStatus
from store.rules.role_rights import Right
from tests.support.acting import by
from tests.support.seed import NOW, Seeder
from wenhen.wiring import App


@pytest.fixture
def filled(product: App) -> App:
    """Four cases."""
    Seeder(product.store).library()
    return replace(product, now=lambda: NOW)


def test_what_was_exported_stands_in_the_audit_log_with_its_filter(filled: App) -> None:
    made = report(by(filled), status=CaseStatus.LEAD, host="copies.example")
    report(by(filled), case_ids=["2"])
    one, many = filled.store.audit.find(action="report.export")
    assert (one.who, one.subject, json.loads(one.new or "")) == ("陆", "case:2", {"case": "2", "cases": 1})
    assert (many.at, many.subject) == (NOW, "report:cases")
    assert json.loads(many.new or "") == {"status": "lead", "host": "copies.example", "cases": 2, "numbers": "1 4"}
    assert [case.number for case in made.cases] == [1, 4]


def test_who_may_not_export_gets_nothing(filled: App) -> None:
    with pytest.raises(Forbidden, match="export"):
        report(by(filled, rights=frozenset(Right) - {Right.EXPORT}))
    assert filled.store.audit.count() == 0


def test_a_report_of_a_case_that_is_not_there_is_none(filled: App) -> None:
    with pytest.raises(NotFound):
        report(by(filled), case_ids=["1", "9"])
    assert filled.store.audit.count() == 0
