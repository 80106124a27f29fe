"""Marked copies on screen and in the API."""

from io import BytesIO
from zipfile import ZipFile

from flask.testing import FlaskClient

from tests.services.samples.library import stated_mark
from tests.support.acting import by
from tests.support.screens import MakeCaller, post, post_and_follow
from wenhen.demo.articles import load_works
from wenhen.kit.rights import Role
from wenhen.marks.service import find_statement, withdraw_marks
from wenhen.runtime.wiring import App

TEXT = "\n".join(draft.text for draft in load_works().values())[:6000]
MARKS, READ, READ_FORM = "/works/marks/", "/works/marks/read", "/works/marks/?lang=en"


def test_a_copy_is_downloaded_and_traced_on_screen(client: FlaskClient) -> None:
    assert "还没有带标记的副本" in client.get("/works/marks/").text
    made = post(client, MARKS, form_at=MARKS, title="渡口灯", text=TEXT, recipients="编辑甲")
    assert made.status_code == 200
    copy = made.get_data().decode()
    assert "attachment" in made.headers["Content-Disposition"]
    page = post(client, READ, form_at=MARKS, text=copy[:3000]).text
    assert "出自此副本" in page
    assert "编辑甲" in page
    assert "没有一份副本可以认定" in post(client, READ, form_at=MARKS, text=TEXT).text
    listed = client.get("/works/marks/").text
    assert "渡口灯" in listed
    id = listed.partition("/works/marks/?text=")[2].partition('"')[0]
    assert "编辑甲" in client.get(f"/works/marks/?text={id}").text


def test_several_recipients_get_a_zip_file_and_a_file_may_be_given(client: FlaskClient) -> None:
    data = {"recipients": "甲\n乙\n", "file": (BytesIO(TEXT.encode("gb18030")), "书.txt")}
    made = post(client, MARKS, form_at=MARKS, **data)
    names = ZipFile(BytesIO(made.get_data())).namelist()
    assert len(names) == 2
    assert names[0].startswith("书-甲-")


def test_bad_input_is_answered(client: FlaskClient) -> None:
    for address, data, words in (
        (MARKS, {"text": TEXT, "recipients": " "}, "至少写一位收件人"),
        (MARKS, {"recipients": "甲"}, "没有文本"),
        (READ, {}, "没有文本"),
        (READ, {"page": "#77"}, "77"),
        (READ, {"text": "一段文字"}, "还没有带标记的副本"),
    ):
        answer = post(client, address, form_at=MARKS, **data)
        assert (answer.status_code, words in answer.text) == (400, True), (address, data)
    assert client.get("/works/marks/?text=x").status_code == 404


def test_programs_mark_and_trace(caller: MakeCaller) -> None:
    call = caller()
    asked = {"title": "书", "text": TEXT, "recipients": ["甲", "乙"]}
    made = call("POST", "/marks", json=asked).get_json()
    assert [each["copy"]["recipient"] for each in made] == ["甲", "乙"]
    texts = call("GET", "/marks").get_json()
    assert texts[0]["title"] == "书"
    assert "sealed" not in texts[0]
    assert len(call("GET", f"/marks/{texts[0]['id']}/copies").get_json()) == 2
    traced = call("POST", "/marks/read", json={"text": made[1]["text"][:3000]}).get_json()
    assert [(copy["recipient"], copy["named"]) for copy in traced[0]["copies"]] == [("乙", True), ("甲", False)]
    assert call("POST", "/marks/read", json={}).status_code == 400
    assert call("POST", "/marks/read", json={"page": "https://nowhere.example/"}).status_code == 404
    assert call("POST", "/marks", json={**asked, "kinds": ["x"]}).status_code == 422
    assert caller(Role.LAWYER)("POST", "/marks", json=asked).status_code == 403


def test_the_holder_s_word_is_given_on_screen_and_taken_back_on_the_case(client: FlaskClient, product: App) -> None:
    number = stated_mark(by(product))
    withdraw_marks(by(product), number)
    page = post(client, READ, form_at="/works/marks/?lang=en", page=f"#{number}").text
    assert f"Exhibits and reports of case #{number} say nothing of marks by default" in page
    [text] = product.store.marked_texts.all()
    state = f"/works/marks/state/{number}"
    assert "Say who of the rights holder" in post_and_follow(client, state, form_at=READ_FORM, text=text.id).text
    case = post_and_follow(client, state, form_at=READ_FORM, text=text.id, word="来函同意").text
    assert "the text stems from the marked copy for 甲" in " ".join(case.split())
    assert "来函同意" in case
    after = post_and_follow(client, f"/works/marks/withdraw/{number}", form_at=f"/cases/{number}").text
    assert "made from now on say nothing of marks" in after
    assert find_statement(product, number) is None


def test_programs_state_marks_by_the_holder_s_word(caller: MakeCaller, product: App) -> None:
    number = stated_mark(by(product))
    call, path = caller(), f"/cases/{number}/marks"
    told = call("GET", path).get_json()
    assert told["copies"][0]["recipient"] == "甲"
    assert call("DELETE", path).status_code == 204
    assert call("GET", path).status_code == 404
    assert call("PUT", path, json={"marked_text": told["text_id"], "word": ""}).status_code == 422
    again = call("PUT", path, json={"marked_text": told["text_id"], "word": "来函"})
    assert (again.status_code, again.get_json()["word"]) == (200, "来函")
