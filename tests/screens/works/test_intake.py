"""Works come in by upload: what is good is taken, what is not is listed with its reason."""

import json
import re
import zipfile
from io import BytesIO

import openpyxl
import pytest
from flask.testing import FlaskClient
from selectolax.lexbor import LexborHTMLParser
from werkzeug.test import TestResponse

from dashboard.frame.requests import _MAX_BYTES_BY_ENDPOINT
from tests.support.screens import CJK, Foreign, token_in
from tests.support.seed import OPENING, Seeder
from wenhen.runtime.wiring import App

TEXT = OPENING * 20


def upload(client: FlaskClient, *files: tuple[str, bytes], accept: str = "text/html", **form: str) -> TestResponse:
    """Send these files with the form."""
    sent = [(BytesIO(content), name) for name, content in files]
    data = {"csrf_token": token_in(client.get("/works/import/").text), "files": sent, **form}
    return client.post("/works/import/", data=data, headers={"Accept": accept})


def outcome(answer: TestResponse) -> list[str]:
    """The numbers of new, changed, unchanged and refused works."""
    assert answer.status_code == 200, answer.text
    return re.findall(r'class="pair">\w+ <b>(\d+)</b>', answer.text)


def test_what_could_not_be_read_is_told_in_chinese(client: FlaskClient) -> None:
    files = (
        ("空.txt", b""),
        ("图.png", b"PNG"),
        ("坏.zip", b"PK"),
        ("表.csv", "title,text\n一,\n,二\n三,三\n".encode()),
        ("行.jsonl", b'[]\n{"title": 1, "text": "x"}\nnothing\n'),
    )
    reasons = [cell.text() for cell in LexborHTMLParser(upload(client, *files).text).css("td.problem")]
    assert len(reasons) >= len(files)
    assert [reason for reason in reasons if not CJK.search(reason)] == []


def test_files_of_several_kinds_are_imported_with_the_holder(client: FlaskClient, product: App) -> None:
    table = '{"id": "j1", "title": "表中一", "text": "' + TEXT + '"}\n'
    answer = upload(client, ("老船匠.txt", TEXT.encode("gb18030")), ("两部.jsonl", table.encode()), owner="河岸文艺社")
    assert outcome(answer) == ["2", "0", "0", "0"]
    works = product.store.works.find()
    assert {work.title for work in works} >= {"表中一"}
    assert {work.owner for work in works} == {"河岸文艺社"}
    assert [product.queue.count_waiting()["text"]] == [2]


def test_a_file_of_the_same_name_makes_a_new_version_and_the_same_file_changes_nothing(
    client: FlaskClient, product: App
) -> None:
    upload(client, ("a.txt", TEXT.encode()))
    assert outcome(upload(client, ("a.txt", TEXT.encode()))) == ["0", "0", "1", "0"]
    assert outcome(upload(client, ("a.txt", (TEXT + "又一句。").encode()))) == ["0", "1", "0", "0"]
    (work,) = product.store.works.find()
    assert work.version == 2


def test_what_is_refused_is_listed_with_its_reason_and_the_rest_is_taken(client: FlaskClient, product: App) -> None:
    archive = BytesIO()
    with zipfile.ZipFile(archive, "w") as written:
        written.writestr("好.txt", TEXT)
        written.writestr("坏.exe", b"MZ")
        written.writestr("空.txt", b"")
    answer = upload(client, ("一批.zip", archive.getvalue()), ("断.epub", b"no archive"))
    assert outcome(answer) == ["1", "0", "0", "3"]
    shown = re.findall(r'<bdi>([^<]+)</bdi></th><td class="wide problem"[^>]*>([^<]+)<', answer.text)
    assert [what for what, _ in shown] == ["一批.zip 里的 坏.exe", "一批.zip 里的 空.txt", "断.epub"]
    assert "支持：.txt" in shown[0][1]
    assert product.store.problems.count() == 3


def test_a_refused_row_is_named_by_its_file_its_sheet_and_its_number(client: FlaskClient) -> None:
    book, sent = openpyxl.Workbook(), BytesIO()
    book.active.title = "夏季"
    for row in (("title", "text"), ("一", TEXT), ("二", "")):
        book.active.append(row)
    book.save(sent)
    answer = upload(client, ("书目.xlsx", sent.getvalue()), ("表.csv", b"title,text\n,x\n"))
    names = ["书目.xlsx 的工作表“夏季” 第 3 行", "表.csv 第 2 行"]
    assert re.findall(r'<bdi>([^<]+)</bdi></th><td class="wide problem"', answer.text) == names
    health = client.get("/health/").text
    assert re.findall("<bdi>([^<]*)</bdi></th>", health) == names
    english = client.get("/health/?lang=en").text
    assert "<bdi>书目.xlsx, sheet “夏季”, row 3</bdi>" in english


def test_the_text_of_another_work_is_said_and_joined_by_a_click(client: FlaskClient, seed: Seeder) -> None:
    seed.work("dock", text=TEXT, title="老船匠")
    seed.case(work_id="dock")
    answer = upload(client, ("《老船匠》全文.txt", TEXT.encode()))
    assert outcome(answer) == ["1", "0", "0", "0"]
    assert "1 部新作品的正文与已有作品完全相同" in answer.text
    new = next(work for work in seed.store.works.find() if work.id != "dock")
    assert new.title in client.get("/works/one?id=dock").text
    form = {"csrf_token": token_in(answer.text), "id": "dock", "double": new.id}
    assert client.post("/works/merge", data=form).status_code == 303
    assert seed.store.works.get(new.id).merged_into == "dock"
    assert "正文完全相同" not in client.get("/works/one?id=dock").text
    again = upload(client, ("《老船匠》全文.txt", TEXT.encode()))
    assert (outcome(again), "完全相同" in again.text) == (["0", "0", "1", "0"], False)


def test_without_a_file_nothing_is_imported(client: FlaskClient) -> None:
    answer = upload(client)
    assert answer.status_code == 400
    assert "请先选择文件。" in answer.text


def test_a_hostile_file_is_text(client: FlaskClient) -> None:
    name = "'><img src=x onerror=alert(2)>{{ 7*7 }}"
    answer = upload(client, (f"{name}.txt", TEXT.encode()), (f"../../etc/{name}.exe", b"x"))
    assert Foreign(answer.text).found == []
    assert outcome(answer) == ["1", "0", "0", "1"]
    assert "{{ 7*7 }}" in answer.text
    assert "etc" not in answer.text


def test_a_forged_upload_is_refused(client: FlaskClient, product: App) -> None:
    answer = client.post("/works/import/", data={"files": [(BytesIO(TEXT.encode()), "a.txt")]})
    assert answer.status_code == 400
    assert product.store.works.count() == 0


def test_what_is_too_large_is_refused_before_it_is_read(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(_MAX_BYTES_BY_ENDPOINT, "intake.take_upload", 10_000)
    assert upload(client, ("a.txt", b"x" * 20_000)).status_code == 413


def test_other_forms_stay_small(client: FlaskClient, seed: Seeder) -> None:
    seed.work()
    seed.case()
    assert client.post("/cases/1/decision", data={"reason": "x" * 100_000}).status_code == 413


def test_a_works_page_shows_which_parts_are_copied(client: FlaskClient, seed: Seeder) -> None:
    seed.library()
    page = client.get("/works/one?id=dock&lang=en").text
    parts = re.findall(r"<title>characters (\d+)–(\d+): pages (\d+)</title>", page)
    assert {pages for _, _, pages in parts} == {"3"}
    assert (parts[0][0], "pages that copy one part: at most 3" in page) == ("1", True)
    copied = sum(int(end) - int(start) + 1 for start, end, _ in parts)
    assert copied < seed.store.works.get("dock").length
    assert "work.heat" not in client.get("/works/one?id=lamp").text


def test_a_browser_with_script_is_told_how_far_the_import_is_and_then_the_same_result(
    client: FlaskClient, product: App
) -> None:
    rows = "".join(
        json.dumps({"id": f"j{at}", "title": f"第{at}篇", "text": TEXT + str(at)}) + "\n" for at in range(700)
    )
    answer = upload(client, ("many.jsonl", rows.encode()), accept="application/x-ndjson")
    *told, last = [json.loads(line) for line in answer.text.splitlines()]
    counts = [line["done"] for line in told]
    assert counts == sorted(counts)
    assert counts[-1] == 700
    assert len(counts) > 1
    assert "<b>700</b>" in last["page"]
    assert product.store.works.count() == 700


def test_a_work_too_short_to_be_told_is_taken_with_a_warning(client: FlaskClient) -> None:
    answer = upload(client, ("字.txt", "海".encode()), ("文.txt", TEXT.encode()))
    assert outcome(answer) == ["2", "0", "0", "0"]
    warned = LexborHTMLParser(answer.text).css(".problem[role=alert] li")
    assert [one.text().strip() for one in warned] == ["字"]
    assert "1 部作品太短" in answer.text
