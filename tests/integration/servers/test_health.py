"""The health of a product on real servers is told with its figures, and what is wrong with its reason."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from tests.support.acting import by
from tests.support.way import opened
from wenhen.archive.retention import hold_back_retention, note_backup_complete
from wenhen.operations.health import check_health
from wenhen.runtime.celery_queue import CeleryQueue
from wenhen.runtime.embedded.servers import ServerAddresses
from wenhen.runtime.wiring import App
from wenhen.webhooks.service import CASE_EVENTS, add_webhook, send_test_delivery, set_webhook_paused


def later(app: App, time: timedelta) -> App:
    now = app.now() + time
    return replace(app, now=lambda: now)


def test_everything_that_runs_is_well_and_says_how_full_it_is(servers: ServerAddresses, tmp_path: Path) -> None:
    with opened(servers, tmp_path) as app:
        told = check_health(app)
    assert {name for name, state in told.items() if not state.answers} == {"workers"}, "no worker runs in this test"
    assert "free" in told["database disk"].detail
    assert str(tmp_path) in told["data disk"].detail
    assert "0 postings" in told["works index"].detail
    assert "0" in told["queues"].detail
    in_chinese = " ".join(one.text("zh") for one in told["queues"].said)
    assert in_chinese == "抓取 0 正文与指纹 0 检索与比对 0 维护 0 回调通知 0 证据包 0 读图 0"


def test_a_server_that_is_gone_is_named_and_the_rest_is_told(servers: ServerAddresses, tmp_path: Path) -> None:
    with opened(servers, tmp_path) as app:
        told = check_health(replace(app, queue=CeleryQueue("redis://127.0.0.1:1/0")))
    assert not told["Redis"].answers
    assert not told["queues"].answers
    assert told["MongoDB"].answers


def test_a_backup_that_was_written_once_is_missed_when_the_next_is_late(
    servers: ServerAddresses, tmp_path: Path
) -> None:
    with opened(servers, tmp_path) as app:
        never = check_health(app)["backup"]
        assert (never.detail, never.attention) == ("no backup was made yet", True)
        note_backup_complete(app)
        with hold_back_retention(app):
            pass
        ages = {days: check_health(later(app, timedelta(days=days)))["backup"] for days in (0, 7, 9)}
    assert [state.answers for state in ages.values()] == [True, True, False]
    assert "9 days ago" in ages[9].detail


def test_an_archive_on_a_disk_of_its_own_is_looked_at_as_well(servers: ServerAddresses, tmp_path: Path) -> None:
    with opened(servers, tmp_path, crawler={"warc": "/proc"}) as app:
        assert "/proc" in check_health(app)["archive disk"].detail
    with opened(servers, tmp_path, crawler={"warc": str(tmp_path)}) as app:
        assert "archive disk" not in check_health(app)


def test_a_webhook_that_takes_nothing_for_a_day_is_named_by_its_host_alone(
    servers: ServerAddresses, tmp_path: Path
) -> None:
    with opened(servers, tmp_path) as app:
        hook = add_webhook(by(app), "https://receiver.example/secret", CASE_EVENTS)
        waits = send_test_delivery(by(app), hook.id)
        tomorrow = later(app, timedelta(hours=25))
        assert check_health(app)["webhooks"].answers
        stuck = check_health(tomorrow)["webhooks"]
        assert not stuck.answers
        assert "receiver.example has not taken" in stuck.detail
        assert "secret" not in stuck.detail
        set_webhook_paused(by(app), hook.id, True)
        assert check_health(tomorrow)["webhooks"].answers
        set_webhook_paused(by(app), hook.id, False)
        app.store.webhooks.mark_delivered(waits.id, tomorrow.now(), 204)
        assert check_health(tomorrow)["webhooks"].answers
