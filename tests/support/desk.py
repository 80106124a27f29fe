"""The dashboard over a varied store, beside the database under it, to compare what both say."""

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pymongo
from flask.testing import FlaskClient

from tests.support.seed import NOW, healthy, product_over
from tests.support.servers.databases import lent_database
from tests.support.servers.shared_apps import made
from tests.support.shown import Shown, shown
from tests.support.varied import fill
from wenhen.cases.model import CaseStatus
from wenhen.reports.wording import catalogue
from wenhen.runtime.embedded.servers import ServerAddresses
from wenhen.runtime.store import open_store
from wenhen.runtime.wiring import App

Document = dict[str, Any]
NO_COPY = ("dismissed", "suspected")
UNLICENSED: Document = {"$nor": [{"licence_id": {"$ne": None}, "credited": {"$ne": False}}]}
COPIES: Document = {"status": {"$nin": NO_COPY}, **UNLICENSED}
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


@dataclass(frozen=True)
class Desk:
    """The dashboard as a program without script reads it, and the database under it."""

    client: FlaskClient
    db: Any

    def go(self, address: str) -> Shown:
        """Open a screen, in English."""
        answer = self.client.get(address + ("&" if "?" in address else "?") + "lang=en")
        assert answer.status_code == 200, address
        return shown(answer.text)

    def listed(self, address: str) -> set[int]:
        """The numbers of all cases of a list, folded ones and those on its further pages as well."""
        numbers: set[int] = set()
        path = address.split("?", maxsplit=1)[0]
        while True:
            list_ = self.go(address)
            for box in list_.locator("input[name=case]").all():
                numbers |= set(map(int, (box.get_attribute("value") or "").split(",")))
            following = list_.locator("a[rel=next]")
            if not following.count():
                return numbers
            address = path + href(following)

    def cases(self, filter: Document) -> list[Document]:
        """The cases that fit, as they are stored."""
        return list(self.db.cases.find(filter))

    def numbers(self, filter: Document) -> set[int]:
        """Their numbers."""
        return {case["number"] for case in self.cases(filter)}


@contextmanager
def varied_product(servers: ServerAddresses) -> Iterator[tuple[App, Any]]:
    """The product over a varied store, to be looked at and not changed; and its database."""
    with (
        lent_database(servers.mongo_url) as name,
        closing(open_store(servers.mongo_url, name)) as store,
        pymongo.MongoClient[Document](servers.mongo_url, tz_aware=True) as client,
        product_over(store, f"{servers.redis_url}?db=8") as product,
    ):
        fill(store)
        yield replace(product, now=lambda: NOW), client[name]


@contextmanager
def desk_over(servers: ServerAddresses) -> Iterator[Desk]:
    """A dashboard over a varied store."""
    with varied_product(servers) as (product, db):
        yield Desk(made(product, healthy, sign_in=False).test_client(), db)


def number(where: Shown) -> int:
    """The last number of a text."""
    return int(re.findall(r"[\d,]+", where.inner_text())[-1].replace(",", ""))


def href(link: Shown) -> str:
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


def titles(page: Shown, chart: str) -> list[str]:
    """What the columns of a chart say when they are pointed at."""
    return page.locator(f"section[aria-labelledby={chart}] svg title").all_inner_texts()


def english(key: str) -> str:
    """What the dashboard calls it."""
    return catalogue().text("en", key)


WORDS = {english(f"status.{status}"): str(status) for status in CaseStatus}


def stacked(page: Shown, chart: str) -> Counter[tuple[str, str]]:
    """The pieces of a chart of stacked columns, by label and status."""
    counts: Counter[tuple[str, str]] = Counter()
    for title in titles(page, chart):
        label, rest = title.split(" · ")
        words, count = rest.rsplit(" ", 1)
        counts[label, WORDS[words]] += int(count.replace(",", ""))
    return counts


def plain(page: Shown, chart: str) -> list[int]:
    """The numbers that stand as a table under a chart of one kind."""
    cells = page.locator(f"section[aria-labelledby={chart}] table td").all_inner_texts()
    return [int(cell.replace(",", "")) for cell in cells]
