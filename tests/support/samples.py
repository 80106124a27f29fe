"""Records for the contract tests; whatever a test does not speak of has a plain value."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from threading import Barrier
from typing import Any, TypeVar

from crawler.capture import Capture
from matcher.model import Change, Level, Match, Passage
from wenhen.cases.model import Case, CaseStatus
from wenhen.fingerprints.model import Fingerprint
from wenhen.kit.errors import plain_message
from wenhen.kit.progress import OwnerKind, Progress, Step
from wenhen.licences.model import Licence
from wenhen.pages.model import Page, PageText
from wenhen.sites.model import Site
from wenhen.works.model import WorkDraft

T = TypeVar("T")
NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
TEXT = "檐下的雨落了一夜，天亮时石阶上积着薄薄的水，映出半截断墙和一枝早开的杏花。"


class TurnedClock:
    """A clock that stands still until a test turns it."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now

    def turn(self, **by: float) -> datetime:
        self.now += timedelta(**by)
        return self.now


def at_once(*actions: Callable[[], T]) -> list[T]:
    """Do all of these at the same moment, each in a thread of its own; their results in order."""
    barrier = Barrier(len(actions))

    def do(action: Callable[[], T]) -> T:
        barrier.wait()
        return action()

    with ThreadPoolExecutor(len(actions)) as threads:
        return list(threads.map(do, actions))


def draft(id: str = "w1", **values: Any) -> WorkDraft:
    return WorkDraft(**{"id": id, "title": "檐雨", "text": TEXT, **values})


def page_text(text: str | None, **values: Any) -> PageText:
    """What was read from a page."""
    plainly: dict[str, Any] = {"title": "题", "author": None, "published_at": None, "charset": "gbk", "note": None}
    return PageText(text_digest=digest(text) if text else None, length=len(text or ""), **{**plainly, **values})


def capture(**values: Any) -> Capture:
    return Capture(
        **{
            "fetched_at": NOON,
            "url": "http://news.example/a",
            "status": 200,
            "headers": (("Content-Type", "text/html; charset=gbk"), ("Set-Cookie", "a=1")),
            "body_digest": digest("body"),
            "body_size": 1234,
            "server_address": "192.0.2.7",
            "problems": (plain_message("charset_lied"),),
            **values,
        }
    )


def page(**values: Any) -> Page:
    return Page(
        **{
            "id": "p1",
            "url": "http://news.example/a",
            "host": "news.example",
            "site_id": None,
            "version": 1,
            "capture": capture(),
            "progress": Progress(step=Step.EXTRACT, due=NOON),
            "first_seen": NOON,
            "updated_at": NOON,
            **values,
        }
    )


def digest(content: str) -> str:
    return sha256(content.encode()).hexdigest()


def fingerprint(number: int, owner_id: str = "w1", **values: Any) -> Fingerprint:
    kind, version, segment = (
        values.get("kind", OwnerKind.WORK),
        values.get("owner_version", 1),
        values.get("segment", 0),
    )
    return Fingerprint(
        **{
            "id": f"{kind}:{owner_id}:{version}:{segment}",
            "kind": kind,
            "owner_id": owner_id,
            "owner_version": version,
            "segment": segment,
            "start": 0,
            "letters": 600,
            "number": number,
            "scheme": "frequency",
            "parameters": {"window": 12, "letters": ["b", "p"]},
            "positions": b"\x00\x00\x07\x00",
            "values": bytes(range(16)),
            **values,
        }
    )


def match(page_id: str = "p1", work_id: str = "w1", **values: Any) -> Match:
    return Match(
        **{
            "id": f"{page_id}:{work_id}",
            "page_id": page_id,
            "page_version": 1,
            "work_id": work_id,
            "work_version": 1,
            "page_fingerprints": (f"page:{page_id}:1:0",),
            "work_fingerprints": (f"work:{work_id}:1:0", f"work:{work_id}:1:1"),
            "hits": 40,
            "similarity": 0.97,
            "score": 0.99,
            "weight": 240.0,
            "share_of_page": 0.8,
            "share_of_work": 1.0,
            "longest_run": 210,
            "level": Level.LIGHT,
            "reasons": ("share_of_page:0.80",),
            "passages": (
                Passage(page_start=3, page_end=213, work_start=0, work_end=210, similarity=1.0, change=Change.VERBATIM),
            ),
            "matched_at": NOON,
            **values,
        }
    )


def case(page_id: str = "p1", work_id: str = "w1", **values: Any) -> Case:
    found = match(page_id, work_id)
    return Case(
        **{
            "id": found.id,
            "number": 0,
            "page_id": page_id,
            "work_id": work_id,
            "status": CaseStatus.LEAD,
            "opened_at": NOON,
            "updated_at": NOON,
            "match": found,
            "capture": capture(),
            "page_url": "http://news.example/a",
            "page_host": "news.example",
            "page_title": "转载",
            "page_text_digest": digest("page text"),
            "work_title": "檐雨",
            "work_text_digest": digest(TEXT),
            **values,
        }
    )


def site(id: str = "s1", **values: Any) -> Site:
    return Site(
        **{
            "id": id,
            "name": "例子网",
            "start_urls": ("http://news.example/",),
            "hosts": ("news.example", "www.news.example"),
            "interval_hours": 24,
            "max_pages": 500,
            "max_depth": 4,
            "added_at": NOON,
            "due": NOON,
            **values,
        }
    )


def licence(id: str = "l1", **values: Any) -> Licence:
    return Licence(**{"id": id, "licensee": "晨报", "url_prefix": "paper.example", "work_id": None, **values})
