"""What is decided about found addresses is logged; accepted ones are fetched by one crawl."""

import pytest

from tests.support.acting import by
from tests.support.seed import NOW
from wenhen.discovery.model import Discovery, DiscoveryStatus
from wenhen.discovery.service import accept_discoveries, decide_discoveries, refuse_discoveries
from wenhen.kit.errors import BadInput, Forbidden, NotFound
from wenhen.kit.rights import Right
from wenhen.runtime.wiring import App


@pytest.fixture
def found(product: App) -> App:
    """Two addresses that wait for a decision."""
    for id in ("d1", "d2"):
        url = f"https://copies.example/{id}"
        product.store.discoveries.add(
            Discovery(id=id, work_id="dock", url=url, title="", sentences=("船",), engine="e", found_at=NOW)
        )
    return product


def pending(product: App) -> set[str]:
    return {one.id for one in product.store.discoveries.find(status=DiscoveryStatus.PENDING)}


def test_accepted_addresses_are_one_crawl_and_one_line_of_the_log(found: App) -> None:
    run = accept_discoveries(by(found), ["d1", "d2"])
    assert found.store.runs.get(run.id).subject == run.subject
    assert pending(found) == set()
    [entry] = found.store.audit.find()
    assert (entry.action, entry.subject, entry.new) == ("discovery.accepted", "discoveries:2", "d1 d2")


def test_refused_addresses_start_nothing(found: App) -> None:
    decide_discoveries(by(found), ["d1"], DiscoveryStatus.REFUSED)
    assert (pending(found), found.store.runs.recent()) == ({"d2"}, [])
    assert [entry.action for entry in found.store.audit.find()] == ["discovery.refused"]


def test_waiting_is_no_decision(found: App) -> None:
    with pytest.raises(BadInput, match="pending is no decision"):
        decide_discoveries(by(found), ["d1"], DiscoveryStatus.PENDING)


def test_an_address_that_nobody_found_is_neither_fetched_nor_logged(found: App) -> None:
    with pytest.raises(NotFound):
        accept_discoveries(by(found), ["nobody"])
    assert (found.store.runs.recent(), found.store.audit.count()) == ([], 0)


def test_whoever_may_not_changes_nothing(found: App) -> None:
    for use_case in (accept_discoveries, refuse_discoveries):
        with pytest.raises(Forbidden, match="crawl"):
            use_case(by(found, rights={Right.WORKS}), ["d1"])
    assert pending(found) == {"d1", "d2"}
