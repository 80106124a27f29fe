"""The API: tokens, the one shape of an error, cursors, and the same use cases as on the screens."""

from datetime import UTC, datetime, timedelta
from io import BytesIO

import pytest
from flask.testing import FlaskClient

from tests.support.holders import ready_holder
from tests.support.people import add_user
from tests.support.screens import MakeApp, MakeCaller, post
from tests.support.seed import NOW, WORK_TEXT, Seeder
from wenhen.cases.model import CaseStatus
from wenhen.context.store_and_queue import Store
from wenhen.kit.errors import plain_message
from wenhen.kit.progress import Step
from wenhen.kit.rights import Right, Role

SITE = {"urls": ["https://new.example/"]}


def test_without_a_valid_token_nothing_is_answered(caller: MakeCaller, store: Store) -> None:
    call = caller()
    assert call("GET", "/me").get_json() == {
        "user": "user administrator",
        "role": "administrator",
        "rights": sorted(Right),
    }
    wrong = [
        "",
        "wenhen_x",
        call.token[:-1] + ("a" if call.token[-1] != "a" else "b"),
        call.token.replace("wenhen_", ""),
    ]
    for token in wrong:
        answer = call.client.get("/api/v1/me", headers={"Authorization": f"Bearer {token}"})
        assert answer.status_code == 401
        assert answer.headers["WWW-Authenticate"].startswith("Bearer")
    assert call.client.get("/api/v1/me").status_code == 401
    store.tokens.revoke(call.id, NOW)
    assert call("GET", "/me").status_code == 401


def test_a_token_ends_and_rests_while_its_user_is_disabled(caller: MakeCaller, store: Store) -> None:
    now = [NOW]
    call = caller(clock=lambda: now[0])
    store.users.change("user administrator", {"disabled_at": NOW})
    assert call("GET", "/me").status_code == 401
    store.users.change("user administrator", {"disabled_at": None})
    assert call("GET", "/me").status_code == 200
    now[0] += timedelta(days=30)
    assert call("GET", "/me").status_code == 401


def test_a_token_does_what_its_scopes_and_its_users_role_allow_and_no_more(caller: MakeCaller, store: Store) -> None:
    call = caller(Role.LAWYER, frozenset({Right.READ, Right.AUDIT, Right.USERS}))
    assert call("GET", "/audit").status_code == 200
    assert call("GET", "/users").status_code == 403  # no lawyer has it
    assert call("POST", "/licences", json={}).status_code == 403  # the lawyer has it, the token has not
    store.users.change("user lawyer", {"role": Role.OPERATOR})
    assert call("GET", "/audit").status_code == 403


def test_a_cookie_opens_nothing_here(caller: MakeCaller) -> None:
    call = caller()
    local = call.client.application.test_client()
    assert local.get("/api/v1/me", headers={"Cookie": "wenhen=x"}).status_code == 401


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("GET", "/cases/999", None, 404, "not_found"),
        ("GET", "/nowhere", None, 404, "not_found"),
        ("PATCH", "/cases", None, 405, "method_not_allowed"),
        ("GET", "/cases?statsu=lead", None, 422, "invalid"),
        ("GET", "/cases?status=led", None, 422, "invalid"),
        ("GET", "/cases?cursor=x", None, 400, "bad_request"),
        ("POST", "/sites", {"urls": ["ftp://a.example"]}, 400, "bad_request"),
        ("POST", "/cases/moves", {"numbers": [1], "status": "dismissed"}, 400, "bad_request"),
        ("PUT", "/works/one?id=w", {"title": "x", "text": "\ud800"}, 422, "invalid"),
    ],
)
def test_every_error_has_one_shape(
    caller: MakeCaller, method: str, path: str, body: object, status: int, code: str
) -> None:
    answer = caller()(method, path, json=body, headers={"X-Request-Id": "my-1"})
    found = answer.get_json()
    assert (answer.status_code, found["code"]) == (status, code), found
    assert set(found) == {"code", "message", "detail", "request_id"}
    assert found["request_id"] == answer.headers["X-Request-Id"] == "my-1"
    assert (found["detail"] is not None) == (status == 422)


def test_what_does_not_meet_the_schema_is_told_with_its_place_and_why(caller: MakeCaller) -> None:
    call = caller()
    told = {
        "/cases?statsu=lead": "query.statsu: Unknown field.",
        "/cases?limit=0": "query.limit: Must be greater than or equal to 1 and less than or equal to 200.",
    }
    assert {path: call("GET", path).get_json()["message"] for path in told} == told
    moved = call("POST", "/cases/moves", json={"numbers": [1, "x"], "status": "confirmed"}).get_json()
    assert moved["message"] == "json.numbers.1: Not a valid integer."
    assert call("POST", "/cases/moves", data=b"{", content_type="application/json").get_json()["message"]


def test_a_body_that_is_too_large_and_a_caller_who_asks_too_often_are_refused(caller: MakeCaller) -> None:
    call = caller(api_per_minute=5)
    assert call("POST", "/sites", data=b"x" * 1_100_000, content_type="application/json").status_code == 413
    answers = [call("GET", "/me") for _ in range(6)]
    assert [answer.status_code for answer in answers] == [200] * 4 + [429] * 2
    assert answers[-1].get_json()["code"] == "too_many_requests"
    assert "Retry-After" in answers[-1].get_json()["message"], "what to do"
    assert int(answers[-1].headers["Retry-After"]) <= 60


def test_cases_are_read_page_by_page_and_new_ones_move_nothing(caller: MakeCaller, seed: Seeder) -> None:
    seed.work()
    for number in range(5):
        seed.case(f"https://copies.example/{number}")
    call = caller()
    first = call("GET", "/cases?limit=2").get_json()
    seed.case("https://copies.example/late")
    second = call("GET", f"/cases?limit=2&cursor={first['next']}").get_json()
    third = call("GET", f"/cases?limit=2&cursor={second['next']}").get_json()
    assert [[case["number"] for case in page["items"]] for page in (first, second, third)] == [[5, 4], [3, 2], [1]]
    assert third["next"] is None
    assert [case["number"] for case in call("GET", "/cases?order=oldest&limit=1").get_json()["items"]] == [1]
    largest = call("GET", "/cases?order=largest&limit=4&host=copies.example").get_json()
    rest = call("GET", f"/cases?order=largest&limit=4&host=copies.example&cursor={largest['next']}").get_json()
    assert len({case["number"] for case in largest["items"] + rest["items"]}) == 6


def test_a_case_is_moved_assigned_commented_and_taken_back(caller: MakeCaller, seed: Seeder, store: Store) -> None:
    seed.library()
    add_user(store, "沈")
    call = caller()
    moved = call("POST", "/cases/moves", json={"numbers": [1, 2, 77], "status": "confirmed", "note": "整篇"}).get_json()
    assert (moved["moved"], moved["stayed"], moved["unknown"]) == ([1, 2], [], [77])
    assert store.cases.get("1").decided_by == "user administrator"
    assert call("GET", "/cases?status=confirmed").get_json()["items"][0]["reason"] == "整篇"
    assert call("POST", f"/cases/moves/{moved['batch']}/undo").get_json() == {"numbers": [1, 2]}
    assert store.cases.get("1").status is CaseStatus.LEAD
    assert call("POST", "/cases/assignments", json={"numbers": [1], "assignee": "沈"}).get_json() == {"count": 1}
    assert call("POST", "/cases/1/comments", json={"text": "已联系站长"}).status_code == 201
    assert [one["text"] for one in call("GET", "/cases/1/comments").get_json()] == ["已联系站长"]
    case = call("GET", "/cases/1").get_json()
    assert case["assignee"] == "沈"
    assert len(case["match"]["passages"]) == 2
    actions = [entry["action"] for entry in call("GET", "/audit?subject=case:1").get_json()["items"]]
    assert actions == ["case.view", "case.comment", "case.assign", "case.undo", "case.decide"]


def test_the_audit_log_names_the_person_and_the_token_and_shows_both(
    caller: MakeCaller, seed: Seeder, store: Store, client: FlaskClient
) -> None:
    seed.library()
    call = caller()
    call("POST", "/cases/1/comments", json={"text": "已联系站长"})
    call("POST", "/users", json={"name": "新人", "role": "operator"})
    call("PUT", "/sites/copies/robots", json={"reason": "书面同意"})
    [comment] = store.audit.find(subject="case:1")
    assert (comment.who, comment.token, comment.token_name) == ("user administrator", call.id, "test")
    assert [one.token for one in store.audit.find(limit=2)] == [call.id, call.id]
    assert [one["subject"] for one in call("GET", f"/audit?token={call.id}").get_json()["items"]][-1] == "case:1"
    page = client.get(f"/audit/?token={call.id}").text
    assert (page.count("经令牌"), call.id in client.get("/users/").text) == (3, True)
    post(client, "/sites/remove", form_at="/sites/", id="copies")
    assert [one.token for one in store.audit.find(action="site.remove")] == [None]


def test_only_who_may_proceed_sends_a_notice(caller: MakeCaller, seed: Seeder) -> None:
    seed.library()
    ready_holder(seed.store)
    for role, status in ((Role.OPERATOR, 403), (Role.LAWYER, 200)):
        call = caller(role)
        call("POST", "/cases/moves", json={"numbers": [1], "status": "confirmed"})
        assert call("POST", "/cases/moves", json={"numbers": [1], "status": "notice_sent"}).status_code == status


def test_a_work_is_put_found_and_removed(caller: MakeCaller, store: Store) -> None:
    call = caller()
    work = {"title": "修船的老人", "text": WORK_TEXT, "published_at": "2025-11-02T12:00:00+08:00"}
    answers = [call("PUT", "/works/one?id=a/b%20c", json=one).get_json() for one in (work, work, work | {"text": "新"})]
    assert [answer["outcome"] for answer in answers] == ["new", "unchanged", "changed"]
    assert store.works.get("a/b c").progress.step is Step.FINGERPRINT
    found = call("GET", "/works?q=修船").get_json()["items"]
    assert [(one["id"], one["version"]) for one in found] == [("a/b c", 2)]
    assert call("GET", "/works/one?id=a/b c").get_json()["versions"][0]["version"] == 1
    assert call("DELETE", "/works/one?id=a/b c").status_code == 204
    assert call("GET", "/works").get_json()["items"] == []
    assert [entry.action for entry in store.audit.find()][:3] == ["work.remove", "work.put", "work.put"]


@pytest.mark.parametrize(
    ("given", "said", "moment"),
    [
        ("2024-05-01", "2024-05-01", datetime(2024, 4, 30, 16, tzinfo=UTC)),
        ("2024-05-01T00:00:00+08:00", "2024-05-01", datetime(2024, 4, 30, 16, tzinfo=UTC)),
        ("2024-05-01T08:30:00+08:00", "2024-05-01T00:30:00+00:00", datetime(2024, 5, 1, 0, 30, tzinfo=UTC)),
    ],
)
def test_a_day_of_publication_stays_a_day(
    caller: MakeCaller, store: Store, given: str, said: str, moment: datetime
) -> None:
    call = caller()
    put = call("PUT", "/works/one?id=a", json={"title": "河", "text": WORK_TEXT, "published_at": given})
    assert put.status_code == 200
    assert store.works.get("a").published_at == moment
    assert call("GET", "/works/one?id=a").get_json()["published_at"] == said
    for wrong in ("2024-13-01", "0024-05-01", "2024-05", "昨天"):
        refused = call("PUT", "/works/one?id=a", json={"title": "河", "text": WORK_TEXT, "published_at": wrong})
        assert refused.status_code == 422


def test_a_file_is_imported_and_what_is_refused_is_told(caller: MakeCaller, store: Store) -> None:
    file = (BytesIO(WORK_TEXT.encode("gb18030")), "河/新作.txt")
    call = caller()
    done = call("POST", "/imports?owner=河岸", data={"file": file}).get_json()
    assert (len(done["new"]), done["refused"], done["short"]) == (1, [], [])
    assert call("PUT", "/works/one?id=字", json={"title": "字", "text": "海"}).get_json()["short"]
    assert store.works.get(done["new"][0]).owner == "河岸"
    refused = caller(Role.OPERATOR)("POST", "/imports", data={"file": (BytesIO(b"PNG"), "a.png")}).get_json()["refused"]
    assert refused[0]["what"] == "a.png"


def test_texts_are_checked_and_nothing_is_stored(caller: MakeCaller, store: Store) -> None:
    call = caller()
    assert call("POST", "/texts/check", json={"text": WORK_TEXT}).get_json() == {"sources": []}
    texts = {"texts": [{"id": "1", "text": WORK_TEXT}, {"text": "短"}]}
    answers = call("POST", "/texts/original", json=texts).get_json()["answers"]
    assert [(one["id"], one["answer"]) for one in answers] == [("1", "pass"), (None, "too_short")]
    assert store.works.count() == 0


def test_sites_and_licences_are_kept(caller: MakeCaller, store: Store) -> None:
    call = caller()
    site = call("POST", "/sites", json=SITE).get_json()
    assert call("POST", "/sites", json=SITE).status_code == 409
    crawl = call("POST", f"/sites/{site['id']}/crawl")
    assert crawl.status_code == 202
    assert call("GET", f"/runs/{crawl.get_json()['id']}").get_json() == crawl.get_json(), "it is followed by its id"
    assert call("POST", f"/sites/{site['id']}/crawl").status_code == 409
    change = {"every": 6.5, "tags": ["小说", "镜像"], "paused": True, "delay": None}
    changed = call("PATCH", f"/sites/{site['id']}", json=change).get_json()
    assert (changed["interval_hours"], changed["tags"], changed["paused"]) == (6.5, ["小说", "镜像"], True)
    assert call("PATCH", f"/sites/{site['id']}", json={"cron": "every day"}).status_code == 400
    run = call("GET", "/runs?kind=crawl").get_json()[0]
    assert call("POST", f"/runs/{run['id']}/pause").status_code == 202
    assert call("POST", f"/runs/{run['id']}/walk").status_code == 404
    assert call("GET", f"/runs/{run['id']}").get_json()["subject"] == site["id"]
    assert call("GET", f"/runs/{run['id']}/waiting?pattern=/a").get_json() == {"count": 0, "first": []}
    assert call("POST", f"/runs/{run['id']}/drop", json={"pattern": "/a"}).get_json() == {"count": 0}
    assert call("POST", f"/runs/{run['id']}/drop", json={"pattern": "re:("}).status_code == 400
    assert call("POST", "/sites/nowhere/try").status_code == 404
    assert call("DELETE", f"/sites/{site['id']}").status_code == 204
    licence = call("POST", "/licences", json={"licensee": "晨读网", "url_prefix": "morning.example"}).get_json()
    assert [one["id"] for one in call("GET", "/licences").get_json()] == [licence["id"]]
    assert call("DELETE", f"/licences/{licence['id']}").status_code == 204
    assert {entry.action for entry in store.audit.find()} >= {"site.add", "site.crawl", "site.remove", "licence.remove"}


def test_users_and_tokens_are_managed_and_secrets_stay_inside(caller: MakeCaller, store: Store) -> None:
    call = caller()
    given = call("POST", "/users", json={"name": "陆 沉", "role": "reviewer"}).get_json()
    assert given["user"]["id"] == "陆 沉"
    assert (
        call("PATCH", "/users/one?id=陆 沉", json={"role": "lawyer", "disabled": True}).get_json()["role"] == "lawyer"
    )
    assert call("PATCH", "/users/one?id=user administrator", json={"role": "lawyer"}).status_code == 409
    assert call("POST", "/users/one/password?id=陆 沉").get_json()["password"] != given["password"]
    users = call("GET", "/users").text
    assert "argon2" not in users
    assert "totp" not in users
    made = call("POST", "/tokens", json={"name": "nightly", "scopes": ["read"], "days": 7}).get_json()
    assert call.client.get("/api/v1/cases", headers={"Authorization": f"Bearer {made['text']}"}).status_code == 200
    assert "digest" not in call("GET", "/tokens").text
    assert call("DELETE", f"/tokens/{made['token']['id']}").status_code == 204
    assert call.client.get("/api/v1/cases", headers={"Authorization": f"Bearer {made['text']}"}).status_code == 401
    assert call("DELETE", "/users/one?id=陆 沉").status_code == 204


def test_nobody_makes_a_token_that_can_do_more_or_revokes_that_of_another(caller: MakeCaller) -> None:
    call, other = caller(Role.OPERATOR, frozenset({Right.ACCOUNT, Right.READ})), caller(Role.REVIEWER)
    assert call("POST", "/tokens", json={"name": "x", "scopes": ["decide"]}).status_code == 400
    assert call("DELETE", f"/tokens/{other.id}").status_code == 404
    assert len(call("GET", "/tokens").get_json()) == 1


def test_webhooks_are_added_paused_tested_and_removed_and_the_secret_is_shown_once(
    caller: MakeCaller, store: Store
) -> None:
    call = caller()
    hook = call("POST", "/webhooks", json={"url": "https://receiver.example/in"}).get_json()
    assert hook["events"] == ["case.new", "case.changed"]
    assert hook["secret"] not in store.webhooks.get(hook["id"]).secret
    assert hook["secret"] not in call("GET", "/webhooks").text + call("GET", f"/webhooks/{hook['id']}").text
    for url in ("ftp://a.example/", "https://", "https://user:pw@a.example/", "https://a.example:x/", "x"):
        assert call("POST", "/webhooks", json={"url": url}).status_code == 400, url
    assert call("PATCH", f"/webhooks/{hook['id']}", json={"paused": True}).get_json()["paused_at"]
    delivery = call("POST", f"/webhooks/{hook['id']}/test").get_json()
    assert [one["id"] for one in call("GET", f"/webhooks/{hook['id']}/deliveries").get_json()["items"]] == [
        delivery["id"]
    ]
    assert call("POST", f"/deliveries/{delivery['id']}/again").status_code == 202
    assert call("DELETE", f"/webhooks/{hook['id']}").status_code == 204
    assert call("POST", f"/deliveries/{delivery['id']}/again").status_code == 404
    assert [entry.action for entry in store.audit.find(subject=f"webhook:{hook['id']}")][:2] == [
        "webhook.remove",
        "webhook.again",
    ]


def test_what_has_not_changed_is_not_sent_again(caller: MakeCaller, seed: Seeder) -> None:
    seed.library()
    call = caller()
    tag = call("GET", "/cases/1").headers["ETag"]
    assert call("GET", "/cases/1", headers={"If-None-Match": tag}).status_code == 304
    call("POST", "/cases/moves", json={"numbers": [1], "status": "confirmed"})
    assert call("GET", "/cases/1", headers={"If-None-Match": tag}).status_code == 200


def test_reports_are_those_of_the_screens(caller: MakeCaller, seed: Seeder) -> None:
    seed.library()
    call = caller()
    assert len(call("GET", "/reports/cases.json?host=mirror.example").get_json()["cases"]) == 1
    assert call("GET", "/cases/1/report.xlsx").data.startswith(b"PK")
    assert call("GET", "/cases/1/report.csv").data.startswith("\ufeff".encode())
    assert call("GET", "/cases/1/report.html").data.startswith(b"<!doctype html>")
    health = call("GET", "/health").get_json()["servers"]
    assert health["MongoDB"] == {"well": True, "detail": "6.0.5"}


def test_holders_are_kept(caller: MakeCaller) -> None:
    call = caller()
    holder = {"contact": "陆沉 010-1", "address": None, "sites": ["river.example/essays"]}
    assert call("PUT", "/holders/one?id=河岸文艺社", json=holder).get_json()["sites"] == ["river.example/essays"]
    assert [one["id"] for one in call("GET", "/holders").get_json()] == ["河岸文艺社"]
    assert call("DELETE", "/holders/one?id=河岸文艺社").status_code == 204
    assert call("DELETE", "/holders/one?id=河岸文艺社").status_code == 404


def test_what_failed_is_listed_and_tried_again(caller: MakeCaller, seed: Seeder, store: Store) -> None:
    seed.library()
    claim = store.works.claim("dock", Step.FINGERPRINT, timedelta(minutes=1))
    assert claim
    store.works.set_aside(claim, plain_message("no letters"))
    call = caller()
    assert [(one["id"], one["step"]) for one in call("GET", "/failures").get_json()] == [("dock", "fingerprint")]
    assert call("GET", "/problems").get_json()[0]["what"] == "断章.epub"
    assert call("POST", "/failures/again", json={"kind": "work", "id": "dock"}).status_code == 202
    assert call("POST", "/failures/again", json={"kind": "work", "id": "dock"}).status_code == 409
    assert store.works.get("dock").progress.step is Step.FINGERPRINT


def test_the_description_is_of_openapi_3_1_and_names_the_right_of_each_operation(make_app: MakeApp) -> None:
    app = make_app(sign_in=True)
    description = app.test_client().get("/api/v1/openapi.json").get_json()
    assert description["openapi"] == "3.1.0"
    operations = [
        (f"/api/v1{path.removeprefix('/api/v1')}", operation)
        for path, methods in description["paths"].items()
        for method, operation in methods.items()
        if method != "parameters"
    ]
    assert len(operations) > 30
    for path, operation in operations:
        assert operation["security"][0]["bearer"][0] in set(Right), path
        assert operation["summary"], path
    assert len({operation["operationId"] for _, operation in operations}) == len(operations)


@pytest.mark.parametrize(
    "body", ["[" * 100_000, '{"name": ' * 50_000, '{"name": ' + "9" * 5_000 + "}", "9" * 5_000, "{"]
)
def test_json_that_no_parser_takes_is_refused(caller: MakeCaller, body: str) -> None:
    call = caller()
    headers = {"Authorization": f"Bearer {call.token}", "Content-Type": "application/json"}
    answer = call.client.put("/api/v1/holders/one", data=body, headers=headers)
    assert answer.status_code in {400, 422}
    assert answer.get_json()["code"] in {"bad_request", "invalid"}
