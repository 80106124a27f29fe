"""Common texts come in by upload, stand in a list of their own, and go again."""

from io import BytesIO

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.support.screens import MakeCaller, token_in
from tests.support.seed import OPENING
from wenhen.runtime.wiring import App

TEXT = OPENING * 20


def upload(client: FlaskClient, *files: tuple[str, bytes]) -> TestResponse:
    """Send these files with the form."""
    sent = [(BytesIO(content), name) for name, content in files]
    data = {"csrf_token": token_in(client.get("/works/common/").text), "files": sent}
    return client.post("/works/common/", data=data, follow_redirects=True)


def test_files_become_common_texts_and_no_works(client: FlaskClient, product: App) -> None:
    shown = upload(client, ("孟子.txt", TEXT.encode("gb18030")), ("宪法.txt", TEXT.encode())).text
    assert "已添加 2 篇公共文本" in shown
    assert {text.title for text in product.store.works.find_common()} == {"孟子", "宪法"}
    assert product.store.works.find() == []
    listed = client.get("/works/common/?q=孟").text
    assert ("孟子" in listed, "宪法" in listed) == (True, False)
    assert "孟子" not in client.get("/works/").text


def test_what_is_refused_is_listed_and_nothing_is_no_file(client: FlaskClient, product: App) -> None:
    shown = upload(client, ("好.txt", TEXT.encode()), ("图.png", b"PNG")).text
    assert "图.png" in shown
    assert product.store.works.count_common() == 1
    assert upload(client).status_code == 400


def test_one_is_removed_and_asked_for_again_says_that_it_is_gone(client: FlaskClient, product: App) -> None:
    upload(client, ("孟子.txt", TEXT.encode()))
    [text] = product.store.works.find_common()
    data = {"csrf_token": token_in(client.get("/works/common/").text), "id": text.id}
    assert "已移除公共文本" in client.post("/works/common/remove", data=data, follow_redirects=True).text
    assert product.store.works.find_common() == []
    assert client.post("/works/common/remove", data=data).status_code == 404


def test_a_program_adds_lists_and_removes_them(caller: MakeCaller, product: App) -> None:
    call = caller()
    added = call("POST", "/common", data={"file": (BytesIO(TEXT.encode()), "孟子.txt")}).get_json()
    [id] = added["new"]
    assert id.startswith("common:")
    listed = call("GET", "/common", query_string={"q": "孟子"}).get_json()
    assert [(text["id"], text["common"]) for text in listed["items"]] == [(id, True)]
    assert call("GET", "/works").get_json()["items"] == []
    assert call("DELETE", "/common/one", query_string={"id": id}).status_code == 204
    assert call("DELETE", "/common/one", query_string={"id": id}).status_code == 404
    assert product.store.works.count_common() == 0
