"""Browser windows, how people sign in there, and what is wrong with what they show."""

import os
from pathlib import Path
from typing import Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, ViewportSize, expect

from tests.support.people import PASSWORD

SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
_AXE = Axe()
_RESULTS = {"resultTypes": ["violations"]}
WIDE, NARROW = ViewportSize(width=1440, height=1000), ViewportSize(width=390, height=844)


def sign_in(page: Page, name: str) -> None:
    """By the keyboard alone: the name has the focus."""
    expect(page.locator("#name")).to_be_focused()
    page.keyboard.type(name)
    page.keyboard.press("Tab")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")


def pictured() -> str | None:
    """The folder that pictures are taken into, if any are."""
    return os.environ.get("WENHEN_TEST_PICTURES")


def picture(page: Page, name: str) -> None:
    """A picture for people to look at, if they are wanted: taking it is slow."""
    if folder := pictured():
        test = os.environ["PYTEST_CURRENT_TEST"].rpartition("::")[2].partition(" ")[0]
        page.screenshot(path=Path(folder, f"{test}-{name}.png"), full_page=True)


def violations(page: Page, rule: str = "") -> list[str]:
    """What axe-core finds against WCAG 2 A and AA and its own best practices, and where; or only of this rule."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(_AXE.axe_script)
    only = {"runOnly": {"type": "rule", "values": [rule]}} if rule else {}
    found = page.evaluate("options => axe.run(options).then(found => found.violations)", {**_RESULTS, **only})
    return [f"{one['id']}: {node['html'][:200]}" for one in found for node in one["nodes"]]
