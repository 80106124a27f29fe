"""Workers on two hosts with one set of servers: both work, and a cable that is pulled costs nothing but time."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.servers.hosts import MONGO_PORT, REDIS_PORT, Host, Network, network_of
from tests.support.way import INDEX, QUEUES, capture, made_page, made_text, opened, pairs, store_work, wait_for
from wenhen.kit.progress import OwnerKind
from wenhen.matching.index_rebuild import verify_index
from wenhen.matching.rematch import count_unfinished
from wenhen.pipeline.reconciler import reconcile
from wenhen.runtime.embedded.servers import ServerAddresses
from wenhen.runtime.processes.supervisor import Child, Supervisor
from wenhen.runtime.processes.workers import worker_children
from wenhen.runtime.settings_sources import Settings
from wenhen.runtime.wiring import App

pytestmark = pytest.mark.server
WORKS, PAGES = 4, 160


@pytest.fixture
def network() -> Iterator[Network]:
    with network_of(2) as network:
        yield network


def seen_from(host: Host, settings: Settings) -> Settings:
    """The settings of a worker there: the servers by their addresses."""
    redis_url = f"redis://{host.servers}:{REDIS_PORT}"
    return settings.model_copy(
        update={
            "mongo": settings.mongo.model_copy(update={"url": f"mongodb://{host.servers}:{MONGO_PORT}/"}),
            "redis": settings.redis.model_copy(update={"url": f"{redis_url}/{QUEUES}"}),
            "index": settings.index.model_copy(update={"url": f"{redis_url}/{INDEX}"}),
        }
    )


def worker_on(host: Host, app: App, data: Path) -> Child:
    """The worker of texts and matches, as that host would start it."""
    there = replace(app, settings=seen_from(host, app.settings).model_copy(update={"data": data / host.name}))
    [worker] = [child for child in worker_children(there) if child.name == "worker"]
    named = [word.replace("@%h", f"@{host.name}") for word in worker.argv]
    return replace(worker, argv=host.command(named))


def fill(app: App, pages: range) -> None:
    texts = {f"w{number}": made_text(f"work {number}") for number in range(WORKS)}
    for id, text in texts.items():
        store_work(app, id, text)
    for number in pages:
        capture(app, f"http://site.test/{number}", made_page("转载", texts[f"w{number % WORKS}"]))


def tasks_done(app: App) -> dict[str, int]:
    """How many tasks each host's worker has begun."""
    told = app.queue._celery.control.inspect(timeout=5).stats() or {}
    return {name.partition("@")[2]: sum(one["total"].values()) for name, one in told.items()}


def swept_until_done(app: App) -> bool:
    reconcile(app)
    return count_unfinished(app) == 0


def test_hosts_share_the_work_and_one_that_is_cut_off_in_the_middle_of_it_costs_nothing(
    network: Network, tmp_path: Path
) -> None:
    lost, kept = network.hosts
    servers = ServerAddresses(network.mongo_url, network.redis_url)
    with ExitStack() as stack:
        app = stack.enter_context(opened(servers, tmp_path, worker={"lease_seconds": 5, "concurrency": 1}))
        stack.enter_context(Supervisor([worker_on(host, app, tmp_path) for host in network.hosts]))
        wait_for(lambda: len(app.queue.workers()) == 2, "both answer")
        fill(app, range(PAGES // 2))
        wait_for(lambda: all(tasks_done(app).values()), "both work")
        fill(app, range(PAGES // 2, PAGES))
        network.cut(lost)
        assert count_unfinished(app)
        wait_for(lambda: swept_until_done(app), "the other does what is left")
        assert set(tasks_done(app)) == {kept.name}
        network.mend(lost)
        wait_for(lambda: len(app.queue.workers()) == 2, "it is back")

        assert pairs(app) == {(f"http://site.test/{number}", f"w{number % WORKS}") for number in range(PAGES)}
        assert len({case.number for case in app.store.cases.each()}) == PAGES
        assert app.store.pages.set_aside_ids(1) == []
        assert {kind: verify_index(app, kind).missing for kind in OwnerKind} == dict.fromkeys(OwnerKind, 0)
