"""People who are held to rights holders see nothing of others, on any route and in any form, and change nothing of
theirs.
"""

import io
import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any
from zipfile import ZipFile

import pypdfium2
import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.routing import AnyConverter, Rule
from werkzeug.test import TestResponse

from dashboard.frame.security import HELD_HOME_ENDPOINT, HOME_ENDPOINT, OPEN_TO_HELD, is_open_to_all, needs
from tests.support.people import add_token, add_user, signed_in
from tests.support.screens import MakeApp
from tests.support.seed import Seeder
from tests.support.two_holders import (
    MARKS,
    OTHER,
    OWN,
    OWN_TEXT,
    Clients,
    put_clients,
)
from wenhen.context.store_and_queue import Store
from wenhen.kit.rights import Right, Role
from wenhen.runtime.wiring import App
from wenhen.search.service import update_phrase_index

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
ACCOUNT_COLLECTIONS = frozenset(  # what a person changes of their own account
    ("users", "sessions", "tokens", "preferences", "filters", "guesses", "audit", "marks", "counters")
)


@pytest.fixture
def clients(seed: Seeder) -> Clients:
    """Records of two holders, with marks."""
    return put_clients(seed)


@pytest.fixture
def app(make_app: MakeApp, clients: Clients, product: App) -> Flask:
    """A dashboard that asks for sign-in, but not for the tokens of forms. All texts are in the index over phrases."""
    assert update_phrase_index(replace(product, now=lambda: product.now() + timedelta(minutes=1)), 1_000) >= 5
    app = make_app(own=True, sign_in=True, api_per_minute=1_000_000)
    app.config["WTF_CSRF_ENABLED"] = False
    return app


@pytest.fixture
def held(make_app: MakeApp, app: Flask, clients: Clients) -> FlaskClient:
    """The browser of the held person."""
    app.config["WTF_CSRF_ENABLED"] = True
    browser = signed_in(app, "客户甲")
    app.config["WTF_CSRF_ENABLED"] = False
    return browser


def _is_open(app: Flask, rule: Rule) -> bool:
    with app.test_request_context("/"):
        from flask import request

        request.url_rule = rule
        return is_open_to_all()


def routes(app: Flask, *methods: str) -> Iterator[tuple[Rule, str]]:
    """Every route behind the sign-in, with each of these methods that it answers."""
    for rule in app.url_map.iter_rules():
        if rule.endpoint != "static" and not _is_open(app, rule):
            yield from ((rule, method) for method in methods if method in (rule.methods or ()))


def ids(clients: Clients) -> dict[str, list[object]]:
    """Values for the arguments of addresses: of the other holder, of nobody, and of the held person."""
    other = clients.other
    return {
        "int": [clients.own.number, clients.own_of_both.number, other.number, clients.other_of_both.number, 1],
        "id": [
            "othermark-work",
            "othermark-site",
            "2026-othermark",
            "othermark-r",
            "othermark-l",
            "othermark-x",
            other.page_id,
            clients.own_of_both.page_id,
            "own-work",
            "2026-0001",
        ],
    }


def addresses(app: Flask, rule: Rule, clients: Clients) -> Iterator[str]:
    """The addresses of a route, one for each value of its arguments."""
    known = ids(clients)
    for place in range(max(map(len, known.values()))):
        values: dict[str, object] = {}
        for name, converter in rule._converters.items():
            if isinstance(converter, AnyConverter):
                values[name] = sorted(converter.items)[place % len(converter.items)]
            else:
                group = known["int" if "int" in type(converter).__name__.lower() else "id"]
                values[name] = group[place % len(group)]
        yield app.url_map.bind("localhost").build(rule.endpoint, values, append_unknown=False)
        if not rule._converters:
            return


# Arguments that views read, with ids and words of the other holder.
QUERIES: tuple[dict[str, object], ...] = (
    {},
    {"id": "othermark-work", "q": "馝", "holder": OTHER, "work": "othermark-work", "name": OTHER, "fold": "none"},
    {"q": "七秒", "host": "othermark.example", "columns": "work"},
    {"q": "othermark", "case": 4, "on": "x", "fold": "site"},
    {"id": "own-work", "q": "修船", "fold": "work"},
    {"q": "老", "holder": OWN, "fold": "none"},
    {"series": "馝丛书", "cluster": "cluster-othermark"},
    {"site": "othermark-site"},
    {"id": "own-work"},
    {"id": "othermark-work"},
    {"id": "othermark-nobody"},
    {"holder": OTHER},
    {"work": "othermark-work"},
    {"q": "馝"},
    {"host": "othermark.example"},
    {"order": "oldest"},
    {"q": "把木凳搬到门外"},
    {"q": "灯塔每隔七秒亮一次"},
    {"q": "的话"},
    {"q": "#3"},
)


def queries(rule: Rule) -> tuple[dict[str, object], ...]:
    """Return what a route is asked: of a closed one nothing, of one record little."""
    if rule.endpoint not in OPEN_TO_HELD:
        return QUERIES[:1]
    return QUERIES[:2] if rule._converters else QUERIES


def words_in(answer: TestResponse) -> str:
    """All that an answer tells: text, and what stands in a workbook, an archive, a Word file or a PDF."""
    told = [str(answer.headers)]
    content = answer.data
    if content.startswith(b"PK"):
        with ZipFile(io.BytesIO(content)) as archive:
            told += [f"{name} {archive.read(name).decode('utf-8', 'replace')}" for name in archive.namelist()]
    elif content.startswith(b"%PDF"):
        document = pypdfium2.PdfDocument(content)
        told += [page.get_textpage().get_text_bounded() for page in document]
    else:
        told.append(content.decode("utf-8", "replace"))
    if answer.is_json and content:
        told.append(json.dumps(answer.json, ensure_ascii=False))
    return "\n".join(told)


def asked_back(words: str, query: dict[str, object]) -> str:
    """The words without those that were asked for, which a page may repeat in its fields and links."""
    from urllib.parse import quote, quote_plus

    for value in sorted(map(str, query.values()), key=len, reverse=True):
        for written in (value, quote(value), quote_plus(value), quote(value, safe=""), json.dumps(value)[1:-1]):
            words = words.replace(written, "")
    return words


def assert_silent(answer: TestResponse, query: dict[str, object], address: str) -> None:
    path_words = {str(place): part for place, part in enumerate(address.split("?", maxsplit=1)[0].split("/")) if part}
    words = asked_back(words_in(answer), {**query, **{k: v for k, v in path_words.items() if "othermark" in v}})
    for mark in MARKS:
        at = words.find(mark)
        assert at < 0, (address, query, answer.status_code, words[max(0, at - 300) : at + 200])


def test_every_open_view_is_there_and_the_rest_is_closed(app: Flask, held: FlaskClient, clients: Clients) -> None:
    there = {rule.endpoint for rule in app.url_map.iter_rules()}
    assert there >= OPEN_TO_HELD
    assert {HOME_ENDPOINT, HELD_HOME_ENDPOINT} <= there
    for rule, method in routes(app, *METHODS):
        if rule.endpoint in OPEN_TO_HELD or rule.endpoint == HOME_ENDPOINT or rule.rule.startswith("/api/"):
            continue
        answer = held.open(next(addresses(app, rule, clients)), method=method)
        assert answer.status_code == 403, (rule.rule, method)


def test_a_view_that_declares_nothing_of_holders_is_closed(make_app: MakeApp, clients: Clients) -> None:
    app = make_app(own=True, sign_in=True)
    app.add_url_rule("/forgotten", "forgotten", needs(Right.READ)(lambda: "seen"))
    add_user(clients.store, "编辑", Role.LAWYER)
    assert signed_in(app, "编辑").get("/forgotten").text == "seen"
    closed = signed_in(app, "客户甲").get("/forgotten?lang=zh")
    assert closed.status_code == 403
    assert "您只能查看所属权利人" in closed.text
    assert "<h1>此处未向您开放</h1>" in closed.text
    assert 'href="/suspects/">回到案件列表</a>' in closed.text
    assert signed_in(app, "客户甲").get("/").location == "/suspects/"


def test_no_screen_tells_anything_of_another_holder(app: Flask, held: FlaskClient, clients: Clients) -> None:
    reached = set()
    for rule, _ in routes(app, "GET"):
        for address in addresses(app, rule, clients):
            for query in queries(rule):
                answer = held.get(address, query_string=query)
                assert answer.status_code < 500, (address, query)
                assert_silent(answer, query, address)
                if answer.status_code == 200:
                    reached.add(rule.endpoint)
    screens = {name for name in OPEN_TO_HELD if not name.startswith("api-")}
    asked = {rule.endpoint for rule, _ in routes(app, "GET")}
    assert reached == (screens & asked) - {"account.picture", "help.document", "help.guide"}, "each was walked"


def token_headers(clients: Clients) -> dict[str, str]:
    user = clients.store.users.get(clients.user.id)
    _, text = add_token(clients.store, user, user.rights)
    return {"Authorization": f"Bearer {text}"}


def test_no_call_of_the_api_tells_anything_of_another_holder(app: Flask, clients: Clients) -> None:
    program, headers, reached = app.test_client(), token_headers(clients), set()
    for rule, _ in routes(app, "GET"):
        if not rule.rule.startswith("/api/v1"):
            continue
        for address in addresses(app, rule, clients):
            for query in queries(rule):
                answer = program.get(address, query_string=query, headers=headers)
                assert answer.status_code < 500, (address, query)
                assert_silent(answer, query, address)
                if answer.status_code == 200:
                    reached.add(rule.endpoint)
    open_calls = {name for name in OPEN_TO_HELD if name.startswith("api-")}
    assert reached == open_calls & {rule.endpoint for rule, _ in routes(app, "GET")}


def stored(store: Store) -> dict[str, str]:
    """Everything but the own account, as text by collection."""
    database = store.works.table._database
    return {
        name: str(sorted(map(str, database[name].find())))
        for name in database.list_collection_names()
        if name not in ACCOUNT_COLLECTIONS
    }


def test_nothing_of_another_holder_can_be_changed(app: Flask, held: FlaskClient, clients: Clients) -> None:
    number, other = clients.other.number, clients.other_of_both.number
    form: dict[str, Any] = {
        "id": "othermark-work",
        "case": [str(number), str(other)],
        "numbers": [number],
        "status": "confirmed",
        "usual": "other",
        "reason": "馝",
        "note": "馝",
        "comment": "馝",
        "text": "馝",
        "name": OTHER,
        "assignee": "客户甲",
        "kind": "claimed",
        "amount": "5",
        "sure": "1",
        "all": "",
        "holder": OTHER,
        "into": "own-work",
        "double": "othermark-work",
        "title": "改",
    }
    before, headers, program = stored(clients.store), token_headers(clients), app.test_client()
    for rule, method in routes(app, *METHODS[1:]):
        if rule.endpoint.startswith("account."):
            continue
        for address in addresses(app, rule, clients):
            own = {str(clients.own.number), str(clients.own_of_both.number), "1", "own-work", "2026-0001"}
            if own & set(address.split("/")):
                continue
            query = {"id": "othermark-work"}
            if rule.rule.startswith("/api/"):
                answer = program.open(address, method=method, json=form, query_string=query, headers=headers)
            else:
                answer = held.open(address, method=method, data=form, query_string=query)
            assert answer.status_code < 500, (address, method)
            assert_silent(answer, {**form, **query, "one": number}, address)
    calls: tuple[tuple[str, dict[str, object]], ...] = (
        ("/api/v1/cases/moves", {"numbers": [number, other], "status": "confirmed"}),
        ("/api/v1/cases/assignments", {"numbers": [number], "assignee": "客户甲"}),
        ("/api/v1/cases/questions", {"numbers": [number], "name": "客户甲", "text": "馝"}),
        (f"/api/v1/cases/{number}/comments", {"text": "馝"}),
        (f"/api/v1/cases/{number}/amounts", {"kind": "claimed", "amount": "5"}),
    )
    for address, call in calls:
        assert_silent(program.post(address, json=call, headers=headers), call, address)
    after = stored(clients.store)
    assert [name for name in after if after[name] != before.get(name)] == []


def test_a_decision_on_all_cases_of_a_filter_and_its_undo_reach_their_own_alone(
    app: Flask, held: FlaskClient, clients: Clients
) -> None:
    held.post("/suspects/decisions", data={"all": "1", "status": "confirmed", "sure": "1"})
    cases = clients.store.cases
    assert cases.get(str(clients.own.number)).status == "confirmed"
    assert cases.get(str(clients.other.number)).status == "lead"
    batch = clients.store.cases.table.one({"number": clients.own.number}) or {}
    cases.table.update({"number": clients.other.number}, {"$set": {"batch": batch["batch"]}})
    held.post("/suspects/undo")
    assert cases.get(str(clients.own.number)).status == "lead"


def test_nobody_of_another_holder_is_named_or_given_a_case(held: FlaskClient, clients: Clients) -> None:
    number = clients.own.number
    answer = held.post(f"/cases/{number}/question", data={"name": "客户馝乙", "question": "看"})
    assert answer.status_code == 400
    assert "没有名为“客户馝乙”的用户" in answer.text


def test_counts_lists_and_texts_are_those_of_their_holders(held: FlaskClient, app: Flask, clients: Clients) -> None:
    program, headers = app.test_client(), token_headers(clients)
    found = (program.get("/api/v1/cases", headers=headers).json or {})["items"]
    assert {case["number"] for case in found} == {clients.own.number, clients.own_of_both.number}
    works = (program.get("/api/v1/works", headers=headers).json or {})["items"]
    assert {work["id"] for work in works} == {"own-work", "own-second"}
    notices = program.get("/api/v1/notices", headers=headers).json
    assert [notice["id"] for notice in notices or []] == ["2026-0001"]
    report = program.get("/api/v1/reports/cases.json", headers=headers).json or {}
    assert report["totals"]["cases"] == 2
    case = held.get(f"/cases/{clients.own_of_both.number}").text
    assert OWN_TEXT[:12] in case
    assert "＊" in case, "what the page copies of another holder is masked"
    assert "自己的话" in held.get(f"/cases/{clients.own.number}").text
    refused, unknown = held.get(f"/cases/{clients.other.number}"), held.get("/cases/9999")
    assert (refused.status_code, unknown.status_code) == (404, 404)
    assert refused.text.replace(f"/{clients.other.number}", "/9999").replace(f" {clients.other.number} ", " 9999 ") == (
        unknown.text
    )


def test_search_finds_texts_and_comments_of_their_holders(app: Flask, clients: Clients) -> None:
    program, headers = app.test_client(), token_headers(clients)
    texts = (program.get("/api/v1/search?q=把木凳搬到门外", headers=headers).json or {})["texts"]
    assert {hit["id"] for hit in texts if hit["kind"] == "work"} == {"own-work", "own-second"}
    others = program.get("/api/v1/search?q=灯塔每隔七秒亮一次", headers=headers).json or {}
    assert (others["texts"], others["works"], others["cases"], others["pages"]) == ([], [], [], [])
    comments = (program.get("/api/v1/search?q=的话", headers=headers).json or {})["comments"]
    assert [comment["title"] for comment in comments] == ["自己的话"]


def test_feeds_are_narrowed_like_their_owner(app: Flask, clients: Clients) -> None:
    user = clients.store.users.get(clients.user.id)
    _, text = add_token(clients.store, user, {Right.FEED})
    for address in (f"/feeds/{text}.atom", f"/feeds/{text}.ics"):
        answer = app.test_client().get(address)
        assert answer.status_code == 200
        assert_silent(answer, {}, address)
    assert "修船的老人" in app.test_client().get(f"/feeds/{text}.atom").text


def test_the_marks_are_seen_by_people_of_the_house(app: Flask, clients: Clients) -> None:
    add_user(clients.store, "编辑", Role.ADMINISTRATOR)
    app.config["WTF_CSRF_ENABLED"] = True
    browser = signed_in(app, "编辑")
    number = clients.other.number
    for address in (
        "/suspects/?fold=none",
        f"/cases/{number}",
        f"/cases/{clients.own_of_both.number}",
        f"/suspects/preview/{number}",
        "/works/",
        "/works/one?id=othermark-work",
        "/works/names?q=馝",
        "/notices/",
        "/notices/2026-othermark",
        "/search/go?q=馝",
        "/search/?q=七秒",
        "/reports/cases.csv",
        f"/cases/{number}/report.pdf",
    ):
        answer = browser.get(address)
        assert any(mark in words_in(answer) for mark in MARKS), address


def test_an_administrator_holds_a_person_on_screen(app: Flask, clients: Clients) -> None:
    add_user(clients.store, "管理", Role.ADMINISTRATOR)
    app.config["WTF_CSRF_ENABLED"] = True
    browser = signed_in(app, "管理")
    app.config["WTF_CSRF_ENABLED"] = False
    assert browser.post("/users/holders", data={"id": "客户甲", "holders": f"{OTHER}\n{OWN}"}).status_code == 303
    assert clients.store.users.get("客户甲").holders == tuple(sorted((OTHER, OWN)))
    assert clients.store.audit.find(action="user.hold", limit=1)
    assert browser.post("/users/holders", data={"id": "客户甲", "holders": "无此人"}).status_code == 400
    assert browser.post("/users/holders", data={"id": "管理", "holders": OWN}).status_code == 409
    assert browser.post("/users/role", data={"id": "客户甲", "role": "administrator"}).status_code == 409
    browser.post("/holders/merge", data={"id": OTHER, "into": OWN})
    assert clients.store.users.get("客户甲").holders == (OWN,)
    assert browser.post("/users/holders", data={"id": "客户甲", "holders": ""}).status_code == 303
    assert clients.store.users.get("客户甲").holders == ()
