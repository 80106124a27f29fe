"""The sweep on real servers: a duty of it that fails keeps up no other."""

import pytest
import redis

from matcher.index.redis import RedisIndex
from store.errors import Unavailable
from tests.support.way import made_text, messages, store_work
from wenhen.queue_names import TEXT
from wenhen.sweep import sweep
from wenhen.wiring import App


def test_what_is_due_is_queued_though_the_server_of_an_index_is_away(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has a Redis of its own."""
    store_work(app, "river", made_text("river"))
    with redis.Redis.from_url(str(app.settings.redis.url)) as queues:
        queues.flushdb()

    def away(_: object) -> None:
        raise Unavailable("server.queues_silent", address="index.test", error="nobody answers")

    monkeypatch.setattr(RedisIndex, "stats", away)
    with pytest.raises(Unavailable):
        sweep(app)
    assert messages(app)


def test_workers_are_called_for_though_an_earlier_duty_failed(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    store_work(app, "river", made_text("river"))
    with redis.Redis.from_url(str(app.settings.redis.url)) as queues:
        queues.delete(TEXT)

    def failed(_: object) -> None:
        raise RuntimeError("a page that nobody foresaw")

    monkeypatch.setattr("wenhen.sweep.apply_new_templates", failed)
    with pytest.raises(RuntimeError, match="nobody foresaw"):
        sweep(app)
    assert messages(app)
