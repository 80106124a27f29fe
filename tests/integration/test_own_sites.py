"""On a holder's own site its works are no copies; anywhere else they are."""

from tests.support.way import capture, made_page, made_text, store_work, work_through
from wenhen.holders.model import Holder
from wenhen.kit.progress import Step
from wenhen.runtime.wiring import App

TEXT = made_text("own site")


def test_a_page_on_the_holders_own_site_opens_no_case(app: App) -> None:
    app.store.holders.put(Holder(id="河岸文艺社", sites=("hean.example",)))
    store_work(app, "dock", TEXT, owner="河岸文艺社")
    for host in ("hean.example", "copies.example"):
        capture(app, f"http://{host}/1", made_page("修船的老人", TEXT))
    work_through(app)
    assert [case.page_host for case in app.store.cases.find()] == ["copies.example"]


def test_a_case_is_marked_absent_once_its_page_is_known_to_be_the_holders_own(app: App) -> None:
    store_work(app, "dock", TEXT, owner="河岸文艺社")
    page = capture(app, "http://hean.example/1", made_page("修船的老人", TEXT))
    work_through(app)
    assert [case.present for case in app.store.cases.find()] == [True]
    app.store.holders.put(Holder(id="河岸文艺社", sites=("hean.example",)))
    app.store.pages.restart(page, Step.LOOK_UP)
    work_through(app)
    assert [case.present for case in app.store.cases.find()] == [False]
