"""The workbook, opened again: all rows, all text, nothing that runs."""

from dataclasses import replace
from datetime import date, datetime, timedelta
from io import BytesIO

import openpyxl
import pytest
from flask.testing import FlaskClient
from openpyxl.workbook import Workbook

from tests.support.seed import MIDDLE, NOW, OPENING, Seeder, long_case
from wenhen.context.use_cases import Acting
from wenhen.kit.clock import start_of_day
from wenhen.kit.errors import message, plain_message
from wenhen.reports.columns import cell_text, split_into_cells
from wenhen.reports.contents import gather_report as gather
from wenhen.reports.model import Report
from wenhen.reports.xlsx import to_excel

SHEETS = ["汇总 Summary", "一览 Overview", "案件 Cases", "片段 Passages", "证据 Evidence", "说明 Notes"]


def opened(report: Report) -> Workbook:
    return openpyxl.load_workbook(BytesIO(to_excel(report)))


def rows(book: Workbook, sheet: str) -> list[dict[str, object]]:
    """The rows of a table by heading."""
    heading, *body = book[sheet].iter_rows(values_only=True)
    return [dict(zip(map(str, heading), row, strict=True)) for row in body]


def test_six_sheets_hold_the_case(report: Report) -> None:
    book = opened(report)
    assert book.sheetnames == SHEETS
    (case,) = rows(book, "案件 Cases")
    assert case["状态 Status"] == "已确认 Confirmed"
    assert case["占网页 Of the page"] == pytest.approx(0.832)
    assert case["判定时间（北京） Decided (Beijing time)"] == datetime(2026, 3, 6, 1, 30)  # noqa: DTZ001  Excel knows no zones
    assert "网页正文的 83.2% 与作品相同" in str(case["判定理由 Reasons"])
    (evidence,) = rows(book, "证据 Evidence")
    assert evidence["原始内容 SHA-256 SHA-256 of the body"] == report.cases[0].capture.body_digest
    assert evidence["服务器地址 Server address"] == "198.51.100.7"
    summary = {row[0]: row[1] for row in book["汇总 Summary"].iter_rows(values_only=True)}
    assert summary["案件数 Cases"] == 1
    assert summary["权利人 Holder"] == "河岸文艺社"


def test_a_day_of_publication_is_a_day_without_an_hour_that_nobody_gave(report: Report) -> None:
    of_a_day = replace(report.cases[0], first_published=start_of_day(date(2019, 5, 3)))
    sheet = opened(replace(report, cases=(of_a_day,)))["案件 Cases"]
    (cell,) = (one for one in sheet[2] if isinstance(one.value, datetime) and one.value.year == 2019)
    assert (cell.value, cell.number_format) == (datetime(2019, 5, 3), "yyyy-mm-dd")  # noqa: DTZ001  Excel knows no zones


def test_what_the_crawler_noted_of_a_capture_stands_there_in_both_languages(report: Report) -> None:
    case = report.cases[0]
    overruled = message("page.declared", declared="gbk", read="utf-8")
    noted = replace(case.capture, problems=(overruled, plain_message("nobody foresaw this")))
    (evidence,) = rows(opened(replace(report, cases=(replace(case, capture=noted),))), "证据 Evidence")
    assert str(evidence["抓取中的问题 Problems of the capture"]).split("\n") == [
        "声明的编码是 gbk，实际按 utf-8 读出 declared as gbk, read as utf-8",
        "nobody foresaw this",
    ]


def test_the_way_of_a_notice_stands_in_the_list(seed: Seeder, acting: Acting) -> None:
    seed.work(proof="国作登字-2025-A-0001")
    seed.case(credited=False, assignee="沈", notice_at=NOW, deadline=NOW + timedelta(days=7))
    (case,) = rows(opened(gather(acting)), "案件 Cases")
    assert case["首发证明 Proof of first publication"] == "国作登字-2025-A-0001"
    assert (case["署名 Attribution"], case["负责人 Assignee"]) == ("未署名 Not attributed", "沈")
    assert case["期限（北京） Deadline (Beijing time)"] == datetime(2026, 3, 13, 1, 30)  # noqa: DTZ001  as above


def test_every_passage_is_quoted_from_both_texts(report: Report) -> None:
    found = rows(opened(report), "片段 Passages")
    assert [row["作品文字 Text of the work"] for row in found] == [OPENING, MIDDLE]
    assert [row["网页起 Page from"] for row in found] == [p.page_start for p in report.cases[0].passages]


@pytest.mark.parametrize(
    "text", ['=HYPERLINK("http://evil.example","x")', "+1+1", "@SUM(A1)", "http://a.example/", "007"]
)
def test_text_that_looks_like_a_formula_a_link_or_a_number_stays_text(report: Report, text: str) -> None:
    quote = replace(report.cases[0].passages[0], page_text=text)
    book = opened(replace(report, cases=(replace(report.cases[0], page_title=text, passages=(quote,)),)))
    for sheet, heading in (("案件 Cases", "网页标题 Page title"), ("片段 Passages", "网页文字 Text of the page")):
        column = [cell.value for cell in book[sheet][1]].index(heading)
        cell = book[sheet][2][column]
        assert (cell.value, cell.data_type, cell.hyperlink) == (text, "s", None)


def test_characters_that_xml_cannot_hold_are_replaced_and_the_file_opens(report: Report) -> None:
    wild = "a\x00b\x0bc\ud800d\ufffee\t_x0041_\n𠮷"
    (case,) = rows(opened(replace(report, cases=(replace(report.cases[0], page_title=wild),))), "案件 Cases")
    assert case["网页标题 Page title"] == "a�b�c�d�e\t_x0041_\n𠮷"


def test_a_text_longer_than_a_cell_goes_on_in_further_rows_and_none_of_it_is_lost(report: Report) -> None:
    long = "𠮷野家" * 15_000
    quote = replace(report.cases[0].passages[0], page_text=long)
    found = rows(opened(replace(report, cases=(replace(report.cases[0], passages=(quote,)),))), "片段 Passages")
    assert "".join(str(row["网页文字 Text of the page"]) for row in found) == long
    assert [row["分段 Part"] for row in found] == ["1/3", "2/3", "3/3"]
    assert all(len(part.encode("utf-16-le")) // 2 <= 32_767 for part in split_into_cells(long) if part)


def test_a_cell_that_cannot_go_on_is_cut_with_a_mark() -> None:
    assert cell_text("x" * 16_383) == "x" * 16_383
    assert len(cell_text("x" * 40_000)) == 16_383
    assert cell_text("x" * 40_000).endswith("cut］")


def test_a_thousand_passages_are_a_thousand_rows(seed: Seeder, acting: Acting) -> None:
    long_case(seed, 40)
    report = gather(acting)
    many = tuple(replace(report.cases[0].passages[n % 40], number=n + 1) for n in range(1_000))
    book = opened(replace(report, cases=(replace(report.cases[0], passages=many),)))
    assert [row["片段 Passage"] for row in rows(book, "片段 Passages")] == list(range(1, 1_001))


def test_what_was_changed_in_a_passage_is_marked_and_the_overview_prints(report: Report) -> None:
    book = openpyxl.load_workbook(BytesIO(to_excel(report)), rich_text=True)
    heading = [cell.value for cell in book["片段 Passages"][1]]
    written = book["片段 Passages"].cell(3, heading.index("作品文字 Text of the work") + 1).value
    assert [run.text for run in written if getattr(run, "font", None) and run.font.strike] == ["一"]
    overview = book["一览 Overview"]
    assert overview.max_column == 12
    assert (overview.print_title_rows, overview.page_setup.orientation) == ("$1:$1", "landscape")
    assert overview.oddFooter.right.text == "&P / &N"


def test_the_same_report_gives_the_same_bytes(report: Report) -> None:
    assert to_excel(report) == to_excel(report)


def test_an_empty_report_opens(client: FlaskClient) -> None:
    answer = client.get("/reports/cases.xlsx")
    assert answer.status_code == 200
    assert openpyxl.load_workbook(BytesIO(answer.data)).sheetnames == SHEETS
