"""A work is removed, on real servers: nothing of it is left to be found, and nothing that was proved is lost."""

from datetime import timedelta

from tests.support.acting import by
from tests.support.seed import move_case
from tests.support.way import do_step, made_text, pairs, store_work, the_case, work_through
from wenhen.cases.model import CaseStatus
from wenhen.cases.rules import proposed_status
from wenhen.fingerprints.service import fingerprint_text
from wenhen.kit.progress import OwnerKind, Step
from wenhen.matching.rematch import remove_leftover_works
from wenhen.pipeline.tasks import BATCH_STEPS, SINGLE_STEPS
from wenhen.runtime.wiring import App
from wenhen.texts.source_lookup import find_copied_works
from wenhen.works.service import remove_work

URL = "http://site.test/a"
LEASE = timedelta(minutes=1)
RIVER, SNOW = made_text("river"), made_text("snow")


def test_a_removed_work_is_out_of_look_ups_at_once_and_its_case_is_marked_as_gone(copied: App) -> None:
    remove_work(by(copied), "river")
    assert find_copied_works(copied, RIVER) == [], "before any step was done"
    work_through(copied)
    case = the_case(copied)
    assert not case.present
    assert case.match.passages, "the evidence stays"
    copied.works_index.rewrite()
    assert copied.works_index.stats().postings == 0
    assert copied.store.matches.of_work("river") == []


def test_what_a_step_keeps_of_a_work_that_was_removed_meanwhile_goes_as_well(app: App) -> None:
    for number, (step, together) in enumerate(BATCH_STEPS[OwnerKind.WORK].items()):
        for work in (together, SINGLE_STEPS[OwnerKind.WORK][step]):
            id = f"river {number} {work is together}"
            store_work(app, id, RIVER)
            while app.store.works.get(id).progress.step is not step:
                do_step(app, OwnerKind.WORK, id, app.store.works.get(id).progress.step)
            claim = app.store.works.claim(id, step, LEASE)
            assert claim
            remove_work(by(app), id)
            do_step(app, OwnerKind.WORK, id, Step.REMOVE)
            if work is together:
                assert not together(app, [claim], LEASE).claims
            else:
                assert SINGLE_STEPS[OwnerKind.WORK][step](app, claim) is None
            assert app.store.works.get(id).progress.step is Step.REMOVE
    work_through(app)
    assert app.store.fingerprints.count(OwnerKind.WORK) == 0
    app.works_index.rewrite()
    assert app.works_index.stats().postings == 0


def test_what_is_left_of_a_removed_work_goes_when_the_indexes_are_tidied(app: App) -> None:
    store_work(app, "river", RIVER)
    store_work(app, "snow", SNOW)
    claim = app.store.works.claim("river", Step.FINGERPRINT, LEASE)
    assert claim
    remove_work(by(app), "river")
    work_through(app)
    fingerprint_text(app, OwnerKind.WORK, "river", claim.record.version, RIVER)  # and whoever did it died
    remove_leftover_works(app)
    assert work_through(app) == [("river", Step.REMOVE)]
    assert not app.store.fingerprints.of(OwnerKind.WORK, "river")
    assert app.store.fingerprints.of(OwnerKind.WORK, "snow")


def test_a_decided_case_of_a_removed_work_is_not_said_to_be_gone_as_nobody_looked(copied: App) -> None:
    move_case(copied.store, "1", CaseStatus.CONFIRMED, by="王", reason=None, at=copied.now())
    remove_work(by(copied), "river")
    work_through(copied)
    case = the_case(copied)
    assert case.present
    assert proposed_status(case) is None, "nobody is asked to confirm a removal that was not seen"


def test_a_removed_work_comes_back_when_it_is_imported_again(copied: App) -> None:
    remove_work(by(copied), "river")
    work_through(copied)
    assert store_work(copied, "river", RIVER) == "new"
    work_through(copied)
    assert pairs(copied, present=True) == {(URL, "river")}
    assert the_case(copied).number == 1
