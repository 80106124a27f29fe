"""The report as a table, opened again: a row a case, and no cell that a spreadsheet would run."""

import csv
from dataclasses import replace
from datetime import date
from io import StringIO

import pytest
from flask.testing import FlaskClient

from matcher.alignment.aligned_span import count_characters
from tests.support.seed import PAGE_TEXT, WORK_TEXT, Seeder
from wenhen.kit.clock import start_of_day
from wenhen.reports.columns import escape_formula
from wenhen.reports.csv_and_json import to_csv
from wenhen.reports.model import Report

PUBLISHED = "首次发表（北京） First published (Beijing time)"


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


def test_shares_can_be_reckoned_again_from_the_counts_beside_them(report: Report) -> None:
    (row,), (case,) = rows(to_csv(report)), report.cases
    counts = "网页中抄袭的字数 Copied characters of the page", "作品中被抄的字数 Copied characters of the work"
    assert [int(row[name]) for name in counts] == [case.copied_characters, case.copied_of_work]
    spans = [count_characters(one.work_text or "") for one in case.passages]
    assert case.copied_of_work == sum(spans), "they lie apart"
    lengths = "网页正文字数 Characters of the page's text", "作品字数 Characters of the work"
    assert [int(row[name]) for name in lengths] == [count_characters(PAGE_TEXT), count_characters(WORK_TEXT)]


def test_a_day_of_publication_is_told_without_an_hour_that_nobody_gave(report: Report) -> None:
    of_a_day = replace(report.cases[0], first_published=start_of_day(date(2019, 5, 3)))
    (row,) = rows(to_csv(replace(report, cases=(of_a_day,))))
    assert row[PUBLISHED] == "2019-05-03"
    (row,) = rows(to_csv(report))
    assert row[PUBLISHED] == "2025-11-02 12:00:00+08:00"


def test_a_text_read_from_a_rendered_page_names_the_digest_of_that_page(report: Report) -> None:
    (case,) = report.cases
    rendered = replace(case, capture=replace(case.capture, rendered_digest="ab" * 32))
    (row,) = rows(to_csv(replace(report, cases=(rendered,))))
    named = "浏览器渲染后的页面 SHA-256（正文取自此） SHA-256 of the page as rendered, from which the text was read"
    assert row[named] == "ab" * 32


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r\n=1", " =1", "＝1+1"])
def test_what_a_spreadsheet_would_run_stands_behind_an_apostrophe(report: Report, text: str) -> None:
    assert escape_formula(text) == f"'{text}"
    assert escape_formula(f"《{text}》") == f"《{text}》"


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
