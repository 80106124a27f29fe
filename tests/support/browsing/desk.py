"""The dashboard over a varied store in a browser, beside the database under it, to compare what both say."""

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, date, datetime, timedelta
from typing import Any, NamedTuple

import pymongo
from playwright.sync_api import Browser, Locator, Page
from selectolax.lexbor import LexborHTMLParser

from dashboard.frame.language import catalogue
from store.mongo import open_store
from store.records import CaseStatus
from tests.support.seed import NOW, product_over
from tests.support.servers.databases import lent_database
from tests.support.servers.served import dashboard_over
from tests.support.varied import fill
from wenhen.embedded import Addresses

Document = dict[str, Any]
NO_COPY = ("dismissed", "suspected")
COPIES: Document = {"status": {"$nin": NO_COPY}, "licence_id": None}
CONFIRMED: Document = {
    "status": {
        "$in": [
            "confirmed",
            "notice_sent",
            "removed",
            "refused",
            "escalated",
            "countered",
            "court",
            "settled",
            "licensed",
            "closed",
        ]
    }
}
TOGETHER = ["copies.example", "m.copies.example"]


class Desk(NamedTuple):
    """A browser's page on the dashboard, and the database under it."""

    page: Page
    db: Any

    def go(self, address: str) -> Page:
        """Open a screen, in English."""
        answer = self.page.goto(address + ("&" if "?" in address else "?") + "lang=en")
        assert answer is not None
        assert answer.status == 200, address
        return self.page

    def listed(self, address: str) -> set[int]:
        """The numbers of all cases of a list, folded ones and those on its further pages as well."""
        numbers: set[int] = set()
        path = address.split("?", maxsplit=1)[0]
        while True:
            answer = self.page.request.get(address)
            assert answer.status == 200, address
            list_ = LexborHTMLParser(answer.text())
            for box in list_.css("input[name=case]"):
                numbers |= set(map(int, (box.attributes["value"] or "").split(",")))
            following = list_.css_first("a[rel=next]")
            if following is None:
                return numbers
            address = path + (following.attributes["href"] or "")

    def cases(self, filter: Document) -> list[Document]:
        """The cases that fit, as they are stored."""
        return list(self.db.cases.find(filter))

    def numbers(self, filter: Document) -> set[int]:
        """Their numbers."""
        return {case["number"] for case in self.cases(filter)}


@contextmanager
def desk_over(browser: Browser, servers: Addresses) -> Iterator[Desk]:
    """A dashboard over a varied store, looked at and not changed."""
    with (
        lent_database(servers.mongo_url) as name,
        closing(open_store(servers.mongo_url, name)) as store,
        pymongo.MongoClient[Document](servers.mongo_url, tz_aware=True) as client,
        product_over(store, f"{servers.redis_url}?db=8") as product,
        dashboard_over(product) as address,
        browser.new_context(base_url=address) as context,
    ):
        fill(store)
        yield Desk(context.new_page(), client[name])


def number(where: Locator) -> int:
    """The last number of a text."""
    return int(re.findall(r"[\d,]+", where.inner_text())[-1].replace(",", ""))


def href(link: Locator) -> str:
    """Where a link leads."""
    found = link.get_attribute("href")
    assert found
    return found


def day_of(at: datetime) -> date:
    """The day in Beijing."""
    return (at + timedelta(hours=8)).date()


def midnight(day: date) -> datetime:
    """Its beginning, in UTC."""
    return datetime(day.year, day.month, day.day, tzinfo=UTC) - timedelta(hours=8)


TODAY = day_of(NOW)


def within(first: date, last: date) -> Document:
    """Opened on these days."""
    return {"opened_at": {"$gte": midnight(first), "$lt": midnight(last + timedelta(days=1))}}


def titles(page: Page, chart: str) -> list[str]:
    """What the columns of a chart say when they are pointed at."""
    found: list[str] = page.locator(f"section[aria-labelledby={chart}] svg title").evaluate_all(
        "titles => titles.map(one => one.textContent)"
    )
    return found


def english(key: str) -> str:
    """What the dashboard calls it."""
    return catalogue().text("en", key)


WORDS = {english(f"status.{status}"): str(status) for status in CaseStatus}


def stacked(page: Page, chart: str) -> Counter[tuple[str, str]]:
    """The pieces of a chart of stacked columns, by label and status."""
    counts: Counter[tuple[str, str]] = Counter()
    for title in titles(page, chart):
        label, rest = title.split(" · ")
        words, count = rest.rsplit(" ", 1)
        counts[label, WORDS[words]] += int(count.replace(",", ""))
    return counts


def plain(page: Page, chart: str) -> list[int]:
    """The numbers that stand as a table under a chart of one kind."""
    cells = page.locator(f"section[aria-labelledby={chart}] table td").all_text_contents()
    return [int(cell.replace(",", "")) for cell in cells]
