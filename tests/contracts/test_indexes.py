"""No question of the ports reads a whole collection: the server's profiler watches every one of them."""

from datetime import timedelta
from typing import Any

import pymongo
import pytest

from store.identity import page_id
from store.mongo.codec import Document
from store.ports import Store
from store.records import Candidate, CaseStatus, OwnerKind, RunKind, Step
from tests.contracts.samples import NOON, TEXT, capture, case, digest, draft, fingerprint, licence, match, site

LATER = NOON + timedelta(days=1)
MINUTE = timedelta(minutes=1)
WORK = OwnerKind.WORK


def use_works(store: Store) -> None:
    works = store.works
    for text in (TEXT, TEXT * 2):
        works.put(draft(text=text), note=None, step=Step.FINGERPRINT)
    works.put(draft(text=TEXT * 2, title="新"), note=None, step=Step.FINGERPRINT)
    works.get("w1")
    works.many(["w1"])
    works.find(query="雨")
    works.count(query="雨")
    works.find(skip=1)
    works.count()
    works.find_same_text(digest(TEXT), "檐雨")
    list(works.ids())
    works.set_note("w1", "note")
    use_steps(works, "w1", Step.FINGERPRINT)
    works.remove("w1")


def use_steps(steps: Any, id: str, step: Step) -> None:
    claim = steps.claim(id, step, MINUTE)
    steps.extend(claim, MINUTE)
    steps.release(claim, due=NOON, problem="x")
    steps.advance(steps.claim(id, step, MINUTE), Step.INDEX)
    steps.set_aside(steps.claim(id, Step.INDEX, MINUTE), "x")
    steps.due(LATER, 10)
    steps.queued([id], NOON)
    steps.set_aside_ids(10)
    steps.count_by_step()
    steps.restart(id, step, only_from={Step.SET_ASIDE})
    steps.restart(id, step)


def use_pages(store: Store) -> None:
    pages, url = store.pages, "http://news.example/a"
    id = page_id(url)
    for minute in (0, 2, 1):
        pages.put_capture(url, capture(fetched_at=NOON + minute * MINUTE), site_id=None)
    use_steps(pages, id, Step.EXTRACT)
    for next_step in (Step.LOOK_UP, Step.DONE):
        claim = pages.claim(id, Step.EXTRACT, MINUTE)
        assert claim is not None
        values: dict[str, Any] = dict.fromkeys(("title", "author", "published_at", "charset", "note"))
        pages.set_text(claim, text_digest=digest("t"), length=1, next_step=next_step, **values)
        pages.restart(id, Step.EXTRACT)
    pages.restart(id, Step.LOOK_UP)
    claim = pages.claim(id, Step.LOOK_UP, MINUTE)
    assert claim is not None
    pages.set_candidates(
        claim, [Candidate(owner_id="w1", owner_version=1, hits=1, expected=0.1, score=0.5)], Step.ALIGN
    )
    pages.candidates(id)
    pages.captures(id)
    pages.find(skip=1)
    pages.many([id])
    list(pages.ids())
    pages.count()


def use_fingerprints(store: Store) -> None:
    fingerprints = store.fingerprints
    fingerprints.numbers(WORK, 3)
    for number in range(3):
        fingerprints.replace(WORK, "w1", [fingerprint(number)])
    fingerprints.of(WORK, "w1")
    fingerprints.owners(WORK, [0, 1, 2])
    list(fingerprints.all(WORK))
    fingerprints.retired(WORK, 10)
    fingerprints.retired(WORK, 10, "w1")
    fingerprints.count(WORK)
    fingerprints.forget(["work:w1:1:0"])
    fingerprints.replace(WORK, "w1", [])


def use_matches_and_cases(store: Store) -> None:
    store.matches.put(match())
    store.matches.get("p1:w1")
    store.matches.of_page("p1")
    store.matches.of_work("w1")
    store.matches.remove(["p1:w1"])
    cases = store.cases
    cases.open_or_update(case())
    cases.open_or_update(case())
    cases.mark_absent(["p1:w1"], LATER)
    cases.get("1")
    cases.get("p1:w1")
    cases.decide("1", CaseStatus.CONFIRMED, by="x", reason=None, at=NOON)
    for conditions in ({}, {"status": CaseStatus.LEAD}, {"host": "h"}, {"work_id": "w"}, {"page_id": "p"}):
        cases.find(**conditions)
        cases.count(**conditions)
    cases.find(status=CaseStatus.LEAD, host="h", work_id="w", page_id="p")
    list(cases.each())
    list(cases.each(status=CaseStatus.LEAD))
    cases.top("page_host", 5)
    cases.top("work_title", 5)


def use_the_small_ones(store: Store) -> None:
    store.blobs.get(store.blobs.put(b"content"))
    store.blobs.put(b"content")
    store.sites.put(site())
    store.sites.get("s1")
    store.sites.all()
    store.sites.claim_due(LATER)
    store.sites.set_last_run("s1", "r1")
    store.sites.remove("s1")
    store.licences.put(licence())
    store.licences.all()
    store.licences.covering("http://paper.example/", "w1", NOON)
    store.licences.remove("l1")
    run = store.runs.start(RunKind.CRAWL, None, NOON)
    store.runs.beat(run.id, NOON, {})
    store.runs.recent()
    store.runs.recent(kind=RunKind.CRAWL)
    store.runs.end_lost(LATER)
    store.runs.end(run.id, NOON, {})
    store.problems.put("import", "x", "y", NOON)
    store.problems.recent()
    store.problems.count()
    store.problems.clear("import", "x")
    store.marks.set("m", {})
    store.marks.get("m")
    store.marks.claim("m", NOON, MINUTE)


@pytest.mark.parametrize("use", [use_works, use_pages, use_fingerprints, use_matches_and_cases, use_the_small_ones])
def test_every_question_is_answered_through_an_index(store: Store, mongo_url_and_db: tuple[str, str], use: Any) -> None:
    url, database = mongo_url_and_db
    with pymongo.MongoClient[Document](url) as client:
        client[database].command("profile", 2)
        use(store)
        client[database].command("profile", 0)
        watched = list(
            client[database]["system.profile"].find({"op": {"$in": ["query", "command", "update", "remove"]}})
        )
    plans = [(one["ns"], one.get("planSummary", ""), one.get("command")) for one in watched]
    assert sum("IXSCAN" in plan or "IDHACK" in plan for _, plan, _ in plans) >= 15, "the profiler saw the questions"
    assert [one for one in plans if "COLLSCAN" in one[1]] == []
    assert [one["command"] for one in watched if one.get("hasSortStage") and "pipeline" not in one["command"]] == []
