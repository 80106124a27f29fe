"""Who may look, and what the browser is told to refuse."""

from datetime import timedelta

import pytest
from werkzeug.datastructures import Authorization

from store.errors import Unavailable
from store.ports import Store
from tests.unit.dashboard.conftest import MakeApp
from tests.unit.dashboard.seed import NOW

RIGHT, WRONG = (
    Authorization("basic", {"username": "沈", "password": password}) for password in ("河岸 password", "guess")
)


def test_without_the_password_nothing_is_shown(make_app: MakeApp) -> None:
    client = make_app("河岸 password").test_client()
    for address in ("/", "/cases/1", "/reports/cases.json", "/static/wenhen.css"):
        answer = client.get(address)
        assert answer.status_code == 401
        assert answer.headers["WWW-Authenticate"].startswith("Basic")
    assert client.get("/", auth=WRONG).status_code == 401
    assert client.get("/", auth=RIGHT).status_code == 200


def test_who_guesses_has_to_wait_and_may_then_try_again(make_app: MakeApp) -> None:
    now = [NOW]
    client = make_app("河岸 password", lambda: now[0]).test_client()
    answers = [client.get("/", auth=WRONG).status_code for _ in range(12)]
    assert answers == [401] * 10 + [429] * 2
    assert client.get("/", auth=RIGHT).status_code == 429
    now[0] += timedelta(minutes=5)
    assert client.get("/", auth=RIGHT).status_code == 200


def test_a_dashboard_without_a_password_answers_only_under_loopback_names(make_app: MakeApp) -> None:
    client = make_app().test_client()
    for host, status in (("localhost:8080", 200), ("127.0.0.1", 200), ("[::1]:8080", 200), ("evil.example", 400)):
        assert client.get("/", headers={"Host": host}).status_code == status


def test_the_health_check_needs_no_password_and_tells_when_the_store_is_gone(
    make_app: MakeApp, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = make_app("河岸 password").test_client()
    assert client.get("/healthz").get_json()["status"] == "ok"

    def gone() -> str:
        raise Unavailable("no MongoDB answers")

    monkeypatch.setattr(store, "ping", gone)
    assert client.get("/healthz").status_code == 503


@pytest.mark.parametrize("address", ["/", "/nowhere", "/static/panes.js", "/healthz", "/reports/cases.json"])
def test_every_answer_carries_the_policy(make_app: MakeApp, address: str) -> None:
    headers = make_app().test_client().get(address).headers
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert headers["Content-Security-Policy"].startswith("default-src 'none'")
    assert headers["X-Content-Type-Options"] == "nosniff"


def test_a_request_by_post_needs_the_token_of_the_session(make_app: MakeApp) -> None:
    client = make_app().test_client()
    for address in ("/cases/1/decision", "/health/retry"):
        assert client.post(address, data={"status": "confirmed"}).status_code == 400
