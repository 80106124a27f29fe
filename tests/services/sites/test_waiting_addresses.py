"""What waits in a crawl is looked at by pattern, and part of it dropped."""

import json

import pytest

from services.crawls import steered_by_people
from services.crawls.waiting_addresses import LONGEST, Waiting, drop, waiting
from services.sites import sites
from store.errors import BadInput, Conflict, Forbidden
from store.records import Role, Subject
from store.rules.role_rights import RIGHTS
from tests.support.acting import by
from tests.support.crawls.waiting import let_wait
from wenhen.wiring import App

URLS = [f"http://a.example/{part}" for part in ("book/1", "tag/1", "book/2", "tag/2")]


@pytest.fixture
def run_id(product: App) -> str:
    """A crawl in which these addresses wait."""
    sites.add(by(product), {"urls": "http://a.example/"})
    run = steered_by_people.crawl(by(product), Subject.read("a.example"))
    let_wait(product, run, URLS)
    return run.id


def test_what_waits_is_counted_and_the_first_of_it_told(product: App, run_id: str) -> None:
    assert waiting(product, run_id) == Waiting(4, tuple(URLS))
    assert waiting(product, run_id, " /tag/ ", 1) == Waiting(2, (URLS[1],))
    assert waiting(product, run_id, r"re:/[1-9]$", 0).count == 4


def test_what_is_dropped_waits_no_longer_is_counted_and_stands_in_the_log(product: App, run_id: str) -> None:
    assert drop(by(product), run_id, "/tag/*") == 2
    assert waiting(product, run_id).first == (URLS[0], URLS[2])
    (line,) = product.store.audit.find(limit=1)
    assert (line.action, line.subject) == ("run.drop", f"run:{run_id}")
    assert json.loads(line.new or "") == {"pattern": "/tag/*", "count": "2"}
    steered_by_people.stop(by(product), run_id)
    assert product.store.runs.get(run_id).counts["refused_dropped"] == 2
    assert waiting(product, run_id) == Waiting(0, ())


def test_what_cannot_be_dropped_is_refused(product: App, run_id: str) -> None:
    for pattern in (" ", "re:(", "x" * (LONGEST + 1)):
        with pytest.raises(BadInput):
            drop(by(product), run_id, pattern)
    with pytest.raises(Forbidden):
        drop(by(product, "顾", RIGHTS[Role.LAWYER]), run_id, "/tag/")
    assert waiting(product, run_id).count == 4
    steered_by_people.stop(by(product), run_id)
    with pytest.raises(Conflict, match="has ended"):
        drop(by(product), run_id, "/tag/")
