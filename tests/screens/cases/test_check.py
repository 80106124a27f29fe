"""A pasted or uploaded text is compared with the library at once."""

import re
from io import BytesIO

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.support.acting import by
from tests.support.screens import MARKUP, Foreign, post
from tests.support.way import made_text, work_through
from wenhen.runtime.wiring import App
from wenhen.works.model import WorkDraft
from wenhen.works.service import put_work

WORK = made_text("检查")


@pytest.fixture
def library(product: App) -> App:
    """Two works, fingerprinted and indexed."""
    for id, text in (("one", WORK), ("two", made_text("另一篇"))):
        put_work(by(product), WorkDraft(id=id, title=f"作品{id}{MARKUP}", text=text))
    work_through(product)
    return product


def ask(client: FlaskClient, text: str = "", *files: tuple[str, bytes]) -> TestResponse:
    """Send the form."""
    sent = [(BytesIO(content), name) for name, content in files]
    return post(client, "/check/", form_at="/check/", text=text, file=sent)


def sides(answer: TestResponse) -> list[str]:
    """The texts of all pairs, this text's and the work's in turn."""
    found = re.findall(r'<div class="text" role="group"[^>]*>(.*?)</div>', answer.text, re.DOTALL)
    return [re.sub(r"<[^>]+>", "", one) for one in found]


@pytest.mark.usefixtures("library")
def test_a_pasted_copy_is_shown_beside_its_work(client: FlaskClient) -> None:
    part = WORK[100:400]
    answer = ask(client, "一段无关的开头，\r\n" + part)
    assert answer.status_code == 200
    here, there = sides(answer)
    assert here in part
    assert len(here) > 250
    assert there == here
    assert 'href="/works/one?id=one"' in answer.text


@pytest.mark.usefixtures("library")
def test_a_text_of_its_own_is_said_to_be_clean_and_stays_in_the_form(client: FlaskClient) -> None:
    text = made_text("全新")
    answer = ask(client, text)
    assert "没有发现抄自库中作品的文字。" in answer.text
    assert text in answer.text


@pytest.mark.usefixtures("library")
def test_an_uploaded_file_is_checked_and_what_cannot_be_read_is_named(client: FlaskClient) -> None:
    answer = ask(client, "", ("稿件.txt", WORK.encode("gb18030")), ("图.png", b"\x89PNG"))
    assert sides(answer)
    assert "图.png" in answer.text
    assert "拒收的内容（1）" in answer.text


def test_nothing_is_stored(client: FlaskClient, library: App) -> None:
    ask(client, WORK)
    assert (library.store.cases.count(), library.store.pages.count(), library.store.works.count()) == (0, 0, 2)


@pytest.mark.parametrize("text", ["", "  \n "])
def test_an_empty_question_is_refused(client: FlaskClient, text: str) -> None:
    answer = ask(client, text)
    assert answer.status_code == 400
    assert "请粘贴文字或选择文件。" in answer.text


def test_works_on_their_way_are_said_to_be_missing(client: FlaskClient, product: App) -> None:
    put_work(by(product), WorkDraft(id="late", title="迟到", text=WORK))
    assert "还有 1 部作品正在入库" in ask(client, WORK).text


@pytest.mark.usefixtures("library")
def test_markup_in_what_is_checked_stays_text(client: FlaskClient) -> None:
    answer = ask(client, MARKUP + WORK + "</textarea>" + MARKUP, (f"{MARKUP.replace('/', '')}.txt", WORK.encode()))
    assert sides(answer)
    assert Foreign(answer.text).found == []


def test_a_forged_question_is_refused(client: FlaskClient) -> None:
    assert client.post("/check/", data={"text": WORK}).status_code == 400
