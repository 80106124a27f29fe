"""What people excluded opens no case by itself when a page is looked at, and stays off the figures of open ones."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.acting import by
from tests.support.way import capture, made_page, made_text, opened, store_work, work_through
from wenhen.cases.model import Case
from wenhen.exclusions.model import Excluded, ExclusionScope
from wenhen.exclusions.service import exclude_from_cases, withdraw_exclusion
from wenhen.kit.progress import Step
from wenhen.runtime.embedded.servers import ServerAddresses
from wenhen.runtime.wiring import App

LICENCE = made_text("licence", 200)
STORY = made_text("story", 500)
WHY = "许可声明"


@pytest.fixture
def app(servers: ServerAddresses, tmp_path: Path) -> Iterator[App]:
    with opened(servers, tmp_path) as product:
        store_work(product, "dock", f"{STORY}\n{LICENCE}")
        yield product


def page_of(app: App, path: str, *parts: str) -> str:
    """A page of these parts between words of its own, looked at."""
    own = [made_text(f"{path} {number}", 150) for number in range(len(parts))]
    text = "\n".join(line for pair in zip(own, parts, strict=True) for line in pair)
    id = capture(app, f"http://copies.example/{path}", made_page(path, text))
    work_through(app)
    return id


def cases(app: App) -> list[Case]:
    return app.store.cases.find()


def test_an_excluded_block_opens_no_case_by_itself_but_what_stands_beside_it_does(app: App) -> None:
    page_of(app, "both", STORY, LICENCE)
    [first] = cases(app)
    exclude_from_cases(by(app), first.number, Excluded.BLOCK, text=LICENCE, scope=ExclusionScope.WORK, why=WHY)
    page_of(app, "licence-only", LICENCE)
    assert [one.number for one in cases(app)] == [first.number]
    page_of(app, "again", STORY, LICENCE)
    newest, oldest = cases(app)
    assert newest.match.share_of_work == pytest.approx(oldest.match.share_of_work, abs=0.01)
    assert newest.match.share_of_work == pytest.approx(len(STORY) / (len(STORY) + len(LICENCE)), abs=0.02)


def test_a_later_look_keeps_the_figures_and_taking_back_gives_the_old_ones(app: App) -> None:
    page = page_of(app, "both", STORY, LICENCE)
    [before] = cases(app)
    made = exclude_from_cases(by(app), before.number, Excluded.BLOCK, text=LICENCE, why=WHY)
    [less] = cases(app)
    assert less.match.share_of_page < before.match.share_of_page
    app.store.pages.restart(page, Step.LOOK_UP)
    work_through(app)
    [looked] = cases(app)
    assert looked.match.passages == less.match.passages
    assert looked.match.share_of_page == less.match.share_of_page
    withdraw_exclusion(by(app), made.exclusion.id)
    [after] = cases(app)
    assert (after.match.passages, after.match.share_of_page) == (before.match.passages, before.match.share_of_page)
    assert after.found is None


def test_a_case_whose_source_is_excluded_stays_without_figures_and_no_other_opens_on_the_site(app: App) -> None:
    page = page_of(app, "both", STORY, LICENCE)
    [case] = cases(app)
    exclude_from_cases(by(app), case.number, Excluded.SOURCE, scope=ExclusionScope.SITE, why=WHY)
    app.store.pages.restart(page, Step.LOOK_UP)
    work_through(app)
    page_of(app, "next", STORY)
    [looked] = cases(app)
    assert (looked.match.passages, looked.match.share_of_page, looked.present) == ((), 0.0, True)
