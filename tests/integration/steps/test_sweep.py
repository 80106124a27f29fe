"""The sweep on real servers: a duty of it that fails keeps up no other."""

import pytest
import redis

from matcher.index.redis_index import RedisIndex
from tests.support.way import made_text, messages, store_work
from wenhen.kit.errors import Unavailable
from wenhen.pipeline.reconciler import reconcile
from wenhen.runtime.wiring import App
from wenhen.steps.fair_queue import TEXT_QUEUE


def test_what_is_due_is_queued_though_the_server_of_an_index_is_away(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has a Redis of its own."""
    store_work(app, "river", made_text("river"))
    with redis.Redis.from_url(str(app.settings.redis.url)) as queues:
        queues.flushdb()

    def away(_: object) -> None:
        raise Unavailable("server.queues_silent", address="index.test", error="nobody answers")

    monkeypatch.setattr(RedisIndex, "stats", away)
    with pytest.raises(Unavailable):
        reconcile(app)
    assert messages(app)


def test_workers_are_called_for_though_an_earlier_duty_failed(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    store_work(app, "river", made_text("river"))
    with redis.Redis.from_url(str(app.settings.redis.url)) as queues:
        queues.delete(TEXT_QUEUE)

    def failed(_: object) -> None:
        raise RuntimeError("a page that nobody foresaw")

    monkeypatch.setattr("wenhen.pipeline.reconciler.apply_new_templates", failed)
    with pytest.raises(RuntimeError, match="nobody foresaw"):
        reconcile(app)
    assert messages(app)
