"""What a further capture makes of a page, as it is worked out without a database."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from crawler.capture import Capture
from tests.support.samples import NOON, capture, digest, page
from wenhen.kit.errors import plain_message
from wenhen.kit.progress import Progress, Step
from wenhen.pages.model import Page
from wenhen.pages.rules import capture_id, is_same_content, is_superseded, update_page

HOUR = timedelta(hours=1)
READ = page(progress=Progress(step=Step.DONE, due=NOON), look_at=NOON + 24 * HOUR)


def again(before: Page, taken: Capture, *, known: bool = False) -> Page:
    return update_page(before, taken, known=known, site_id=None, now=NOON + HOUR)


@pytest.mark.parametrize(
    ("values", "same"),
    [
        ({"fetched_at": NOON + HOUR, "status": 404, "headers": ()}, True),
        ({"body_digest": digest("other")}, False),
        ({"rendered_digest": digest("other")}, False),
    ],
)
def test_captures_hold_the_same_by_what_a_text_is_read_from(values: dict[str, Any], same: bool) -> None:
    assert is_same_content(capture(), capture(**values)) is same


def test_a_capture_of_the_same_body_in_the_same_millisecond_is_the_same_capture() -> None:
    taken = capture()
    assert capture_id("p", taken) == capture_id("p", replace(taken, fetched_at=NOON + timedelta(microseconds=999)))
    assert capture_id("p", taken) != capture_id("p", replace(taken, fetched_at=NOON + timedelta(milliseconds=1)))
    assert capture_id("p", taken) != capture_id("p", capture(body_digest=digest("other")))
    assert capture_id("p", taken) != capture_id("q", taken)


def test_other_content_is_read_and_the_next_look_waits_for_what_it_says() -> None:
    after = again(READ, capture(fetched_at=NOON + HOUR, body_digest=digest("other")))
    assert (after.progress.step, after.captures, after.look_at) == (Step.EXTRACT, 2, READ.look_at)


def test_the_same_content_is_not_read_and_puts_the_next_look_off() -> None:
    after = again(READ, capture(fetched_at=NOON + HOUR))
    assert (after.progress, after.captures) == (READ.progress, 2)
    assert after.look_at == NOON + HOUR + 36 * HOUR


def test_a_page_that_was_set_aside_is_tried_again_with_the_same_content() -> None:
    aside = replace(READ, progress=Progress(step=Step.SET_ASIDE, due=NOON, problem=plain_message("broken")))
    assert again(aside, capture(fetched_at=NOON + HOUR)).progress == Progress(step=Step.EXTRACT, due=NOON + HOUR)


def test_an_older_capture_joins_the_history_and_changes_nothing_else() -> None:
    late = capture(fetched_at=NOON - HOUR, body_digest=digest("other"))
    assert again(READ, late) == replace(READ, captures=2)
    assert again(READ, late, known=True) == READ


def test_a_capture_may_go_when_a_newer_one_is_there_and_nobody_cites_it() -> None:
    old = capture(rendered_digest=digest("rendered"))
    assert is_superseded(old, NOON + HOUR, {digest("other")})
    assert not is_superseded(old, NOON, ())
    assert not is_superseded(old, NOON + HOUR, {digest("rendered")})
    assert not is_superseded(old, NOON + HOUR, {digest("body")})


def test_of_the_cookies_that_a_site_sets_a_capture_keeps_the_names_alone() -> None:
    kept = capture(headers=(("SET-COOKIE", "sid=7f5e0c=; Path=/; HttpOnly"), ("set-cookie", "a"), ("Server", "x=y")))
    assert kept.headers == (("SET-COOKIE", "sid=***; Path=/; HttpOnly"), ("set-cookie", "***"), ("Server", "x=y"))
