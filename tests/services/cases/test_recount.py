"""Cases that an earlier release counted with white space are counted anew, once."""

from dataclasses import replace

import pytest

from matcher.model import Change, Match
from tests.support.acting import by
from tests.support.seed import MIDDLE, NOW, OPENING, Seeder, passage
from wenhen.analysis.model import Scope
from wenhen.cases.decisions import decide_cases
from wenhen.cases.model import Case, CaseStatus
from wenhen.cases.rules import has_grown
from wenhen.kit.clock import utc_now
from wenhen.kit.text import character_count
from wenhen.pipeline.reconciler import recount_old_cases, recount_old_texts
from wenhen.runtime.wiring import App

INDENTED = "\n".join(f"\u3000\u3000{line}" for line in (OPENING, MIDDLE))


@pytest.fixture
def old(product: App) -> App:
    """A case whose work has indents and whose page has none."""
    seed = Seeder(product.store)
    seed.work(text=INDENTED)
    copied = passage(OPENING + MIDDLE, OPENING + MIDDLE, INDENTED, INDENTED, Change.VERBATIM)
    seed.case(text=OPENING + MIDDLE, passages=(copied,), share=1.0)
    return product


def the_case(product: App) -> Case:
    return product.store.cases.get("1")


def test_its_shares_and_characters_are_those_without_white_space(old: App) -> None:
    assert recount_old_cases(old, 100) == 1
    match, letters = the_case(old).match, len(OPENING + MIDDLE)
    assert (match.copied_of_page, match.copied_of_work) == (letters, letters)
    assert (match.share_of_page, match.share_of_work) == (1.0, 1.0)
    assert [(one.page_characters, one.work_characters) for one in match.passages] == [(letters, letters)]
    assert old.store.figures.site_taking(["copies.example"]).characters == letters
    assert [one.characters for one in old.store.figures.changes(Scope())] == [letters]
    assert recount_old_cases(old, 100) == 0


def test_a_quiet_case_is_not_woken_by_the_counting(old: App) -> None:
    decide_cases(by(replace(old, now=lambda: NOW)), [1], CaseStatus.QUIET)
    quiet = the_case(old)
    assert quiet.extent is not None
    assert not quiet.extent.counted
    grown = replace(quiet, match=replace(quiet.match, share_of_work=0.73, copied_of_page=1))
    assert not has_grown(grown), "found again before it was counted"
    recount_old_cases(old, 100)
    counted = the_case(old)
    assert counted.extent is not None
    assert (counted.extent.share_of_work, counted.extent.counted) == (1.0, True)
    assert not has_grown(counted)


def test_a_case_whose_text_is_lost_and_one_that_was_found_again_stay(old: App) -> None:
    case = the_case(old)
    lost = replace(case, page_text_digest="0" * 64)
    old.store.cases.open_or_update(lost)
    before = the_case(old)
    recount_old_cases(old, 100)
    assert the_case(old) == before
    later: Match = replace(case.match, matched_at=utc_now())
    old.store.cases.open_or_update(replace(case, match=later))
    old.store.cases.set_counts(case, replace(case, match=replace(case.match, share_of_work=0.1)))
    assert the_case(old).match.share_of_work == later.share_of_work


def test_a_run_after_an_exclusion_is_no_longer_than_the_characters_that_are_left(old: App) -> None:
    case = the_case(old)
    old.store.cases.open_or_update(
        replace(case, match=replace(case.match, longest_run=10_000, reasons=("excluded:0.5",)))
    )
    recount_old_cases(old, 100)
    assert the_case(old).match.longest_run == len(OPENING + MIDDLE)


def test_works_and_pages_of_an_earlier_release_are_counted_without_white_space(old: App) -> None:
    store, letters = old.store, len(OPENING + MIDDLE)
    [work] = store.works.find()
    assert (work.length, work.characters) == (len(INDENTED), letters)
    assert [version.characters for version in work.versions] == [letters]
    store.works.table.update_all({}, {"$unset": {"characters": 1, "versions.0.characters": 1}})
    store.pages.table.update_all({}, {"$set": {"text_digest": the_case(old).page_text_digest, "characters": None}})
    assert character_count(store.works.get(work.id)) == len(INDENTED), "not counted yet"
    recount_old_texts(old, 1_000)
    counted = store.works.get(work.id)
    assert character_count(counted) == letters
    assert [version.characters for version in counted.versions] == [letters]
    page = store.pages.get(the_case(old).page_id)
    assert page.characters == letters
    assert store.marks.get("recount:pages") == {"after": page.id, "done": True}
