"""No question of the ports reads more than its answer: the server's profiler watches every one of them.

Among so many others that reading them all would show.
"""

from datetime import timedelta
from typing import Any

import pymongo
import pytest

from matcher.model import Candidate, Level
from tests.support.samples import NOON, TEXT, capture, case, digest, draft, fingerprint, licence, match, page_text, site
from tests.support.seed import move_case
from wenhen.analysis.model import ChartPeriod, Scope
from wenhen.cases.model import Amount, AmountKind, CaseConditions, CaseDecision, CaseOrder, CaseStatus
from wenhen.context.store_and_queue import Store
from wenhen.crawls.model import RunKind, RunState
from wenhen.kit.errors import plain_message
from wenhen.kit.mongo.codec import Document
from wenhen.kit.progress import Owner, OwnerKind, Step, Subject, page_id
from wenhen.pages.model import PageFilter, TextSeen
from wenhen.works.repository import find_owned_ids

LATER = NOON + timedelta(days=1)
MINUTE = timedelta(minutes=1)
WORK = OwnerKind.WORK


OTHERS = 30


def put_others(store: Store) -> None:
    """Fill the collections with records that no question asks for, except where it asks for all."""
    later = NOON + 9 * timedelta(days=1)
    for other in (f"other{number}" for number in range(OTHERS)):
        store.works.put_all([draft(other, text=TEXT + other, title="别的")], note=None, step=Step.DONE)
        page = store.pages.put_capture(f"http://o.example/{other}", capture(body_digest=digest(other)), site_id=None)
        store.pages.restart(page.id, Step.DONE)
        number = store.fingerprints.numbers(WORK, 1)[0]
        store.fingerprints.replace(WORK, other, [fingerprint(number, other)])
        store.matches.put(match(other, other))
        store.cases.open_or_update(case(other, other, page_host=other, work_title=other))
        store.sites.put(site(other, due=later))
        store.licences.put(licence(other, url_prefix=f"{other}.example"))
        run = store.runs.start(RunKind.REMATCH, Subject.read(other), NOON)
        store.runs.end(run.id, NOON, {})
        store.comments.add(7, by=other, text="y", moment=NOON)
        store.amounts.add(amount(other, 7, "1999-01-01"))
        store.filters.put(other, "x", "", NOON)
        store.problems.put("crawl", other, plain_message("y"), NOON)
        store.text_tallies.count([text_seen(other)], NOON - 9 * timedelta(days=1))
        store.marks.set(other, {})


def amount(id: str, number: int, day: str) -> Amount:
    return Amount(
        id=id,
        case_number=number,
        page_host=f"{number}.example",
        kind=AmountKind.PAID,
        currency="CNY",
        cents=100,
        day=day,
        note=None,
        by="x",
        at=NOON,
    )


def text_seen(site: str) -> TextSeen:
    return TextSeen(site=site, new=True, length=800, language="zh", script=None, charset=None)


def use_works(store: Store) -> None:
    works = store.works
    for text in (TEXT, TEXT * 2):
        works.put_all([draft(text=text)], note=None, step=Step.FINGERPRINT)
    works.put_all([draft(text=TEXT * 2, title="新")], note=None, step=Step.FINGERPRINT)
    works.get("w1")
    works.many(["w1"])
    works.find(query="雨")
    works.count(query="雨")
    works.find(skip=1)
    works.count()
    works.find_common(query="雨")
    works.count_common()
    works.find_same_texts([digest(TEXT)])
    works.put_all([draft(text=TEXT * 2, title="新"), draft("w2")], note=None, step=Step.FINGERPRINT)
    list(works.ids())
    find_owned_ids(works.table, "河岸")
    works.owners()
    works.set_note("w1", "note")
    works.set_notes(["w1", "w2"], None)
    works.go_on(works.claim_all(["w2"], Step.FINGERPRINT, MINUTE), Step.INDEX, None)
    use_steps(works, "w1", Step.FINGERPRINT)
    works.remove("w1")


def use_steps(steps: Any, id: str, step: Step) -> None:
    claim = steps.claim(id, step, MINUTE)
    steps.extend_all([claim], MINUTE)
    steps.release(claim, due=NOON, problem="x")
    steps.advance(steps.claim(id, step, MINUTE), Step.INDEX)
    steps.set_aside(steps.claim(id, Step.INDEX, MINUTE), "x")
    steps.due(LATER, 10)
    steps.mark_queued([id], NOON)
    steps.set_aside_ids(10)
    steps.count_by_step()
    steps.count_unfinished()
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
        pages.set_texts([(claim, page_text("t"))], next_step, None)
        pages.restart(id, Step.EXTRACT)
    pages.restart(id, Step.LOOK_UP)
    pages.unseen_since(NOON, 10)
    pages.mark_expired(id, NOON, "expired")
    pages.mark_unexpired(id, "expired", Step.LOOK_UP)
    claim = pages.claim(id, Step.LOOK_UP, MINUTE)
    assert claim is not None
    ranked = [Candidate(owner_id="w1", owner_version=1, hits=1, expected=0.1, score=0.5)]
    pages.set_all_candidates([(claim, ranked)], Step.ALIGN, None)
    pages.candidates(id)
    pages.captures(id)
    for sought in ({}, {"host": "h"}, {"title": "t"}, {"charset": "c"}, {"status": 200}, {"since": NOON}):
        wanted = PageFilter(**sought)
        pages.search(wanted)
        pages.count_found(wanted, 9)
    pages.many([id])
    pages.first_with_body([digest("b")])
    list(pages.ids())
    pages.count()


def use_fingerprints(store: Store) -> None:
    fingerprints = store.fingerprints
    numbers = fingerprints.numbers(WORK, 3)
    for number in numbers:
        fingerprints.replace(WORK, "w1", [fingerprint(number)])
    fingerprints.of(WORK, "w1")
    fingerprints.names(WORK, numbers)
    fingerprints.work_texts(numbers)
    fingerprints.works(numbers)
    list(fingerprints.all(WORK))
    fingerprints.find_retired(WORK, 10)
    fingerprints.find_retired(WORK, 10, ["w1"])
    fingerprints.count(WORK)
    fingerprints.count_other(WORK, "wenhen-1", {"reading": 1})
    fingerprints.owners_of_other(WORK, "wenhen-1", {"reading": 1}, after="", limit=10)
    fingerprints.forget(WORK, [0])
    fingerprints.replace_all(WORK, {"w1": [fingerprint(fingerprints.numbers(WORK, 1)[0])]})
    fingerprints.of_all(WORK, ["w1", "w2"])
    fingerprints.replace(WORK, "w1", [])


def use_matches_and_cases(store: Store) -> None:
    store.matches.put(match())
    store.matches.get("p1:w1")
    store.matches.of_copy(Owner.of_page("p1"))
    store.matches.of_work("w1")
    list(store.matches.copies())
    store.matches.remove(["p1:w1"])
    cases = store.cases
    cases.open_or_update(case())
    cases.open_or_update(case())
    cases.mark_absent(["p1:w1"], LATER)
    number = str(cases.get("p1:w1").number)
    cases.get(number)
    cases.get("p1:w1")
    move_case(store, number, CaseStatus.CONFIRMED, by="x", reason=None, at=NOON)
    for conditions in (
        {},
        {"status": CaseStatus.CONFIRMED},
        {"host": "news.example"},
        {"work_id": "w1"},
        {"page_id": "p1"},
    ):
        cases.find(**conditions)
        cases.count(**conditions)
    for order in CaseOrder:
        cases.find(status=CaseStatus.CONFIRMED, order=order)
        cases.find(host="news.example", order=order)
        cases.find(work_id="w1", order=order)
        cases.find(holder="河岸", order=order)
    cases.find(order=CaseOrder.LARGEST, limit=1)
    cases.count_by_status()
    cases.count_by_status(licensed=True)
    cases.count_by_status(present=False)
    cases.count_by_status(host="news.example", level=Level.VERBATIM)
    cases.find(status=CaseStatus.CONFIRMED, level=Level.LIGHT)
    cases.find(status=CaseStatus.LEAD, host="news.example", work_id="w1", page_id="p1")
    cases.decide_many([1], CaseDecision(status=CaseStatus.LEAD, by="x", at=NOON), only_from=[*CaseStatus], batch="b")
    cases.undo("b", within=list(CaseStatus), moment=LATER)
    cases.assign([1], "李", moment=NOON)
    cases.set_licence("p1:w1", None, None, NOON)
    cases.set_clusters({"p1": None})
    cases.many([1])
    list(cases.each())
    list(cases.each(status=CaseStatus.CONFIRMED))


def use_lists_of_cases(store: Store) -> None:
    """Every condition that a list may have, in every order."""
    store.cases.open_or_update(case(cluster_id="c1"))
    conditions: list[CaseConditions] = [
        {},
        {"status": CaseStatus.LEAD},
        {"hosts": ["news.example"]},
        {"cluster_id": "c1"},
        {"credited": False},
        {"licensed": False},
        {"assignee": "李"},
        {"assignee": ""},
        {"removal": True},
        {"score_from": 0.2, "score_to": 0.9},
        {"share_from": 0.2, "share_to": 0.9},
        {"since": NOON, "until": LATER},
        {"text": "檐雨"},
        {"copies": True},
        {"confirmed": True, "licensed": False},
        {"status": CaseStatus.LEAD, "level": Level.LIGHT, "present": True, "licensed": False, "score_to": 0.9},
    ]
    for where in conditions:
        for order in CaseOrder:
            store.cases.keys(limit=100, order=order, **where)
        store.cases.count(**where)
        store.cases.count_by_status(**where)


def use_figures(store: Store) -> None:
    store.cases.open_or_update(case(opened_at=LATER))
    figures = store.figures
    for scope in (
        Scope(since=LATER, until=LATER + MINUTE),
        Scope(since=LATER, host="news.example", level=Level.LIGHT),
        Scope(since=LATER, work_id="w1", confirmed=True),
        Scope(since=LATER, holder="河岸"),
    ):
        store.text_tallies.figures(NOON.date(), NOON.date(), site=scope.host)
        figures.over_time(scope, ChartPeriod.WEEK)
        figures.of_copies(scope, 10)
        figures.changes(scope)
        figures.sites(scope, 5)
        figures.works(scope, 5)
    figures.shares_of_page(CaseStatus.LEAD, 10)
    figures.hosts(5)
    figures.works(Scope(), 5)


def use_the_small_ones(store: Store) -> None:
    store.blobs.get(store.blobs.put(b"content"))
    store.blobs.put(b"content")
    store.sites.put(site())
    store.sites.get("s1")
    store.sites.all()
    store.sites.change("s1", {"notes": "x"})
    store.sites.due(LATER)
    store.sites.move_due("s1", NOON, LATER)
    store.sites.set_last_run("s1", "r1")
    store.sites.remove("s1")
    store.licences.put(licence())
    store.licences.all()
    store.licences.find_covering("http://paper.example/", "w1", NOON)
    store.licences.remove("l1")
    run = store.runs.start(RunKind.CRAWL, None, NOON)
    store.runs.beat(run.id, NOON, {})
    store.runs.recent()
    store.runs.recent(kind=RunKind.CRAWL)
    store.runs.recent(kind=RunKind.CRAWL, subject=Subject.read("s1"))
    store.runs.active(RunKind.CRAWL)
    store.runs.move(run.id, {RunState.GOING}, RunState.PAUSED, NOON)
    store.runs.take_silent(run.id, NOON, NOON)
    store.runs.lose(run.id, NOON)
    store.runs.end_lost(RunKind.CRAWL, LATER)
    store.runs.end(run.id, NOON, {})
    store.comments.add(1, by="x", text="y", moment=NOON)
    store.comments.of_case(1)
    store.amounts.add(amount("a1", 1, "2026-01-01"))
    store.amounts.of_case(1)
    store.figures.money(Scope(since=NOON - 9 * timedelta(days=1)))
    store.figures.money_of_hosts(["copies.example"])
    store.filters.remove(store.filters.put("x", "y", "", NOON).id, "x")
    store.filters.of_user("x")
    store.problems.put("import", "x", plain_message("y"), NOON)
    store.problems.recent()
    store.problems.count()
    store.problems.clear("import", "x")
    store.marks.set("m", {})
    store.marks.get("m")
    store.marks.claim("m", NOON, MINUTE)


@pytest.mark.parametrize(
    "use",
    [
        use_works,
        use_pages,
        use_fingerprints,
        use_matches_and_cases,
        use_lists_of_cases,
        use_figures,
        use_the_small_ones,
    ],
)
def test_no_question_reads_more_than_its_answer(store: Store, mongo_url_and_db: tuple[str, str], use: Any) -> None:
    url, database = mongo_url_and_db
    put_others(store)
    with pymongo.MongoClient[Document](url) as client:
        client[database].command("profile", 2)
        use(store)
        client[database].command("profile", 0)
        watched = list(client[database]["system.profile"].find({"planSummary": {"$exists": True}}))
    assert len(watched) >= 15, "the profiler saw the questions"
    assert [_told(one) for one in watched if "COLLSCAN" in one["planSummary"]] == []
    # Only groups, keys that an index holds whole, and what was found by words, by a cluster or in a range, are sorted
    # after they were read.
    assert [_told(one) for one in watched if one.get("hasSortStage") and not _few(one["command"])] == []
    assert [_told(one) for one in watched if _read_in_vain(one) > 5 and "$regex" not in str(one["command"])] == []


_SORTED = ("terms", "cluster_id", "match.score", "match.share_of_page", "opened_at")


def _few(command: Document) -> bool:
    return not {"pipeline", "projection"}.isdisjoint(command) or any(
        name in str(command.get("filter")) for name in _SORTED
    )


def _read_in_vain(watched: Document) -> int:
    """The documents that were read, and neither given back nor changed."""
    used: int = sum(watched.get(name, 0) for name in ("nreturned", "nMatched", "ndeleted"))
    read: int = watched.get("docsExamined", 0)
    return read - used


def _told(watched: Document) -> tuple[str, str, object]:
    return watched["ns"], watched["planSummary"], watched["command"]
