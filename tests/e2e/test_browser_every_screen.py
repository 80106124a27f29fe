"""Every screen in a real browser, in both languages, both schemes and at both sizes."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Final

import pytest
from playwright.sync_api import Browser, Page

from tests.support.browsing.every_screen import SCREENS, fill_every_screen
from tests.support.browsing.walks import windows_over
from tests.support.browsing.windows import NARROW, SCHEMES, WIDE, picture, pictured, sign_in, violations
from tests.support.people import add_user
from tests.support.seed import OPENING, Seeder, long_case, product_over
from tests.support.servers.served import dashboard_over
from wenhen.context.store_and_queue import Store
from wenhen.context.use_cases import TrialCrawl
from wenhen.kit.errors import plain_message
from wenhen.kit.rights import Role

pytestmark = pytest.mark.browser

TRIED: Final = TrialCrawl(
    asked=["https://copies.example/", "https://copies.example/a/" + "long-" * 40],
    pages=["https://copies.example/"],
    missed=[("https://copies.example/login", plain_message("too many redirects"))],
)
# Each size and each scheme once: a scheme moves nothing. Pictures are taken of all four.
LOOKS: Final = [
    (window, scheme)
    for window in (WIDE, NARROW)
    for scheme in SCHEMES
    if (window is WIDE) == (scheme == "light") or pictured()
]
# What listens for a change of size or colours has heard of it by then.
TWO_FRAMES: Final = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
TABLE: Final = "id,title\ndock,另一个标题\nnowhere,没有\n"


@pytest.fixture
def walk(browser: Browser, store: Store, redis_url: str) -> Iterator[tuple[Page, Mapping[str, str]]]:
    """A window of the administrator in which nothing may go wrong, over a store that has something for each screen."""
    seed = Seeder(store)
    with product_over(store, redis_url) as opened:
        product = replace(opened, try_out=lambda _: TRIED)
        places = fill_every_screen(seed, product)
        long_case(seed)
        add_user(store, "chief", Role.ADMINISTRATOR, totp_pending="JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP")
        with dashboard_over(product, sign_in=True) as address, windows_over(browser, address) as open_one:
            page = open_one(viewport=WIDE, reduced_motion="reduce").new_page()
            page.goto("/")
            sign_in(page, "chief")
            page.wait_for_url(address + "/")
            yield page, places


# What comes of a form that is sent: where it stands, what is filled in, and the button.
ANSWERS: Final[Mapping[str, tuple[str, Callable[[Page], object], str]]] = {
    "checked": ("/check/", lambda page: page.locator("#text").fill(OPENING * 3), "main form button.main"),
    "fingerprint": (
        "/check/fingerprints/",
        lambda page: page.locator("textarea").evaluate_all(
            "(boxes, text) => boxes.forEach((box) => (box.value = text))", OPENING * 9
        ),
        "main form button.main",
    ),
    "table": (
        "/works/details/",
        lambda page: page.locator("[type=file]").set_input_files(
            {"name": "works.csv", "mimeType": "text/csv", "buffer": TABLE.encode()}
        ),
        "main form button.main",
    ),
    "tried": ("/sites/of/copies", lambda _: None, "form[action*='/sites/try/'] button"),
}


@pytest.mark.parametrize("language", ["zh", "en"])
def test_every_screen_fits_its_window(walk: tuple[Page, Mapping[str, str]], language: str) -> None:
    """Nothing is wider than the window, axe-core finds no fault, and a long text scrolls in its pane."""
    page, places = walk

    def look(name: str) -> None:
        for window, scheme in LOOKS:
            page.set_viewport_size(window)
            page.emulate_media(color_scheme=scheme)
            page.evaluate(TWO_FRAMES)
            picture(page, f"{name}-{window['width']}-{scheme}")
            assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, (name, window)
            if language == "zh":  # the other one has the same pages
                assert violations(page) == [], (name, scheme)

    for name, address in {**SCREENS, "long": "/cases/5"}.items():
        here = address.format(**places)
        page.goto(f"{here}{'&' if '?' in here else '?'}lang={language}")
        look(name)
        assert name != "long" or page.evaluate("document.documentElement.scrollHeight") < 5_500
    for name, (address, fill, button) in ANSWERS.items():
        page.goto(address)
        fill(page)
        page.locator(button).first.click()
        page.wait_for_load_state()
        look(name)
