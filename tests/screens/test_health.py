"""What was set aside is shown with its reason, and can be tried again."""

import re
from dataclasses import replace
from datetime import timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient

from store.records import OwnerKind, Step
from tests.support.screens import MakeApp
from tests.support.seed import NOW, Seeder
from wenhen.celery_queue import CeleryQueue


@pytest.fixture
def aside(seed: Seeder) -> Seeder:
    """A work that the pipeline set aside."""
    seed.work()
    claim = seed.store.works.claim("dock", Step.FINGERPRINT, timedelta(minutes=1))
    assert claim
    seed.store.works.set_aside(claim, "the segment is damaged")
    seed.store.problems.put("pipeline", "work:dock", "the segment is damaged", NOW, Step.FINGERPRINT)
    return seed


def retry(client: FlaskClient, kind: str = "work", id: str = "dock") -> int:
    """Press the button; the status of the answer."""
    token = re.search(r'name="csrf_token" value="([^"]+)"', client.get("/health/").text)
    data = {"csrf_token": token[1] if token else "", "kind": kind, "id": id}
    return client.post("/health/retry", data=data).status_code


@pytest.mark.usefixtures("aside")
def test_servers_steps_and_problems_are_shown(client: FlaskClient) -> None:
    page = client.get("/health/?lang=en").text
    assert "6.0.5" in page
    assert "the index is being built" in page
    assert page.count("the segment is damaged") == 2


def test_trying_again_begins_where_it_failed(
    client: FlaskClient, aside: Seeder, enqueued: list[tuple[OwnerKind, str, Step]]
) -> None:
    assert retry(client) == 303
    assert aside.store.works.get("dock").progress.step is Step.FINGERPRINT
    assert enqueued == [(OwnerKind.WORK, "dock", Step.FINGERPRINT)]
    assert aside.store.problems.count() == 0


def test_a_record_that_is_under_way_is_left_alone(
    client: FlaskClient, aside: Seeder, enqueued: list[tuple[OwnerKind, str, Step]]
) -> None:
    page = client.get("/health/").text
    aside.store.works.restart("dock", Step.INDEX)
    token = re.search(r'name="csrf_token" value="([^"]+)"', page)
    assert token
    client.post("/health/retry", data={"csrf_token": token[1], "kind": "work", "id": "dock"})
    assert aside.store.works.get("dock").progress.step is Step.INDEX
    assert enqueued == []


@pytest.mark.usefixtures("aside")
@pytest.mark.parametrize(("kind", "id", "status"), [("owner", "dock", 400), ("work", "nobody", 404)])
def test_an_unknown_record_is_refused(client: FlaskClient, kind: str, id: str, status: int) -> None:
    assert retry(client, kind, id) == status


def test_a_silent_queue_loses_nothing(make_app: MakeApp, aside: Seeder) -> None:
    app: Flask = make_app()
    services = app.extensions["wenhen"]
    silent = CeleryQueue("redis://127.0.0.1:1/0")  # nobody listens there
    app.extensions["wenhen"] = replace(services, product=replace(services.product, queue=silent))
    client = app.test_client()
    assert retry(client) == 303
    assert "队列恢复后自动重试" in client.get("/health/").text
    assert aside.store.works.get("dock").progress.step is Step.FINGERPRINT
