"""Every format gives its works, in every encoding; what cannot be read is refused alone."""

import io
import json
import os
import tracemalloc
import zipfile
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

import docx
import pytest

from crawler.extraction.page import extract_html
from tests.support.documents.drafts import TEXT, drafts, read, refusals
from tests.support.documents.files import epub as untitled
from tests.support.documents.files import mobi, old_word, packed, pdf, rich_text, word
from wenhen.works.importers.drafts import Refused, id_from_origin
from wenhen.works.importers.file_reader import read_file
from wenhen.works.importers.path_reader import read_paths
from wenhen.works.model import WorkDraft


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16"])
def test_a_text_file_is_one_work_whose_title_is_its_name(encoding: str) -> None:
    [work] = drafts(read(TEXT.encode(encoding), "dir/渡口.txt"))
    assert (work.title, work.text) == ("渡口", TEXT)


def test_a_text_file_in_big5_is_read_too() -> None:
    traditional = "渡口的燈亮到後半夜，老艄公才把船拴好。他說這條河年輕的時候脾氣壞，一夜之間就能改道。"
    [work] = drafts(read(traditional.encode("big5"), "渡口.txt"))
    assert work.text == traditional


@pytest.mark.parametrize("text", ["春眠不觉晓", "春眠不觉晓，处处闻啼鸟。", "锄禾日当午\n汗滴禾下土"])
def test_a_few_characters_in_gb18030_are_those_characters(text: str) -> None:
    [work] = drafts(read(text.encode("gb18030"), "诗.txt"))
    assert work.text == text


def test_windows_line_ends_become_plain_ones() -> None:
    [work] = drafts(read("一行\r\n二行\r三行".encode(), "a.txt"))
    assert work.text == "一行\n二行\n三行"


def test_the_first_heading_of_a_markdown_file_is_its_title_and_not_its_text() -> None:
    [work] = drafts(read(f"# 老艄公的河\n\n{TEXT}\n".encode(), "a.md"))
    assert (work.title, work.text) == ("老艄公的河", TEXT)


def test_a_saved_page_gives_its_main_text() -> None:
    body = "".join(f"<p>{TEXT}第{n}段。</p>" for n in range(4))
    article = f"<article><h1>河</h1>{body}</article>"
    page = f"<html><head><title>河</title></head><body><nav>首页 登录</nav>{article}</body></html>"
    [work] = drafts(read(page.encode(), "河.html"))
    assert TEXT in work.text
    assert "首页" not in work.text


@pytest.mark.parametrize(("main", "other"), [("utf-8", "gb18030"), ("gb18030", "utf-8")])
def test_a_saved_page_is_imported_as_it_is_extracted_whatever_charset_an_advert_is_in(main: str, other: str) -> None:
    begin, end = f"<html><head><title>河</title></head><body><p>{TEXT}</p><p>{TEXT}</p>", "</body></html>"
    advert = f"<p class=ad>{'收藏新的地址不迷路 ' * 12}</p>"
    content = begin.encode(main) + advert.encode(other) + end.encode(main)
    [work] = drafts(read(content, "河.html"))
    assert work.text == extract_html(content, (), "").text
    assert work.text.startswith(TEXT)


def test_a_saved_page_that_is_noise_is_refused() -> None:
    noise = b"<p>" + bytes(range(128, 256)) * 9 + b"</p>"
    assert [str(one.reason) for one in refusals(read(noise, "noise.html"))]


def test_json_lines_in_gb18030_may_begin_with_a_mark_of_utf_8(tmp_path: Path) -> None:
    row = json.dumps({"id": "w", "title": "渡口", "text": TEXT}, ensure_ascii=False)
    (tmp_path / "works.jsonl").write_bytes(b"\xef\xbb\xbf" + row.encode("gb18030"))
    [work] = drafts(list(read_file(str(tmp_path / "works.jsonl"))))
    assert (work.title, work.text) == ("渡口", TEXT)


def test_json_lines_are_works_with_their_data_and_a_bad_line_is_refused_alone() -> None:
    lines = [
        {
            "id": "a-1",
            "title": "河",
            "text": TEXT,
            "author": "阿岸",
            "chapter": "3",
            "published_at": "2026-01-02T08:00:00",
        },
        {"id": "a-2", "title": "空", "text": "  "},
        {"id": "a-1", "title": "又一条河", "text": TEXT},
        {"title": "无号", "text": TEXT, "rating": 5},
    ]
    content = "\n".join([json.dumps(lines[0], ensure_ascii=False), "{not json", *map(json.dumps, lines[1:])])
    found = read(content.encode(), "works.jsonl")
    first, last = drafts(found)
    assert (first.id, first.author, first.chapter) == ("a-1", "阿岸", 3)
    assert first.published_at == datetime(2026, 1, 2, 0, 0, tzinfo=UTC)  # Shanghai is eight hours ahead
    assert last.title == "无号"
    assert [one.what for one in refusals(found)] == ["works.jsonl:2", "works.jsonl:3", "works.jsonl:4"]
    assert "stands in line 1" in str(refusals(found)[2].reason)


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("chapter", "1e999", "chapter 'inf' is not a whole number"),
        ("chapter", "-1", "chapter '-1' is not a whole number"),
        ("chapter", "1" + "0" * 30, "is not a whole number"),
        ("published_at", '"0001-01-01"', "of the years 100 to 2999: write it as 2025-11-02"),
        ("published_at", '"9999-12-31T23:59:59-23:00"', "of the years 100 to 2999: write it as 2025-11-02"),
        ("published_at", '"' + "9" * 5_000 + '"', "of the years 100 to 2999: write it as 2025-11-02"),
        ("id", '"' + "x" * 1_001 + '"', "the id has 1,001 characters"),
        ("title", '"' + "x" * 501 + '"', "the title has 501 characters"),
        ("author", '"' + "x" * 201 + '"', "author: 201 characters, more than 200"),
        ("author", '["甲", "乙"]', "author has to be text"),
        ("url", '"javascript:alert(1)"', "url: 'javascript:alert(1)' is no address of http or https"),
    ],
)
def test_a_value_out_of_all_bounds_refuses_its_line_alone(field: str, value: str, reason: str) -> None:
    row = {"id": "a", "title": "河", "text": TEXT}
    odd = json.dumps({name: one for name, one in row.items() if name != field})[:-1] + f', "{field}": {value}}}'
    found = read("\n".join([odd, json.dumps(row)]).encode(), "works.jsonl")
    assert [work.id for work in drafts(found)] == ["a"]
    [refusal] = refusals(found)
    assert refusal.what == "works.jsonl:1"
    assert reason in str(refusal.reason)
    assert len(str(refusal.reason)) < 200


def epub(chapters: dict[str, str]) -> bytes:
    items = "".join(
        f'<item id="c{n}" href="{name}" media-type="application/xhtml+xml"/>' for n, name in enumerate(chapters)
    )
    spine = "".join(f'<itemref idref="c{n}"/>' for n in range(len(chapters)))
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<dc:title>大河</dc:title><dc:creator>阿岸</dc:creator></metadata><manifest>{items}</manifest><spine>{spine}</spine></package>"
    )
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles>'
        '<rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
    )
    with zipfile.ZipFile(buffer := io.BytesIO(), "w") as book:
        book.writestr("META-INF/container.xml", container)
        book.writestr("OEBPS/book.opf", package)
        for name, body in chapters.items():
            book.writestr(f"OEBPS/{name}", f"<html xmlns='http://www.w3.org/1999/xhtml'><body>{body}</body></html>")
    return buffer.getvalue()


def test_a_book_gives_a_work_a_chapter_in_the_order_of_its_spine_and_leaves_the_cover_out() -> None:
    book = epub(
        {
            "cover.xhtml": "<img src='x'/>",
            "2.xhtml": f"<h1>上</h1><p>{TEXT}</p>",
            "1.xhtml": f"<h1>下</h1><p>{TEXT[::-1]}</p>",
        }
    )
    works = drafts(read(book, "大河.epub"))
    assert [(work.title, work.series, work.chapter, work.author) for work in works] == [
        ("大河 上", "大河", 1, "阿岸"),
        ("大河 下", "大河", 2, "阿岸"),
    ]
    assert works[0].text == f"上\n{TEXT}"


def test_a_book_without_a_title_is_called_as_its_file() -> None:
    [work] = drafts(read(untitled([[TEXT]]), "/srv/书稿/大河.epub"))
    assert (work.title, work.series) == ("大河 1", "大河")


def test_a_broken_book_and_a_broken_archive_are_refused_with_the_reason() -> None:
    good = epub({"1.xhtml": f"<p>{TEXT}</p>"})
    for content, name in ((good[:200], "a.epub"), (b"PK\x03\x04rubbish", "a.zip"), (b"no archive", "b.zip")):
        [refusal] = refusals(read(content, name))
        assert "pack it again" in str(refusal.reason)


def test_a_book_is_imported_without_the_page_that_is_broken_and_says_so() -> None:
    found = read(pdf([[TEXT], [TEXT], [TEXT[::-1]]]).replace(b"4 0 R 5 0 R 6", b"4 0 R 77 0 R 6"), "河.pdf")
    assert [work.text for work in drafts(found)] == [f"{TEXT}\n{TEXT[::-1]}"]
    assert [one.reason.code for one in refusals(found)] == ["documents.page"]


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (pdf([[TEXT]]), "河.pdf"),
        (word([TEXT]), "河.docx"),
        (rich_text([TEXT]), "河.rtf"),
        (mobi([[TEXT]]), "河.azw3"),
        (old_word([TEXT]), "河.doc"),
    ],
)
def test_a_document_gives_one_work(content: bytes, name: str) -> None:
    [work] = drafts(read(content, name))
    assert (work.title, work.text.removesuffix("\nthe end")) == ("旧书" if name.endswith("pdf") else "河", TEXT)


def test_what_a_program_writes_for_an_author_is_none() -> None:
    document = docx.Document(io.BytesIO(word([TEXT])))
    document.core_properties.author = "Administrator"
    document.save(file := io.BytesIO())
    [work] = drafts(read(file.getvalue(), "渡口.docx"))
    [named] = drafts(read(word([TEXT]), "渡口.docx"))
    assert (work.author, named.author) == (None, "阿岸")


def test_a_document_that_is_locked_is_refused_with_the_reason() -> None:
    [refusal] = refusals(read(pdf([[TEXT]], password="x"), "河.pdf"))
    assert "password" in str(refusal.reason)


def as_packed_on_chinese_windows(name: str, content: bytes) -> bytes:
    """Its packers write the name's GBK bytes and do not say so."""
    in_gbk = name.encode("gb18030")
    placeholder = b"x" * (len(in_gbk) - 4) + b".txt"
    return packed({placeholder.decode(): content}).replace(placeholder, in_gbk)


def test_an_archive_gives_what_its_files_give_and_refuses_the_rest_one_by_one() -> None:
    found = read(
        packed(
            {"河.txt": TEXT.encode(), "leer.txt": b"", "bild.png": b"\x89PNG", "inner.zip": packed({"a.txt": b"x"})}
        ),
        "alles.zip",
    )
    assert [work.title for work in drafts(found)] == ["河"]
    assert len(refusals(found)) == 3


def test_names_in_an_archive_packed_on_chinese_windows_are_read_as_gbk() -> None:
    [work] = drafts(read(as_packed_on_chinese_windows("渡口.txt", TEXT.encode()), "w.zip"))
    assert work.title == "渡口"


def test_a_bomb_is_refused_without_being_unpacked() -> None:
    [refusal] = refusals(read(packed({"bomb.txt": b"a" * 80_000_000}), "bomb.zip"))
    assert "unpacks to" in str(refusal.reason)


@pytest.mark.parametrize("content", [b"", b"   \n", b"\x00\x01\x02\xff\xfe\xfd" * 200])
def test_an_empty_file_and_bytes_that_are_no_text_are_refused(content: bytes) -> None:
    assert len(refusals(read(content, "a.txt"))) == 1


def test_a_text_that_was_saved_in_a_charset_that_it_was_not_is_refused() -> None:
    misread = (TEXT * 3).encode().decode("latin-1")
    [refusal] = refusals(read(misread.encode(), "a.txt"))
    assert "another charset" in str(refusal.reason)


def test_a_folder_is_read_to_its_depth_hidden_files_left_out_and_a_missing_path_is_refused(tmp_path: Path) -> None:
    (tmp_path / "卷一").mkdir()
    (tmp_path / "卷一" / "001.txt").write_text(TEXT, encoding="utf-8")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "x.txt").write_text(TEXT, encoding="utf-8")
    found = list(read_paths([tmp_path, tmp_path / "nirgends"]))
    assert [work.title for work in drafts(found)] == ["001"]
    assert str(refusals(found)[0].reason) == "no such file or folder"


def test_an_empty_folder_and_one_that_cannot_be_looked_into_are_refused_and_the_rest_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "empty" / ".hidden").mkdir(parents=True)
    assert str(refusals(list(read_paths([tmp_path / "empty"])))[0].reason) == "the folder holds no files"
    (tmp_path / "closed").mkdir()
    (tmp_path / "001.txt").write_text(TEXT, encoding="utf-8")
    scandir = os.scandir

    def refusing(path: str) -> object:  # as for everybody but root, whom permissions do not bind
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    found = list(read_paths([tmp_path]))
    assert [work.title for work in drafts(found)] == ["001"]
    assert [(one.what, str(one.reason)) for one in refusals(found)] == [
        (str(tmp_path / "closed"), "cannot be read: Permission denied")
    ]


@pytest.mark.parametrize(
    ("content", "title"),
    [
        (rich_text([TEXT]), "河"),
        (f"\ufeff<!DOCTYPE html><title>渡口</title><p>{TEXT * 9}".encode(), "渡口"),
        (f"<html><title>渡口</title><p>{TEXT * 9}".encode("gb18030"), "渡口"),
    ],
)
def test_a_txt_that_is_another_kind_is_read_as_what_it_is(content: bytes, title: str) -> None:
    [work] = drafts(read(content, "河.txt"))
    assert (work.title, work.text.replace(TEXT.strip(), "").strip()) == (title, "")


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_a_first_line_for_excel_names_the_separator_of_a_table(separator: str) -> None:
    rows = [("title", "text"), ("渡口", '"灯, 亮; 了"'), ("a", "b", "c")]
    content = "\r\n".join([f"sep={separator}", *map(separator.join, rows)])
    works = list(read(content.encode(), "书目.csv"))
    assert [(work.title, work.text) for work in drafts(works)] == [("渡口", "灯, 亮; 了")]
    assert refusals(works)[0].what.endswith(":4(3)"), "a spreadsheet shows no row for the separator"


def test_a_word_file_named_txt_is_refused_as_no_text() -> None:
    [refusal] = refusals(read(word([TEXT]), "河.txt"))
    assert "not text" in str(refusal.reason)


@pytest.mark.parametrize(
    ("name", "other"),
    [
        *(
            ("书目.xls", ".xlsx"),
            ("书目.fods", ".xlsx"),
            ("稿.wps", ".docx"),
            ("稿.fodt", ".docx"),
            ("稿.docm", ".docx"),
        ),
        *(("讲稿.pptx", ".pdf"), ("全集.rar", ".zip")),
    ],
)
def test_a_kind_that_is_not_read_is_refused_with_the_one_to_save_it_as(name: str, other: str) -> None:
    [refusal] = refusals(read(b"x", name))
    assert f"save it as {other}" in str(refusal.reason)


def test_a_file_keeps_its_id_and_two_files_of_one_name_have_two() -> None:
    assert id_from_origin("/a/001.txt") == id_from_origin("/a/001.txt")
    assert id_from_origin("/a/001.txt") != id_from_origin("/b/001.txt")


def test_a_text_of_fifty_megabytes_is_read() -> None:
    content = (TEXT * (50_000_000 // len(TEXT.encode()))).encode()
    [work] = drafts(read(content, "long.txt"))
    assert len(work.text.encode()) == len(content)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16"])
def test_a_file_of_json_lines_may_be_larger_than_any_other(
    encoding: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wenhen.works.importers.path_reader.MAX_FILE_BYTES", 100)
    rows = [json.dumps({"id": f"w{n}", "title": "渡口", "text": f"{TEXT}{n}"}, ensure_ascii=False) for n in range(50)]
    (tmp_path / "works.jsonl").write_bytes("\r\n".join([*rows[:10], "", "{", *rows[10:]]).encode(encoding))
    found = list(read_paths([tmp_path / "works.jsonl"]))
    assert [(one.id, one.text) for one in drafts(found)] == [(f"w{n}", f"{TEXT}{n}") for n in range(50)]
    [refused] = refusals(found)
    assert refused.what == f"{tmp_path}/works.jsonl:12"


def test_json_lines_are_read_one_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "works.jsonl"
    row = json.dumps({"id": "w", "title": "渡口", "text": TEXT}, ensure_ascii=False)
    path.write_text(f"{row}\n" * 10_000)
    tracemalloc.start()
    [one, *_] = islice(read_paths([path]), 9_000)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert isinstance(one, WorkDraft)
    assert path.stat().st_size > 2_000_000
    assert most < 8_000_000, "a reading buffer, and what is told of 9,000 lines that were refused"


def test_a_line_beyond_all_measure_ends_the_file_and_what_stood_before_it_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wenhen.works.importers.drafts.MAX_LINE_CHARACTERS", 500)
    row = json.dumps({"id": "w", "title": "渡口", "text": TEXT}, ensure_ascii=False)
    (tmp_path / "works.jsonl").write_text(f"{row}\n{'x' * 600}\n{row}")
    [work, refused] = read_file(str(tmp_path / "works.jsonl"))
    assert isinstance(work, WorkDraft)
    assert isinstance(refused, Refused)
    assert "a line of more than 500" in str(refused.reason)


def test_a_line_that_is_no_text_and_a_file_without_any_are_refused(tmp_path: Path) -> None:
    row = json.dumps({"id": "w", "title": "渡口", "text": TEXT}, ensure_ascii=False)
    (tmp_path / "a.jsonl").write_bytes(row.encode() + b"\n" + b"\xff" * 100 + b"\n")
    (tmp_path / "b.jsonl").write_bytes(b" \n")
    found = list(read_paths([tmp_path]))
    assert [one.id for one in drafts(found)] == ["w"]
    assert [(Path(one.what).name, str(one.reason)) for one in refusals(found)] == [
        ("a.jsonl:2", "not text in UTF-8, GB18030 or Big5: save it in one of these"),
        ("b.jsonl", "the file is empty"),
    ]
