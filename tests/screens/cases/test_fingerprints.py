"""The screen of fingerprints, and the same by the API."""

import re

from flask.testing import FlaskClient

from tests.support.screens import MakeCaller, post
from tests.support.seed import MIDDLE, OPENING


def ask(client: FlaskClient, **form: str) -> str:
    return post(client, "/check/fingerprints/", form_at="/check/fingerprints/", **form).text


def test_two_texts_stand_side_by_side_with_their_likeness(client: FlaskClient) -> None:
    page = ask(client, text=OPENING + MIDDLE, other=OPENING, overlap="50", highest="9")
    assert len(re.findall(r"<code>\d{20}</code>", page)) >= 2
    assert page.count('class="rows keep heat-table"') == 2
    assert "频率窗口相似" in page
    alone = ask(client, text=OPENING)
    assert "频率窗口相似" not in alone
    assert "值域 [0,1]" in alone


def test_what_cannot_be_is_refused_in_words(client: FlaskClient) -> None:
    assert "请粘贴文字" in ask(client, text=" ")
    for wrong in ({"window": "x"}, {"window": "0"}, {"overlap": "100"}, {"overlap": "nan"}, {"highest": "5"}):
        assert "值域为 [0,1], [0,3], [0,7], [0,9] 之一" in ask(client, text=OPENING, **wrong), wrong


def test_a_program_gets_the_same(caller: MakeCaller) -> None:
    call = caller()
    found = call("POST", "/texts/fingerprint", json={"text": OPENING, "other": OPENING, "highest": 3}).get_json()
    assert found["likeness"] == {"windows": 1.0, "features": 1.0}
    assert {one["highest"] for one in found["fingerprints"]} == {3}
    assert call("POST", "/texts/fingerprint", json={"text": OPENING, "highest": 4}).status_code == 422
