"""What people change while a worker compares a page: the case that it opens then follows that as one that was open."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from tests.support.acting import by
from tests.support.way import capture, made_page, made_text, pairs, store_work, the_case, work_through
from wenhen.cases.model import Case
from wenhen.exclusions.model import Excluded, ExclusionScope
from wenhen.exclusions.service import exclude_from_cases
from wenhen.licences.service import add_licence, remove_licence
from wenhen.matching.findings import store_findings
from wenhen.runtime.wiring import App
from wenhen.works.service import remove_work

URL, RIVER, SNOW = "http://site.test/a", made_text("river"), made_text("snow")


def looked_at_while(app: App, monkeypatch: pytest.MonkeyPatch, change: Callable[[], object]) -> None:
    """A page is compared with the library, this happens, and only then what was found is kept."""

    def kept(*arguments: Any) -> Any:
        monkeypatch.setattr("wenhen.pipeline.page_and_work_steps.store_findings", store_findings)
        change()
        return store_findings(*arguments)

    monkeypatch.setattr("wenhen.pipeline.page_and_work_steps.store_findings", kept)
    capture(app, URL, made_page("转载", RIVER))
    work_through(app)


@pytest.mark.parametrize("change", ["removed", "given another text"])
def test_a_work_that_changes_while_a_page_is_compared_with_it_leaves_no_case(
    app: App, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    store_work(app, "river", RIVER)
    work_through(app)

    def changed() -> None:
        if change == "removed":
            remove_work(by(app), "river")
        else:
            store_work(app, "river", SNOW)
        work_through(app)

    looked_at_while(app, monkeypatch, changed)
    assert pairs(app, present=True) == set()
    assert app.store.matches.of_work("river") == []


def test_a_licence_that_comes_while_a_page_is_compared_marks_the_case_that_opens(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here it comes after the licences were asked for, and before the case is there."""
    store_work(app, "river", RIVER)
    work_through(app)
    opened_while(app, monkeypatch, lambda: add_licence(by(app), "晨读网", "site.test"))
    assert the_case(app).licence_id is not None


def test_a_licence_that_goes_while_a_page_is_compared_marks_the_case_that_opens_no_more(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    store_work(app, "river", RIVER)
    work_through(app)
    licence = add_licence(by(app), "晨读网", "site.test")
    opened_while(app, monkeypatch, lambda: remove_licence(by(app), licence.id))
    assert the_case(app).licence_id is None


def test_what_is_excluded_while_a_page_is_compared_is_left_out_of_the_case_that_opens(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    store_work(app, "river", f"{RIVER}\n{SNOW}")
    work_through(app)
    capture(app, "http://other.test/1", made_page("别处", f"{RIVER}\n{SNOW}"))
    work_through(app)
    first = the_case(app)

    def leave_out() -> None:
        exclude_from_cases(by(app), first.number, Excluded.BLOCK, text=SNOW, scope=ExclusionScope.WORK, why="许可声明")

    opened_while(app, monkeypatch, leave_out)
    newest = app.store.cases.find(limit=1)[0]
    assert newest.number != first.number
    assert newest.found is not None, "something of it was left out"
    left = app.store.cases.get(first.id).match
    assert newest.match.share_of_work == pytest.approx(left.share_of_work, abs=0.05)


def opened_while(app: App, monkeypatch: pytest.MonkeyPatch, change: Callable[[], object]) -> None:
    """A page's cases are known, this happens, and only then they are written."""
    write = app.store.cases.open_or_update_all

    def written(cases: Sequence[Case]) -> list[tuple[Case, bool]]:
        monkeypatch.undo()
        change()
        return write(cases)

    monkeypatch.setattr(app.store.cases, "open_or_update_all", written)
    capture(app, URL, made_page("转载", f"{RIVER}\n{SNOW}"))
    work_through(app)
