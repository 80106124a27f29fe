"""Fill a store with synthetic works, pages and cases, as after years of use."""

import random
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Final

from pymongo import MongoClient, WriteConcern

from crawler.capture import Capture
from matcher.model import Change, Level, Match, Passage
from wenhen.cases.model import Case, CaseStatus
from wenhen.cases.rules import case_worth
from wenhen.kit.mongo.codec import Document, encode, to_document
from wenhen.kit.progress import Progress, Step
from wenhen.kit.text import search_terms

CountCallback = Callable[[int], None]
STORE_SEED: Final = 17
BATCH_DOCUMENTS: Final = 5_000
STORE_TIME: Final = datetime(2026, 3, 5, 4, tzinfo=UTC)
HOST_COUNT: Final = 400
_TITLE_CHARACTERS: Final = "河岸渡口风雨灯塔旧书店春秋山城夜航码头石阶杏花长街信纸木凳桥影云水初晴远行归人"
_DECIDED_STATUSES: Final = (
    [CaseStatus.CONFIRMED] * 4
    + [CaseStatus.DISMISSED] * 3
    + [CaseStatus.NOTICE_SENT, CaseStatus.REMOVED, CaseStatus.QUIET]
)
_NOTICE_PATH: Final = (CaseStatus.CONFIRMED, CaseStatus.NOTICE_SENT)
_STATUS_PATHS: Final[dict[CaseStatus, tuple[CaseStatus, ...]]] = {  # other statuses take one move
    CaseStatus.LEAD: (),
    CaseStatus.NOTICE_SENT: _NOTICE_PATH,
    CaseStatus.REMOVED: (*_NOTICE_PATH, CaseStatus.REMOVED),
}


def fill_store(
    url: str, database: str, *, pages: int, works: int, cases: int, texts: Sequence[str], put: CountCallback
) -> None:
    """Insert synthetic records into a prepared, empty database. `put` receives the number of each batch.

    texts: digests of stored texts, which works and pages of cases take in turn.
    """
    with MongoClient[Document](url) as client:
        there = client.get_database(database)
        quick = WriteConcern(w=1, j=False)
        makers = (
            ("works", _work_documents(works, texts[0])),
            ("pages", _page_documents(pages)),
            ("cases", _case_documents(cases, works, pages, texts)),
        )
        for name, documents in makers:
            collection = there.get_collection(name, write_concern=quick)
            while batch := list(islice(documents, BATCH_DOCUMENTS)):
                collection.insert_many(batch, ordered=False, bypass_document_validation=True)
                put(len(batch))
        there.get_collection("counters").insert_one({"_id": "case", "next": cases})
        there.get_collection("marks").delete_one({"_id": "tallies"})  # so that the store counts the inserted records


def generate_title(number: int) -> str:
    """Return a short title, the same for the same number."""
    chosen = random.Random(number)
    return "".join(chosen.choices(_TITLE_CHARACTERS, k=6)) + str(number % 1000)


def _done_progress(due: datetime) -> Document:
    progress: Document = encode(Progress(step=Step.DONE, due=due))
    return progress | {"token": None, "lease_until": None}


def _work_documents(count: int, text_digest: str) -> Iterator[Document]:
    for n in range(count):
        moment = STORE_TIME - timedelta(minutes=n)
        name = generate_title(n)
        yield {
            "_id": f"w{n}",
            "title": name,
            "author": f"作者{n % 900}",
            "owner": "河岸文艺社",
            "kind": "essay",
            "series": f"丛书{n % 5000}" if n % 3 == 0 else None,
            "chapter": n % 40,
            "url": None,
            "published_at": moment,
            "origin": None,
            "version": 1,
            "text_digest": text_digest,
            "length": 2000 + n % 5000,
            "progress": _done_progress(moment),
            "stored_at": moment,
            "updated_at": moment,
            "note": None,
            "removed_at": None,
            "removed": False,
            "terms": search_terms(name, f"作者{n % 900}", f"w{n}"),
            "versions": [{"version": 1, "text_digest": text_digest, "length": 2000, "stored_at": moment}],
        }


def _page_url(n: int) -> str:
    return f"https://host{n % HOST_COUNT}.example/a/{n}.html"


def _make_capture(n: int, fetched_at: datetime) -> Capture:
    return Capture(
        fetched_at=fetched_at,
        url=_page_url(n),
        status=200,
        headers=(("Server", "nginx"), ("Content-Type", "text/html")),
        body_digest=f"{n:064x}",
        body_size=9_000,
        server_address="198.51.100.7",
    )


def _page_documents(count: int) -> Iterator[Document]:
    like: Document = encode(_make_capture(0, STORE_TIME))
    for n in range(count):
        moment = STORE_TIME - timedelta(seconds=30 * n)
        capture = {**like, "fetched_at": moment, "url": _page_url(n), "body_digest": f"{n:064x}"}
        yield {
            "_id": f"{n:032x}",
            "url": capture["url"],
            "host": f"host{n % HOST_COUNT}.example",
            "site_id": None,
            "version": 1,
            "capture": capture,
            "progress": _done_progress(moment),
            "first_seen": moment,
            "updated_at": moment,
            "title": generate_title(n),
            "author": None,
            "published_at": None,
            "charset": "utf-8",
            "text_digest": f"{n:064x}",
            "length": 2000,
            "note": None,
            "captures": 1,
            "candidates": [],
            "finished_version": 1,
        }


def _case_documents(count: int, works: int, pages: int, texts: Sequence[str]) -> Iterator[Document]:
    """Yield cases: every third page copies two works, every twentieth is in a cluster, and two of five are decided."""
    chosen = random.Random(STORE_SEED)
    like = to_document(_case_template())
    for n in range(1, count + 1):
        page, work = (n - n % 3 // 2) % pages, int(works * chosen.random() ** 3)  # a few works are copied much more
        share, status = chosen.random(), CaseStatus.LEAD if n % 5 > 1 else chosen.choice(_DECIDED_STATUSES)
        of = {"page_id": f"{page:032x}", "work_id": f"w{work}"}
        match = {
            **of,
            "score": 0.2 + 0.8 * chosen.random(),
            "share_of_page": share,
            "share_of_work": share / 2,
            "level": chosen.choice(list(Level)[:3]).value,
        }
        yield {
            **like,
            **of,
            **_case_labels(n, page, work),
            **_case_history(status, STORE_TIME - timedelta(minutes=10 * (count - n))),
            "_id": f"{page:032x}:w{work}:{n}",
            "number": n,
            "match": {**like["match"], **match},
            # A few sites have most of the copies.
            "page_host": f"host{min(int(chosen.paretovariate(0.7)), HOST_COUNT) - 1}.example",
            "page_text_digest": texts[n % len(texts)],
            "worth": case_worth(share_of_page=share, share_of_work=share / 2, weight=like["match"]["weight"]),
        }


def _case_history(status: CaseStatus, opened: datetime) -> Document:
    """Return the status of a case, and its history."""
    moves = [
        {"status": passed.value, "at": opened + timedelta(days=day), "by": "沈", "note": None}
        for day, passed in enumerate(_STATUS_PATHS.get(status, (status,)))
    ]
    return {"status": status.value, "history": moves, "opened_at": opened, "updated_at": opened}


def _case_labels(n: int, page: int, work: int) -> Document:
    """Return the labels of a case from its page and work."""
    url, names = _page_url(page), (generate_title(page), generate_title(work))
    return {
        "page_url": url,
        "page_title": names[0],
        "work_title": names[1],
        "work_text_digest": f"{work:064x}",
        "present": n % 11 > 0,
        "licence_id": "l1" if n % 50 == 0 else None,
        "licensed": n % 50 == 0,
        "cluster_id": f"c{n % 600}" if n % 20 == 0 else None,
        "assignee": ("沈", "李", None, None)[n % 4],
        "assigned": n % 4 < 2,
        "terms": search_terms(*names, url),
    }


def _case_template() -> Case:
    """Return the common fields of all cases."""
    return Case(
        id="",
        number=0,
        page_id="",
        work_id="",
        status=CaseStatus.LEAD,
        opened_at=STORE_TIME,
        updated_at=STORE_TIME,
        match=_match_template(),
        capture=_make_capture(0, STORE_TIME),
        page_url="",
        page_host="",
        page_title=None,
        page_text_digest="",
        work_title="",
        work_text_digest="",
    )


def _match_template() -> Match:
    spans = [(start, start + 60) for start in range(0, 600, 75)]
    return Match(
        id="",
        page_id="",
        page_version=1,
        work_id="",
        work_version=1,
        page_fingerprints=(),
        work_fingerprints=(),
        hits=40,
        similarity=0.9,
        score=0.9,
        weight=200.0,
        share_of_page=0.5,
        share_of_work=0.5,
        longest_run=100,
        level=Level.LIGHT,
        reasons=("share_of_page:0.50",),
        passages=tuple(
            Passage(page_start=a, page_end=b, work_start=a, work_end=b, similarity=0.9, change=Change.LIGHT)
            for a, b in spans
        ),
        matched_at=STORE_TIME,
    )
