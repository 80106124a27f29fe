"""A rule of triage acts where a look at a page opens a case, and takes back what its licence covers no longer."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from services import licences
from services.cases import triage_rules
from store.records import CaseStatus, RuleAct, Step
from tests.support.acting import by
from tests.support.way import capture, made_page, made_text, opened, store_work, work_through
from wenhen.embedded import Addresses

STORY = made_text("story", 300)


def test_a_case_opens_dismissed_under_a_licence_and_is_a_lead_once_that_is_over(
    servers: Addresses, tmp_path: Path
) -> None:
    with opened(servers, tmp_path) as app:
        store_work(app, "dock", STORY)
        rule = triage_rules.add(by(app), "授权转载", RuleAct.DISMISS)
        triage_rules.switch(by(app), rule.id, True)
        licence = licences.add(by(app), "晨读网", "copies.example")
        page = capture(app, "http://copies.example/1", made_page("转载", STORY))
        work_through(app)
        [case] = app.store.cases.find()
        assert (case.status, case.decided_by) == (CaseStatus.DISMISSED, "wenhen: 授权转载")
        over = case.capture.fetched_at - timedelta(days=1)
        app.store.licences.put(replace(licence, valid_until=over))
        app.store.pages.restart(page, Step.LOOK_UP)
        work_through(app)
        [case] = app.store.cases.find()
        assert (case.status, case.licence_id) == (CaseStatus.LEAD, None)
        assert [move.status for move in case.history] == [CaseStatus.DISMISSED, CaseStatus.LEAD]
