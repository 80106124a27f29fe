"""A rule of triage acts where a look at a page opens a case, and takes back what its licence covers no longer."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from tests.support.acting import by
from tests.support.way import capture, made_page, made_text, opened, store_work, work_through
from wenhen.cases.model import CaseStatus
from wenhen.kit.progress import Step
from wenhen.licences.service import add_licence
from wenhen.runtime.embedded.servers import ServerAddresses
from wenhen.triage.model import RuleAct
from wenhen.triage.service import add_rule, switch_rule

STORY = made_text("story", 300)


def test_a_case_opens_dismissed_under_a_licence_and_is_a_lead_once_that_is_over(
    servers: ServerAddresses, tmp_path: Path
) -> None:
    with opened(servers, tmp_path) as app:
        store_work(app, "dock", STORY)
        rule = add_rule(by(app), "授权转载", RuleAct.DISMISS)
        switch_rule(by(app), rule.id, True)
        licence = add_licence(by(app), "晨读网", "copies.example")
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
