"""A copy that came back gets a second letter, which names the first and what captures show."""

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.support.acting import by
from tests.support.holders import sent
from tests.support.seed import NOW
from wenhen.cases.decisions import decide_cases
from wenhen.cases.model import CaseStatus
from wenhen.kit.errors import BadInput
from wenhen.notices import content
from wenhen.notices.drafting import write_notices
from wenhen.notices.due_tasks import ToDo, list_tasks
from wenhen.runtime.wiring import App


def come_back(product: App, number: int, days: int) -> App:
    """The copy of a case is removed two days after the letter, found again so many days after, and pursued again."""
    gone = replace(product, now=lambda: NOW + timedelta(days=2))
    decide_cases(by(gone), [number], CaseStatus.REMOVED)
    back = replace(product, now=lambda: NOW + timedelta(days=days))
    case = product.store.cases.get(str(number))
    capture = replace(case.capture, fetched_at=back.now() - timedelta(hours=1), body_digest="b" * 64)
    product.store.cases.open_or_update(replace(case, capture=capture))
    decide_cases(by(back), [number], CaseStatus.CONFIRMED)
    return back


def due(product: App) -> list[tuple[ToDo, int | None]]:
    return [(one.what, one.case) for one in list_tasks(product) if one.what in (ToDo.WRITE, ToDo.SEND)]


def test_a_copy_that_came_back_gets_a_second_letter_that_names_the_first_with_both_captures(confirmed: App) -> None:
    [first] = write_notices(by(confirmed), 1)
    assert due(confirmed) == [(ToDo.SEND, None)], "what a draft names is not to be written about"
    sent(confirmed, first)
    before = confirmed.store.cases.get("2").capture
    back = come_back(confirmed, 2, days=9)
    assert due(back) == [(ToDo.WRITE, 2)]
    subject = content.make_notice_subject(back, back.store.cases.get("2"))
    [second] = write_notices(by(back), 2)
    assert [copy.number for copy in subject.copies] == list(second.case_numbers) == [2]
    assert (second.id, second.previous) == ("2026-0002", ("2026-0001",))
    for words in (
        "侵权通知书（第 2 次通知）\n\n编号：2026-0002\n",
        "权利人此前已通知贵方（通知 2026-0001），",
        "抓取时间 2026-03-15 00:30:00（UTC+8），原始内容 SHA-256 " + "b" * 64,
        "\n   重复侵权：曾列入通知 2026-0001（2026-03-06 发出；当时抓取于 2026-03-05 22:30:00（UTC+8），"
        f"原始内容 SHA-256 {before.body_digest}），2026-03-08 确认已删除，现又出现\n\n四、",
    ):
        assert words in second.text, words
    sent(back, second)
    assert back.store.cases.get("2").status is CaseStatus.NOTICE_SENT
    third = come_back(back, 2, days=30)
    [again] = write_notices(by(third), 2)
    assert (again.previous, "第 3 次通知" in again.text) == (("2026-0001", "2026-0002"), True)


def test_a_letter_claims_no_return_that_no_capture_shows(confirmed: App) -> None:
    [first] = write_notices(by(confirmed), 1)
    sent(confirmed, first)
    later = replace(confirmed, now=lambda: NOW + timedelta(days=2))
    decide_cases(by(later), [2], CaseStatus.REMOVED)
    decide_cases(by(later), [2], CaseStatus.CONFIRMED)
    [second] = write_notices(by(later), 2)
    assert "曾列入通知 2026-0001" in second.text
    assert "现又出现" not in second.text


def test_a_case_that_was_closed_and_opened_again_and_one_that_was_refused_may_be_written_about_again(
    confirmed: App,
) -> None:
    [first] = write_notices(by(confirmed), 1)
    sent(confirmed, first)
    decide_cases(by(confirmed), [1], CaseStatus.REFUSED, note="不予删除")
    assert [one.previous for one in write_notices(by(confirmed), 1)] == [(first.id,)]
    with pytest.raises(BadInput, match="notice 2026-0002 names it"):
        write_notices(by(confirmed), 1)
    decide_cases(by(confirmed), [2], CaseStatus.SETTLED, note="赔偿")
    with pytest.raises(BadInput, match="confirm it first"):
        write_notices(by(confirmed), 2)
    decide_cases(by(confirmed), [2], CaseStatus.CONFIRMED)
    [reopened] = write_notices(by(confirmed), 2)
    assert (reopened.case_numbers, "现又出现" in reopened.text) == ((2,), False)
    with pytest.raises(BadInput, match="notice 2026-0001 was sent about it"):
        write_notices(by(confirmed), 3)


def test_a_letter_of_the_dmca_and_one_to_a_search_engine_name_the_first_as_well(confirmed: App) -> None:
    [first] = write_notices(by(confirmed), 1, "google")
    sent(confirmed, first)
    later = replace(confirmed, now=lambda: NOW + timedelta(days=3))
    decide_cases(by(later), [2], CaseStatus.REMOVED)
    with pytest.raises(BadInput, match="pursue it again if the copy came back"):
        write_notices(by(later), 2, "google")
    decide_cases(by(later), [2], CaseStatus.CONFIRMED)
    [second] = write_notices(by(later), 2, "google")
    assert second.case_numbers == (2,)
    assert "DMCA Takedown Notice (notice no. 2) —" in second.text
    assert "repeated: named in notice 2026-0001 (sent 2026-03-06; then captured" in second.text


def test_of_a_letter_that_kept_no_captures_the_last_one_before_it_is_told(confirmed: App) -> None:
    [first] = write_notices(by(confirmed), 1)
    gone = sent(confirmed, first)
    confirmed.store.notices.change(gone, replace(gone, named=()))
    [second] = write_notices(by(come_back(confirmed, 1, days=4)), 1)
    assert "当时抓取于 2026-03-05 22:30:00" in second.text
