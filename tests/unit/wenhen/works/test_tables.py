"""A table gives a work a row, as spreadsheets write it; what cannot be read of it is refused alone."""

from datetime import UTC, date, datetime

import pytest

from tests.support.documents.drafts import TEXT, drafts, read, refusals
from tests.support.documents.files import old_word, packed, workbook
from wenhen.works.importers.drafts import Refused


def test_a_csv_file_gives_a_work_a_row_and_needs_title_and_text() -> None:
    content = f'title,text,author\n河,"{TEXT}",阿岸\n,无题,\n'
    found = read(content.encode("gb18030"), "works.csv")
    [work] = drafts(found)
    assert (work.title, work.text, work.author) == ("河", TEXT, "阿岸")
    assert len(refusals(found)) == 1
    assert "no column title" in str(refusals(read(b"name,body\n1,2\n", "x.csv"))[0].reason)


@pytest.mark.parametrize(("between", "encoding"), [(",", "gb18030"), (";", "utf-8-sig"), ("\t", "utf-16")])
def test_a_csv_file_is_read_as_spreadsheets_write_it(between: str, encoding: str) -> None:
    rows = (["Title ", " TEXT", "remarks"], ["河", "渡口的灯", "旧稿"])
    [work] = drafts(read("\r\n".join(map(between.join, rows)).encode(encoding), "works.csv"))
    assert (work.title, work.text) == ("河", "渡口的灯")


def test_a_row_of_a_csv_file_whose_text_was_cut_at_its_commas_is_refused_and_not_kept_in_part() -> None:
    found = read("title,text\n河,渡口的灯,亮到后半夜\n山,山里的灯\n".encode(), "works.csv")
    assert [work.title for work in drafts(found)] == ["山"]
    assert [(one.what, one.reason.code) for one in refusals(found)] == [("works.csv:2", "csv.more_fields")]


def test_each_sheet_of_a_workbook_that_names_title_and_text_gives_a_work_a_row_and_the_others_are_refused() -> None:
    content = workbook(
        {
            "稿件": [
                ["2019 年稿件清单"],
                [],
                ["书名", "正文", "作者", "发表日期", "章节", "备注"],
                ["河", TEXT, "阿岸", date(2019, 5, 3), 3, "旧稿"],
                [None, None, None, None, None, None],
                ["山", None, "阿岸"],
                ["海", TEXT[::-1], None, "2019年5月3日", "4"],
            ],
            "说明": [["请按列填写"]],
            "空": [],
        }
    )
    found = read(content, "书目.xlsx")
    assert [(work.title, work.text, work.author, work.chapter) for work in drafts(found)] == [
        ("河", TEXT, "阿岸", 3),
        ("海", TEXT[::-1], None, 4),
    ]
    assert {work.published_at for work in drafts(found)} == {datetime(2019, 5, 2, 16, tzinfo=UTC)}
    assert [(one.what, one.reason.code) for one in refusals(found)] == [
        ("书目.xlsx!/稿件:6", "importing.no_text"),
        ("书目.xlsx!/说明", "csv.missing_column"),
    ]


def test_a_cell_that_excel_cut_off_is_refused() -> None:
    most = 32_767
    content = workbook({"稿件": [["title", "text"], ["河", "水" * most], ["海", "水" * (most - 1)]]})
    found = read(content, "书目.xlsx")
    assert [work.title for work in drafts(found)] == ["海"]
    assert [one.reason.code for one in refusals(found)] == ["importing.cell_full"]


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (packed({"content.xml": b"<office/>"}), "importing.no_workbook"),
        (old_word(["旧"]), "importing.no_workbook"),
        (packed({"[Content_Types].xml": b"<Types/>", "xl/workbook.xml": b"<workbook"}), "reading.failed"),
    ],
)
def test_what_is_no_workbook_or_a_broken_one_is_refused_with_the_reason(content: bytes, code: str) -> None:
    assert [one.reason.code for one in refusals(read(content, "书目.xlsx"))] == [code]


@pytest.mark.parametrize(
    "heading",
    [
        "标题",
        "书名",
        "Title",
        "作品名称",
        "稿件题目",
        "作品題名",
        "篇 名*",
        "标题【必填】",
        "書名\u3000(选填)",
        "文稿名称：",
    ],
)
def test_a_column_may_be_called_as_people_in_china_call_it(heading: str) -> None:
    [work] = drafts(read(f"{heading},正文,备注\n河,{TEXT},旧稿\n".encode(), "works.csv"))
    assert (work.title, work.text) == ("河", TEXT)


@pytest.mark.parametrize("heading", ["文章正文", "內文", "作品内容（不限字数）", "正\u3000文*"])
def test_a_heading_may_say_whose_text_it_is_and_what_it_asks_for(heading: str) -> None:
    [work] = drafts(read(f"标题,{heading},刊登日期\n河,{TEXT},2019-05-03\n".encode(), "works.csv"))
    assert (work.title, work.text) == ("河", TEXT)
    assert work.published_at == datetime(2019, 5, 2, 16, tzinfo=UTC)


def test_a_column_has_its_own_name_before_what_it_may_be_called() -> None:
    [work] = drafts(read(f"title,书名,text\n河,长江,{TEXT}\n".encode(), "works.csv"))
    assert work.title == "河"


@pytest.mark.parametrize(
    "written", ["2019-05-03", "2019/5/3", "2019/5/3 0:00", "2019-5-3", "2019.5.3", "2019年5月3日", "20190503"]
)
def test_a_day_is_read_as_people_in_china_and_their_spreadsheets_write_it(written: str) -> None:
    [work] = drafts(read(f"title,text,published_at\n河,{TEXT},{written}\n".encode(), "works.csv"))
    assert work.published_at == datetime(2019, 5, 2, 16, tzinfo=UTC)


@pytest.mark.parametrize("written", ["2019-05", "2019年5月", "2019年", "2019"])
def test_a_month_or_a_year_alone_makes_up_no_day(written: str) -> None:
    [refusal] = read(f"title,text,published_at\n河,{TEXT},{written}\n".encode(), "works.csv")
    assert isinstance(refusal, Refused)
    assert "write that into proof" in str(refusal.reason)
