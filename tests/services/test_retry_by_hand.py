"""What was set aside is listed by its name, and tried again where it failed."""

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.support.acting import by
from tests.support.seed import Seeder
from wenhen.kit.errors import Conflict, Forbidden, NotFound, plain_message
from wenhen.kit.progress import Owner, OwnerKind, Step
from wenhen.kit.rights import Right
from wenhen.operations.problems import failed_records, owner_names, retry_record
from wenhen.runtime.celery_queue import CeleryQueue
from wenhen.runtime.wiring import App

WORK = OwnerKind.WORK


@pytest.fixture
def aside(product: App) -> App:
    """A work that was set aside at its first step."""
    Seeder(product.store).work()
    claim = product.store.works.claim("dock", Step.FINGERPRINT, timedelta(minutes=1))
    assert claim
    product.store.works.set_aside(claim, plain_message("the segment is damaged"))
    return product


def test_a_record_is_listed_by_its_name_until_it_is_tried_again(aside: App) -> None:
    [row] = failed_records(aside)
    assert (row.kind, row.id, row.name, row.step) == (WORK, "dock", "修船的老人", Step.FINGERPRINT)
    assert retry_record(by(aside), WORK, "dock")
    assert failed_records(aside) == []
    [entry] = aside.store.audit.find()
    assert (entry.action, entry.subject, entry.new) == ("record.retry", "work:dock", "fingerprint")
    with pytest.raises(Conflict, match="was not set aside"):
        retry_record(by(aside), WORK, "dock")


def test_a_silent_queue_is_told_and_the_step_stays_stored(aside: App) -> None:
    silent = replace(aside, queue=CeleryQueue("redis://127.0.0.1:1/0"))  # nobody listens there
    assert not retry_record(by(silent), WORK, "dock")
    assert aside.store.works.get("dock").progress.step is Step.FINGERPRINT
    assert aside.store.audit.count() == 1


def test_names_are_those_of_the_records_that_are_there(aside: App) -> None:
    owners = (Owner.of_work("dock"), Owner.of_work("gone"), Owner.of_page("gone"))
    assert owner_names(aside, owners) == {"work:dock": "修船的老人"}


def test_whoever_may_not_tries_nothing_and_what_is_gone_cannot_be_tried(aside: App) -> None:
    with pytest.raises(Forbidden, match="operate"):
        retry_record(by(aside, rights={Right.READ}), WORK, "dock")
    with pytest.raises(NotFound):
        retry_record(by(aside), WORK, "gone")
    assert len(failed_records(aside)) == 1
