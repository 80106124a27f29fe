"""The audit log on a real server: one chain, however many write; its stamped head tells when its end was cut off."""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import Any

from tests.support.samples import NOON, at_once
from wenhen.audit.model import find_chain_breaks
from wenhen.evidence.model import Stamp
from wenhen.operations.audit_verification import verify_audit_log
from wenhen.runtime.wiring import App


def lines(app: App, *subjects: str) -> Callable[[], None]:
    return partial(app.store.audit.add_all, NOON, "沈", "case.assign", [(one, None, "陆") for one in subjects])


def test_those_who_write_at_once_make_one_chain_of_whole_lines(product: App) -> None:
    at_once(*[lines(product, *(f"case:{writer}-{n}" for n in range(4))) for writer in range(6)])
    entries = list(product.store.audit.each())
    assert [one.number for one in entries] == list(range(1, 25))
    assert list(find_chain_breaks(entries)) == []
    for writer in range(6):
        own = [one.subject for one in entries if one.subject.startswith(f"case:{writer}-")]
        assert own == [f"case:{writer}-{n}" for n in range(4)]


def test_a_log_is_verified_with_its_stamps(product: App) -> None:
    lines(product, "case:1", "case:2", "case:3")()
    whole = verify_audit_log(product)
    assert (whole.lines, whole.unsealed, whole.failed) == (3, 0, 0)
    assert whole.head is not None
    at = datetime(2026, 3, 1, tzinfo=UTC)
    product.store.stamps.want(Stamp(id="audit:3", text=whole.head, wanted_at=at, due=None))
    assert verify_audit_log(product).failed == 0
    audit: Any = product.store.audit
    audit.table.delete({"number": 3})  # by somebody at the database
    assert [one.code for one in verify_audit_log(product).problems] == ["evidence.chain_cut"]
    audit.table.update({"number": 1}, {"$set": {"new": "别人"}})
    assert [one.figures for one in verify_audit_log(product).problems] == [{"number": 1}, {"number": "3"}]
