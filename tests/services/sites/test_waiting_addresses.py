"""What waits in a crawl is looked at by pattern, and part of it dropped."""

import json

import pytest

from tests.support.acting import by
from tests.support.crawls.waiting import let_wait
from wenhen.crawls.comparison import MAX_PATTERN_CHARACTERS, Waiting, drop_waiting_addresses, find_waiting
from wenhen.crawls.service import begin_crawl, stop_crawl
from wenhen.kit.errors import BadInput, Conflict, Forbidden
from wenhen.kit.progress import Subject
from wenhen.kit.rights import RIGHTS, Role
from wenhen.runtime.wiring import App
from wenhen.sites.service import add_site

URLS = [f"http://a.example/{part}" for part in ("book/1", "tag/1", "book/2", "tag/2")]


@pytest.fixture
def run_id(product: App) -> str:
    """A crawl in which these addresses wait."""
    add_site(by(product), {"urls": "http://a.example/"})
    run = begin_crawl(by(product), Subject.read("a.example"))
    let_wait(product, run, URLS)
    return run.id


def test_what_waits_is_counted_and_the_first_of_it_told(product: App, run_id: str) -> None:
    assert find_waiting(product, run_id) == Waiting(4, tuple(URLS))
    assert find_waiting(product, run_id, " /tag/ ", 1) == Waiting(2, (URLS[1],))
    assert find_waiting(product, run_id, r"re:/[1-9]$", 0).count == 4


def test_what_is_dropped_waits_no_longer_is_counted_and_stands_in_the_log(product: App, run_id: str) -> None:
    assert drop_waiting_addresses(by(product), run_id, "/tag/*") == 2
    assert find_waiting(product, run_id).first == (URLS[0], URLS[2])
    (line,) = product.store.audit.find(limit=1)
    assert (line.action, line.subject) == ("run.drop", f"run:{run_id}")
    assert json.loads(line.new or "") == {"pattern": "/tag/*", "count": "2"}
    stop_crawl(by(product), run_id)
    assert product.store.runs.get(run_id).counts["refused_dropped"] == 2
    assert find_waiting(product, run_id) == Waiting(0, ())


def test_what_cannot_be_dropped_is_refused(product: App, run_id: str) -> None:
    for pattern in (" ", "re:(", "x" * (MAX_PATTERN_CHARACTERS + 1)):
        with pytest.raises(BadInput):
            drop_waiting_addresses(by(product), run_id, pattern)
    with pytest.raises(Forbidden):
        drop_waiting_addresses(by(product, "顾", RIGHTS[Role.LAWYER]), run_id, "/tag/")
    assert find_waiting(product, run_id).count == 4
    stop_crawl(by(product), run_id)
    with pytest.raises(Conflict, match="has ended"):
        drop_waiting_addresses(by(product), run_id, "/tag/")
