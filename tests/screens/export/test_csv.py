"""The report as a table, opened again: a row a case, and no cell that a spreadsheet would run."""

import csv
from dataclasses import replace
from io import StringIO

import pytest
from flask.testing import FlaskClient

from dashboard.export.csv_report import to_csv
from dashboard.export.formula_injection import harmless
from services.reporting.report_contents import Report
from tests.support.seed import Seeder


def rows(content: bytes) -> list[dict[str, str]]:
    """The rows by heading."""
    return list(csv.DictReader(StringIO(content.decode("utf-8-sig"), newline=""), strict=True))


def test_a_row_holds_the_case_and_its_evidence_in_words_of_both_languages(report: Report) -> None:
    content = to_csv(report)
    assert content.startswith(b"\xef\xbb\xbf"), "Excel takes it for UTF-8"
    assert content == to_csv(report)
    (row,) = rows(content)
    assert row["案件编号 Case No."] == "1"
    assert row["状态 Status"] == "已确认 Confirmed"
    assert float(row["占网页 Of the page"]) == pytest.approx(0.832)
    assert row["判定时间（北京） Decided (Beijing time)"] == "2026-03-06 01:30:00+08:00"
    assert row["原始内容 SHA-256 SHA-256 of the body"] == report.cases[0].capture.body_digest


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r\n=1", " =1", "＝1+1"])
def test_what_a_spreadsheet_would_run_stands_behind_an_apostrophe(report: Report, text: str) -> None:
    assert harmless(text) == f"'{text}"
    assert harmless(f"《{text}》") == f"《{text}》"


def test_a_hostile_title_stays_in_its_cell(report: Report) -> None:
    title = '=cmd|\' /C calc\'!A0","x";\r\n=2\x00\ud800'
    (row,) = rows(to_csv(replace(report, cases=(replace(report.cases[0], page_title=title),))))
    assert row["网页标题 Page title"] == "'" + title.replace("\x00", "\ufffd").replace("\ud800", "\ufffd")
    assert None not in row


def test_it_comes_as_a_file(client: FlaskClient, seed: Seeder) -> None:
    seed.library()
    answer = client.get("/reports/cases.csv?host=mirror.example")
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert len(rows(answer.data)) == 1
    assert len(rows(client.get("/cases/3/report.csv").data)) == 1
