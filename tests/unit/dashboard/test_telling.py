"""What was refused is told in the reader's language, with its figures."""

from io import BytesIO

import pytest
from flask import Flask
from flask.testing import FlaskClient
from selectolax.lexbor import LexborHTMLParser

from crawler.reasons import IGNORED, KINDS
from dashboard.telling import in_words
from tests.unit.dashboard.conftest import MakeApp
from tests.unit.dashboard.support_people import token_in
from tests.unit.dashboard.test_language import CJK


@pytest.fixture
def app(make_app: MakeApp) -> Flask:
    """The dashboard."""
    return make_app()


@pytest.mark.parametrize("message", [*(rule[2] for rule in IGNORED), *(kind[3] for kind in KINDS)])
def test_what_keeps_an_address_from_being_fetched_is_told_in_chinese(app: Flask, message: str) -> None:
    with app.test_request_context("/?lang=zh"):
        assert CJK.search(in_words(message))
    with app.test_request_context("/?lang=en"):
        assert in_words(message) == message


def test_figures_stay_and_what_nobody_foresaw_stays_as_it_is(app: Flask) -> None:
    with app.test_request_context("/?lang=zh"):
        assert in_words("larger than 64 MB: split it") == "超过 64 MB：请拆分"
        assert in_words("the server answered 503") == "服务器应答 503"
        assert in_words("ValueError: never heard of") == "ValueError: never heard of"
        assert in_words("") == ""


def test_what_an_upload_could_not_bring_is_told_in_chinese(client: FlaskClient) -> None:
    files = {
        "空.txt": b"",
        "图.png": b"PNG",
        "坏.zip": b"PK",
        "表.csv": "title,text\n一,\n,二\n三,三\n".encode(),
        "行.jsonl": b'[]\n{"title": 1, "text": "x"}\nnothing\n',
    }
    form = {
        "csrf_token": token_in(client.get("/works/import/").text),
        "files": [(BytesIO(content), name) for name, content in files.items()],
    }
    page = LexborHTMLParser(client.post("/works/import/", data=form).text)
    reasons = [cell.text() for cell in page.css("td.problem")]
    assert len(reasons) >= len(files)
    assert [reason for reason in reasons if not CJK.search(reason)] == []
