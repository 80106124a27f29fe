"""A real receiver is told of new and changed cases, signed, again and again until it takes them."""

import gzip
import hmac
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import chain, repeat
from pathlib import Path

import pytest

from tests.support.acting import by
from tests.support.seed import NOW, Seeder, move_case
from tests.support.way import opened
from wenhen.cases.model import CaseStatus
from wenhen.kit.size_and_time_limits import WEBHOOK_BOUNDS
from wenhen.runtime.embedded.servers import ServerAddresses
from wenhen.runtime.wiring import App
from wenhen.webhooks import service
from wenhen.webhooks.model import Webhook
from wenhen.webhooks.service import (
    CASE_EVENTS,
    add_webhook,
    announce_cases,
    resend_delivery,
    send_due_deliveries,
    send_test_delivery,
    set_webhook_paused,
)


@dataclass
class Receiver:
    """What came in, and how it is answered: each answer once, then 204."""

    answers: list[int] = field(default_factory=list)
    calls: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    port: int = 0

    @property
    def told(self) -> list[tuple[str, int, str]]:
        """Event, number and status of each call."""
        bodies = [json.loads(body) for _, body in self.calls]
        return [(body["event"], body["case"]["number"], body["case"]["status"]) for body in bodies]


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    state = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            state.calls.append((dict(self.headers), body))
            self.send_response(state.answers.pop(0) if state.answers else 204)
            self.send_header("Location", f"http://127.0.0.1:{state.port}/elsewhere")
            self.end_headers()

        def log_message(self, *args: object) -> None:
            """Nothing to the terminal."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.port = server.server_port
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield state
    server.shutdown()
    server.server_close()
    thread.join()


class Watch:
    """A clock that the test turns."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now


@dataclass
class World:
    """The product with a webhook."""

    app: App
    watch: Watch
    hook: Webhook

    def sweep(self, **later: float) -> None:
        """One sweep, and the task that it sends for."""
        self.watch.now += timedelta(**later)
        announce_cases(self.app)
        send_due_deliveries(self.app)


@pytest.fixture
def world(servers: ServerAddresses, tmp_path: Path, receiver: Receiver) -> Iterator[World]:
    """With a case from before the webhook was there."""
    with opened(servers, tmp_path, dashboard={"private_webhooks": True}) as real:
        watch = Watch()
        app = replace(real, now=watch)
        seed = Seeder(app.store)
        seed.work()
        seed.case("https://copies.example/before")
        hook = add_webhook(by(app), f"http://127.0.0.1:{receiver.port}/in?a=b", CASE_EVENTS)
        made = World(app, watch, hook)
        made.sweep(seconds=1)
        yield made


def test_new_and_changed_cases_are_told_once_signed_and_those_from_before_are_not(
    world: World, receiver: Receiver
) -> None:
    assert receiver.calls == []
    case = Seeder(world.app.store).case("https://copies.example/new", updated_at=world.watch.now)
    world.sweep(seconds=10)
    world.sweep(seconds=10)
    assert receiver.told == [("case.new", case.number, "lead")]
    headers, body = receiver.calls[0]
    signed = hmac.new(world.hook.secret.encode(), headers["X-Wenhen-Timestamp"].encode() + b"." + body, sha256)
    assert headers["X-Wenhen-Signature"] == f"sha256={signed.hexdigest()}"
    assert int(headers["X-Wenhen-Timestamp"]) == int((NOW + timedelta(seconds=11)).timestamp())
    assert headers["X-Wenhen-Delivery"] == json.loads(body)["id"]

    move_case(world.app.store, "1", CaseStatus.CONFIRMED, by="沈", reason=None, at=world.watch.now)
    world.sweep(seconds=10)
    Seeder(world.app.store).case("https://copies.example/new", updated_at=world.watch.now)  # looked at again: the same
    world.sweep(seconds=10)
    assert receiver.told[1:] == [("case.changed", 1, "confirmed")]


def test_what_is_not_taken_is_sent_again_after_growing_pauses_until_it_is(world: World, receiver: Receiver) -> None:
    receiver.answers = [500, 302, 404]
    Seeder(world.app.store).case("https://copies.example/new", updated_at=world.watch.now)
    world.sweep(seconds=10)
    (delivery,) = world.app.store.webhooks.deliveries(world.hook.id)
    assert (delivery.tries, delivery.status, delivery.taken_at) == (1, 500, None)
    assert delivery.due == world.watch.now + timedelta(seconds=20)
    world.sweep(seconds=19)
    assert len(receiver.calls) == 1
    world.sweep(seconds=1)
    world.sweep(seconds=40)
    world.sweep(seconds=80)
    world.sweep(hours=7)
    assert len(receiver.calls) == 4  # where the 302 led was not called
    assert {headers["X-Wenhen-Delivery"] for headers, _ in receiver.calls} == {delivery.id}
    (delivery,) = world.app.store.webhooks.deliveries(world.hook.id)
    assert (delivery.tries, delivery.status, delivery.due, delivery.problem) == (4, 204, None, None)

    resend_delivery(by(world.app), delivery.id)
    world.sweep(seconds=1)
    assert len(receiver.calls) == 5


def test_a_receiver_that_is_gone_loses_nothing(world: World, receiver: Receiver) -> None:
    gone = add_webhook(by(world.app), "http://127.0.0.1:9/", CASE_EVENTS)
    for number in range(3):
        Seeder(world.app.store).case(f"https://copies.example/{number}", updated_at=world.watch.now)
    world.sweep(seconds=10)
    assert len(receiver.calls) == 3
    assert [one.problem is not None for one in world.app.store.webhooks.deliveries(gone.id)] == [True] * 3


@contextmanager
def answering(parts: Iterator[bytes], every: float = 0.0) -> Iterator[str]:
    """The address of a receiver that sends these bytes, with a pause after each part, until nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            with suppress(OSError):
                caller, _ = server.accept()
                with caller:
                    caller.recv(1 << 16)
                    for part in parts:
                        caller.sendall(part)
                        time.sleep(every)

        thread = threading.Thread(target=serve)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/"
        thread.join()


def told_at(world: World, url: str) -> str:
    """What is kept of an answer."""
    hook = add_webhook(by(world.app), url, CASE_EVENTS)
    Seeder(world.app.store).case("https://copies.example/new", updated_at=world.watch.now)
    world.sweep(seconds=10)
    (delivery,) = world.app.store.webhooks.deliveries(hook.id)
    return str(delivery.problem)


def test_a_packed_answer_is_not_unpacked(world: World) -> None:
    packed = gzip.compress(b"x" * 50_000_000)
    head = b"HTTP/1.1 400 no\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(packed)
    with answering(iter([head + packed])) as url:
        said = told_at(world, url)
    assert said.startswith("HTTP 400: ")
    assert "x" * 100 not in said


def test_an_answer_whose_headers_never_end_is_listened_to_for_a_while_and_no_longer(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "WEBHOOK_BOUNDS", WEBHOOK_BOUNDS._replace(patience=1.5))
    dripping = chain([b"HTTP/1.1 200 fine\r\n"], repeat(b"X-More: 1\r\n"))
    with answering(dripping, every=0.05) as url:
        assert "broken off" in told_at(world, url)


def test_a_paused_webhook_hears_later_what_it_missed(world: World, receiver: Receiver) -> None:
    set_webhook_paused(by(world.app), world.hook.id, True)
    Seeder(world.app.store).case("https://copies.example/new", updated_at=world.watch.now)
    world.sweep(seconds=10)
    assert receiver.calls == []
    set_webhook_paused(by(world.app), world.hook.id, False)
    world.sweep(seconds=10)
    assert receiver.told == [("case.new", 2, "lead")]


def test_a_task_that_died_while_it_sent_is_made_up_for(world: World, receiver: Receiver) -> None:
    Seeder(world.app.store).case("https://copies.example/new", updated_at=world.watch.now)
    announce_cases(world.app)
    assert len(world.app.store.webhooks.take_due(world.watch.now, timedelta(minutes=2), 10)) == 1
    world.sweep(seconds=60)
    assert receiver.calls == []
    world.sweep(seconds=61)
    assert receiver.told == [("case.new", 2, "lead")]


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "10.0.0.1", "169.254.169.254", "2130706433"])
def test_a_private_address_is_not_called(world: World, receiver: Receiver, host: str) -> None:
    settings = world.app.settings
    dashboard = settings.dashboard.model_copy(update={"private_webhooks": False})
    world.app = replace(world.app, settings=settings.model_copy(update={"dashboard": dashboard}))
    hook = add_webhook(by(world.app), f"http://{host}:{receiver.port}/", CASE_EVENTS)
    delivery = send_test_delivery(by(world.app), hook.id)
    world.sweep(seconds=1)
    assert receiver.calls == []
    found = next(one for one in world.app.store.webhooks.deliveries(hook.id) if one.id == delivery.id)
    assert found.problem is not None
    assert found.due is not None
