"""Machines ask whether the process lives, can serve, and whether the whole is well; each answer says what was seen."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

import pytest
from flask.testing import FlaskClient

from dashboard.app import create_app
from dashboard.operations import views
from tests.support.screens import MakeApp
from tests.support.seed import NOW
from wenhen.operations.health import ServerState, check_health
from wenhen.runtime.celery_queue import CeleryQueue
from wenhen.runtime.wiring import App

Ask = Callable[[str], tuple[int, dict[str, str]]]


def asking(product: App) -> Ask:
    """Ask the dashboard over this product, signed in as nobody."""
    app = create_app(product, secret_key="only for tests", sign_in=True, health=lambda: check_health(product))
    client: FlaskClient = app.test_client()

    def ask(name: str) -> tuple[int, dict[str, str]]:
        answer = client.get(f"/{name}").get_json()
        assert datetime.fromisoformat(answer["at"])
        return client.get(f"/{name}").status_code, answer["checked"]

    return ask


@pytest.fixture
def deaf(product: App) -> App:
    """With a Redis that is gone."""
    return replace(product, queue=CeleryQueue("redis://127.0.0.1:1/0"))


def test_with_redis_dead_the_process_lives_is_not_ready_and_nothing_is_well(deaf: App) -> None:
    ask = asking(deaf)
    assert ask("livez") == (200, {"process": "ok"})
    assert ask("readyz") == (503, {"MongoDB": "ok", "Redis": "failed"})
    status, checked = ask("healthz")
    assert status == 503
    assert checked["MongoDB"] == "ok"
    assert checked["Redis"] == checked["workers"] == checked["queues"] == "failed"


def test_with_all_workers_stopped_screens_can_be_shown_and_the_whole_is_not_well(product: App) -> None:
    ask = asking(product)
    assert ask("readyz") == (200, {"MongoDB": "ok", "Redis": "ok"})
    status, checked = ask("healthz")
    assert (status, checked["workers"]) == (503, "failed")


def test_all_is_well_where_all_is_and_the_moment_is_told(product: App) -> None:
    then = replace(product, now=lambda: NOW)
    app = create_app(then, secret_key="x", sign_in=True, health=lambda: {"clock": ServerState(True, ())})
    answer = app.test_client().get("/healthz")
    told = {"status": "ok", "at": NOW.isoformat(), "checked": {"clock": "ok"}}
    assert (answer.status_code, answer.get_json()) == (200, told)


def test_strangers_who_ask_often_do_not_ask_the_workers_as_often(product: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "_HEALTH_CACHE_SECONDS", 1000.0)
    asked = []
    app = create_app(product, secret_key="x", sign_in=True, health=lambda: asked.append(1) or {})  # type: ignore[func-returns-value]
    for _ in range(5):
        app.test_client().get("/healthz")
    assert len(asked) == 1


def test_the_overview_tells_of_a_clock_that_stands_still(make_app: MakeApp, product: App) -> None:
    product.store.marks.set("clock:tick", {"at": NOW.replace(year=NOW.year - 1)})
    page = make_app().test_client().get("/?lang=en").text
    assert "the clock has not ticked for" in page
    product.store.marks.set("clock:tick", {"at": NOW})
    product.store.marks.set("clock:sweep", {"at": NOW})
    assert "the clock has not ticked for" not in make_app().test_client().get("/?lang=en").text
