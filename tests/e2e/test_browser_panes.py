"""The two texts of a case side by side, which stay together, in a real browser."""

import re

import pytest
from playwright.sync_api import Page, expect

from matcher.model import Change, Passage
from tests.support.browsing.walks import Opener
from tests.support.browsing.windows import NARROW, WIDE
from tests.support.seed import Seeder
from tests.support.way import wait_for
from wenhen.context.store_and_queue import Store

pytestmark = pytest.mark.browser


def wait_for_both_sides(page: Page, number: int) -> None:
    """Return when both anchors of a passage are in view; fails when they do not come there."""
    page.wait_for_function(
        """number => ["p", "w"].every(side => {
            const anchor = document.getElementById(side + number), pane = anchor.closest("[data-pane]");
            const [a, b] = [anchor.getBoundingClientRect(), pane.getBoundingClientRect()];
            return a.top >= b.top - 1 && a.bottom <= b.bottom + 1;
        })""",
        arg=number,
    )


def test_a_passage_brings_its_partner_into_view_in_a_long_chapter(open_browser: Opener) -> None:
    page = open_browser(viewport=WIDE, reduced_motion="reduce").new_page()
    page.goto("/cases/5")
    page.keyboard.press("n")
    expect(page.locator("[data-at]")).to_have_text("1/40")
    page.keyboard.press("p")
    expect(page.locator("[data-at]")).to_have_text("40/40")
    wait_for_both_sides(page, 40)
    page.locator("mark[data-passage='40']").first.click()
    wait_for_both_sides(page, 40)
    page.wait_for_timeout(1200)  # the panes that a key moved follow each other again after a second
    page.locator("#p20").evaluate("anchor => anchor.scrollIntoView()")
    wait_for_both_sides(page, 20)


def in_view(page: Page, pane: int) -> str:
    """The words that are to be seen of one of the two texts."""
    found: str = page.evaluate(
        """pane => {
            const box = document.querySelectorAll("[data-pane]")[pane].getBoundingClientRect();
            const at = (down) => document.caretRangeFromPoint(box.left + box.width / 2, box.top + box.height * down);
            const seen = document.createRange();
            seen.setStart(at(0.1).startContainer, at(0.1).startOffset);
            seen.setEnd(at(0.9).startContainer, at(0.9).startOffset);
            return seen.toString();
        }""",
        pane,
    )
    return found


def test_both_texts_stay_together_inside_a_passage_of_a_whole_chapter(open_browser: Opener, store: Store) -> None:
    """Each line has its number; the page leaves out every ninth, so that the same height is not the same place."""
    lines = [f"第{n}夜，潮水退到第{n * 7}块石头，他把网补了一遍，又把昨日的话想了一遍。\n" for n in range(1_500)]
    work, copy = (
        "".join(lines),
        "".join(line.replace("昨日", f"前{n}天") if n % 50 == 1 else line for n, line in enumerate(lines) if n % 9),
    )
    seed = Seeder(store)
    seed.work("nights", work, title="夜潮")
    whole = Passage(
        page_start=0, page_end=len(copy), work_start=0, work_end=len(work), similarity=0.9, change=Change.LIGHT
    )
    case = seed.case("https://long.example/nights", work_id="nights", text=copy, passages=(whole,))
    page = open_browser(viewport=WIDE, reduced_motion="reduce").new_page()
    page.goto(f"/cases/{case.number}")
    page.locator("[data-compare]").evaluate("compare => compare.scrollIntoView()")

    def nights(pane: int) -> set[int]:
        return {int(number) for number in re.findall(r"第(\d+)夜", in_view(page, pane))}

    def together() -> bool:
        return len(nights(0) & nights(1)) > 4

    for part in (0.8, 0.3):
        page.locator("[data-pane=page]").evaluate(
            "(pane, part) => { pane.scrollTop = part * pane.scrollHeight; }", part
        )
        wait_for(together, "the work follows the page")
    for key, back in (("j", False), ("j", False), ("k", True)):
        before = page.locator("mark.change").inner_text() if page.locator("mark.change").count() else ""
        page.keyboard.press(key)
        expect(page.locator("mark.change")).to_have_count(1)
        expect(page.locator("mark.change")).to_be_in_viewport()
        assert page.locator("mark.change").inner_text() != before or back
        wait_for(together, "both texts stand at the change")
    bar = page.locator("[data-ruler]").bounding_box()
    assert bar
    page.mouse.click(bar["x"] + bar["width"] * 0.6, bar["y"] + bar["height"] - 4)  # on the bar of the work
    wait_for(lambda: together() and all(800 < night < 1_000 for night in nights(1)), "the page follows the work")


def test_both_texts_can_be_read_and_walked_without_script(open_browser: Opener) -> None:
    page = open_browser(viewport=NARROW, java_script_enabled=False).new_page()
    page.goto("/cases/1")
    page.locator("#p2").click()
    expect(page).to_have_url(re.compile("#w2$"))
    expect(page.locator("#w2")).to_be_in_viewport()
