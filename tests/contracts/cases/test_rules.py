"""Where MongoDB repeats a rule of the domain, so that it can answer for many at once, both give the same answers."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from statistics import fmean
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crawler.capture import Capture
from tests.support.oracles import is_look_due, removal_time, update_found_case
from tests.support.samples import NOON, TurnedClock, capture, case, digest, licence, match
from tests.support.seed import move_case as put_case
from tests.support.varied import fill
from wenhen.analysis.model import Scope
from wenhen.cases.model import Case, CaseDecision, CaseStatus
from wenhen.cases.rules import INFRINGING_STATUSES, is_copy, last_notice_time, move_case, proposed_status
from wenhen.context.store_and_queue import Store
from wenhen.kit.errors import plain_message
from wenhen.kit.progress import Step, page_id
from wenhen.licences.model import Licence, find_covering_licence
from wenhen.pages.model import Page, PageFilter
from wenhen.pages.rules import first_look, update_page
from wenhen.sites.model import join_mirrors, mirror_group

HOUR = timedelta(hours=1)
MILLISECOND = timedelta(milliseconds=1)
law = settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])

taken = st.builds(
    lambda hours, body, rendered: capture(
        fetched_at=NOON + hours * HOUR, body_digest=digest(body), rendered_digest=rendered and digest(rendered)
    ),
    st.integers(-2, 9),
    st.sampled_from(["one", "other"]),
    st.sampled_from([None, "one", "other"]),
)


@law
@given(
    first=taken,
    further=st.lists(st.tuples(taken, st.sampled_from([None, "s2"]), st.booleans()), max_size=5),
    hours=st.sampled_from([0.25, 1.0, 24.0, 300.0]),
)
def test_a_further_capture_makes_of_a_page_what_the_rule_says(
    store: Store,
    clock: TurnedClock,
    first: Capture,
    further: list[tuple[Capture, str | None, bool]],
    hours: float,
) -> None:
    """A capture, the site that it was fetched for, and whether the page is set aside before."""
    url = f"http://rules.test/{uuid4()}"
    page = store.pages.put_capture(url, first, site_id="s1", interval_hours=hours)
    assert (page.interval_hours, page.look_at) == first_look(first.fetched_at, hours)
    history = {(first.fetched_at, first.body_digest)}
    for one, site_id, aside in further:
        if aside:
            page = _set_aside(store, page)
        known = (one.fetched_at, one.body_digest) in history
        expected = update_page(page, one, known=known, site_id=site_id, now=clock.now)
        page = store.pages.put_capture(url, one, site_id=site_id)
        assert expected.look_at is not None
        assert page.look_at is not None
        assert abs(page.look_at - expected.look_at) <= MILLISECOND, "times are kept in whole milliseconds"
        assert page == replace(expected, look_at=page.look_at)
        history.add((one.fetched_at, one.body_digest))


def _set_aside(store: Store, page: Page) -> Page:
    claim = store.pages.claim(page.id, Step.EXTRACT, HOUR)
    if claim is not None:
        store.pages.set_aside(claim, plain_message("broken"))
    return store.pages.get(page.id)


def test_the_pages_whose_look_is_due_are_those_of_the_rule(store: Store) -> None:
    for hours in (1.0, 6.0, 24.0, 48.0):
        for at in range(3):
            url = f"http://rules.test/{hours}/{at}"
            store.pages.put_capture(url, capture(fetched_at=NOON + at * HOUR), site_id="s1", interval_hours=hours)
            if at == 2:
                store.pages.mark_gone(page_id(url), NOON, plain_message("410"))
    pages = store.pages.search(PageFilter(), limit=100)
    for after in (0.5, 1, 2, 7, 25, 49):
        for below in (None, 1.0, 6.0, 24.0):
            now = NOON + after * HOUR
            due = {page.url for page in pages if is_look_due(page, now, below=below)}
            assert set(store.pages.due_recrawls("s1", now, 100, below=below)) == due


places = st.builds(
    "".join,
    st.tuples(
        st.sampled_from(["paper.example", "Paper.example.", "www.paper.example", "晨报.example", "xn--4ruq7f.example"]),
        st.sampled_from(["", ":80", ":8080"]),
        st.sampled_from(["", "/", "/novels", "/novels/", "/novel", "/novels/1", "/小说", "/%E5%B0%8F%E8%AF%B4/1"]),
    ),
)
moments = st.integers(-2, 2).map(lambda hours: NOON + hours * HOUR)
works = st.sampled_from(["w1", "w2"])
licences = st.builds(
    lambda place, work_id, since, until: licence(
        url_prefix=place, work_id=work_id, valid_from=since, valid_until=until
    ),
    places,
    st.none() | works,
    st.none() | moments,
    st.none() | moments,
)


@law
@given(st.lists(licences, max_size=6), places, works, moments)
def test_the_licence_that_covers_a_page_is_the_one_of_the_rule(
    store: Store, some: list[Licence], place: str, work_id: str, at: datetime
) -> None:
    for old in store.licences.all():
        store.licences.remove(old.id)
    numbered = [replace(one, id=f"l{number}") for number, one in enumerate(some)]
    for one in numbered:
        store.licences.put(one)
    url = f"http://{place}"
    assert store.licences.find_covering(url, work_id, at) == find_covering_licence(numbered, url, work_id, at)


shares = st.sampled_from([0.1, 0.105, 0.2, 0.8])
actions = st.one_of(
    st.tuples(st.just("move"), st.sampled_from(CaseStatus), st.none() | st.sampled_from(["因", "$status"])),
    st.tuples(st.just("notice"), st.integers(0, 3), st.none() | st.integers(0, 3)),
    st.tuples(st.just("look"), shares, st.integers(1, 3)),
    st.tuples(st.just("gone"), st.none(), st.none()),
)


@law
@given(st.lists(actions, max_size=6))
def test_a_case_becomes_by_moves_and_looks_what_the_rule_says(store: Store, steps: list[tuple[str, Any, Any]]) -> None:
    """`look` is the share and the number of passages that a later look finds; `notice` has the days of its dates."""
    page = f"p-{uuid4()}"
    known, _ = store.cases.open_or_update(case(page))
    for number, (what, first, second) in enumerate(steps, 1):
        at = NOON + number * HOUR
        if what == "move":
            expected = move_case(known, CaseDecision(status=first, by="沈", reason=second, at=at))
            known = put_case(store, known.id, first, by="沈", reason=second, at=at)
        elif what == "notice":
            dates = {
                "notice_at": NOON + timedelta(days=first),
                "deadline": None if second is None else NOON + timedelta(days=second),
            }
            how: dict[str, Any] = {"by": "沈", "reason": None, "at": at, **dates}
            expected = move_case(known, CaseDecision(status=CaseStatus.NOTICE_SENT, **how))
            store.cases.decide_many(
                [known.number],
                CaseDecision(status=CaseStatus.NOTICE_SENT, **how),
                only_from=tuple(CaseStatus),
                batch=uuid4().hex,
            )
            known = store.cases.get(known.id)
        elif what == "look":
            found = case(
                page, updated_at=at, match=match(page, share_of_page=first, passages=match().passages * second)
            )
            expected = update_found_case(known, found)
            known, new = store.cases.open_or_update(found)
            assert not new
        else:
            expected = replace(known, present=False, updated_at=at) if known.present else known
            store.cases.mark_absent([known.id], at)
            known = store.cases.get(known.id)
        assert known == expected


@law
@given(st.lists(st.sampled_from(CaseStatus), min_size=1, max_size=4))
def test_what_is_undone_never_was(store: Store, statuses: list[CaseStatus]) -> None:
    known, _ = store.cases.open_or_update(case(f"p-{uuid4()}"))
    for number, status in enumerate(statuses):
        before, at = known, NOON + number * HOUR
        batch = uuid4().hex
        store.cases.decide_many(
            [known.number], CaseDecision(status=status, by="沈", at=at), only_from=tuple(CaseStatus), batch=batch
        )
        known = store.cases.get(known.id)
    store.cases.undo(batch, within=list(CaseStatus), moment=at)
    assert store.cases.get(known.id) == replace(before, updated_at=at)


@pytest.mark.parametrize(
    ("condition", "rule"),
    [
        ("copies", is_copy),
        ("confirmed", lambda one: one.status in INFRINGING_STATUSES),
        ("removal", lambda one: proposed_status(one) is CaseStatus.REMOVED),
    ],
)
def test_the_lists_hold_the_cases_of_the_rule(store: Store, condition: Any, rule: Callable[[Case], bool]) -> None:
    fill(store)
    fitting = {one.number for one in store.cases.each() if rule(one)}
    assert fitting, "the varied store has some"
    wanted: Any = {condition: True}
    assert {one.number for one in store.cases.find(limit=1000, **wanted)} == fitting
    assert store.cases.count(**wanted) == sum(store.cases.count_by_status(**wanted).values()) == len(fitting)


def test_the_figures_of_sites_count_by_the_rules(store: Store) -> None:
    fill(store)
    mains = store.mirrors.mains()
    of_host: dict[str, list[Case]] = defaultdict(list)
    for one in store.cases.each():
        of_host[mains.get(one.page_host, one.page_host)].append(one)
    found = {figure.host: figure for figure in store.figures.sites(Scope(), 100)}
    assert set(found) == {host for host, cases in of_host.items() if any(map(is_copy, cases))}
    for host, figure in found.items():
        copies = [one for one in of_host[host] if is_copy(one)]
        reactions = [(last_notice_time(one), removal_time(one)) for one in of_host[host]]
        days = [(gone - noticed) / timedelta(days=1) for noticed, gone in reactions if noticed and gone]
        assert figure.gone == sum(not one.present for one in copies)
        assert figure.notices == sum(noticed is not None for noticed, _ in reactions)
        assert figure.days_to_removal == (pytest.approx(fmean(days)) if days else None)
        assert set(mirror_group(host, mains)) >= {one.page_host for one in of_host[host]}


hosts = st.sampled_from("abcdef")


@law
@given(st.lists(st.tuples(hosts, hosts), max_size=8))
def test_hosts_become_mirrors_as_the_rule_says(store: Store, found: list[tuple[str, str]]) -> None:
    for host in store.mirrors.mains():
        store.mirrors.part(host)
    mains: dict[str, str] = {}
    for host, main in found:
        mains = join_mirrors(host, main, mains)
        store.mirrors.join(host, main, pages=5, moment=NOON)
        assert store.mirrors.mains() == mains
