"""The health of a product on real servers is told with its figures, and what is wrong with its reason."""

from dataclasses import replace
from pathlib import Path

from services.upkeep.health import health
from tests.support.way import opened
from wenhen.celery_queue import CeleryQueue
from wenhen.embedded import Addresses


def test_everything_that_runs_is_well_and_says_how_full_it_is(servers: Addresses, tmp_path: Path) -> None:
    with opened(servers, tmp_path) as app:
        told = health(app)
    assert {name for name, state in told.items() if not state.answers} == {"workers"}, "no worker runs in this test"
    assert "free" in told["database disk"].detail
    assert str(tmp_path) in told["data disk"].detail
    assert "0 postings" in told["works index"].detail
    assert "0" in told["queues"].detail
    in_chinese = " ".join(one.text("zh") for one in told["queues"].said)
    assert in_chinese == "抓取 0 正文与指纹 0 检索与比对 0 维护 0 回调通知 0 证据包 0 读图 0"


def test_a_server_that_is_gone_is_named_and_the_rest_is_told(servers: Addresses, tmp_path: Path) -> None:
    with opened(servers, tmp_path) as app:
        told = health(replace(app, queue=CeleryQueue("redis://127.0.0.1:1/0")))
    assert not told["Redis"].answers
    assert not told["queues"].answers
    assert told["MongoDB"].answers
