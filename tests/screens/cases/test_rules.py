"""A rule is made switched off, shows what it would have done, and is switched on from there alone."""

import re

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.support.people import add_user, signed_in
from tests.support.screens import MakeApp, MakeCaller, post_and_follow
from tests.support.seed import Seeder, move_case
from wenhen.cases.model import CaseStatus
from wenhen.kit.rights import Role

LIST = "/suspects/rules/"


def send(client: FlaskClient, address: str = LIST, **fields: str) -> TestResponse:
    return post_and_follow(client, address, form_at=LIST, **fields)


def test_a_rule_is_previewed_then_switched_on_and_acts(client: FlaskClient, seed: Seeder) -> None:
    seed.library()
    page = send(client, name="授权转载", act="dismiss").text
    assert "会处理 1 个案件" in page
    assert "其中 1 个正在等待" in page
    assert ">未开启<" in page
    [id] = set(re.findall(r'name="id" value="([^"]+)"', page))
    page = send(client, f"{LIST}switch", id=id, on="yes").text
    assert "“授权转载”已开启。" in page
    case = seed.store.cases.get("3")
    assert (case.status, case.reason) == (CaseStatus.DISMISSED, "授权转载")
    assert "wenhen: 授权转载" in client.get("/cases/3").text
    assert "“授权转载”已关闭" in send(client, f"{LIST}switch", id=id, on="no").text
    assert "还没有规则" in send(client, f"{LIST}remove", id=id).text


def test_one_that_would_have_silenced_what_people_confirmed_says_so(client: FlaskClient, seed: Seeder) -> None:
    seed.library()
    page = send(client, name="零星", act="quiet", percent="90").text
    assert "无人看见" not in page
    move_case(seed.store, "1", CaseStatus.CONFIRMED, by="沈", reason=None, at=seed.store.cases.get("1").opened_at)
    [id] = set(re.findall(r'name="id" value="([^"]+)"', page))
    assert "其中 1 个后来由人确认为侵权" in client.get(LIST, query_string={"rule": id}).text


def test_what_says_nothing_is_refused_and_kept_in_the_form(client: FlaskClient) -> None:
    for fields in ({"act": "quiet", "percent": "many"}, {"act": "quiet"}, {"act": "what"}, {"act": "assign"}):
        answer = send(client, name="零星", **fields)
        assert answer.status_code == 400
        assert 'value="零星"' in answer.text
        assert 'role="alert"' in answer.text


def test_whoever_may_not_silence_reads_the_rules_alone(make_app: MakeApp, seed: Seeder) -> None:
    add_user(seed.store, "op", Role.OPERATOR)
    client = signed_in(make_app(sign_in=True), "op")
    assert 'name="act"' not in client.get(LIST).text


def test_programs_make_preview_and_switch_rules(caller: MakeCaller, seed: Seeder) -> None:
    seed.library()
    call = caller(Role.ADMINISTRATOR)
    made = call("POST", "/rules", json={"name": "零星", "act": "quiet", "share_below": 0.9}).get_json()
    assert (made["on"], made["share_below"]) == (False, 0.9)
    told = call("GET", f"/rules/{made['id']}/preview").get_json()
    assert (told["cases"], told["waiting"], told["by_status"]) == (4, 4, {"lead": 4})
    assert call("POST", f"/rules/{made['id']}/on").get_json()["on"]
    assert {case.status for case in seed.store.cases.find()} == {CaseStatus.QUIET}
    assert not call("POST", f"/rules/{made['id']}/off").get_json()["on"]
    assert call("DELETE", f"/rules/{made['id']}").status_code == 204
    assert call("GET", "/rules").get_json() == []
