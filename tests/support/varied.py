"""A store in which everything that the dashboard counts occurs, put in through the store's own ports."""

import random
from dataclasses import replace
from datetime import timedelta
from typing import Final

from matcher.clusters import Member
from matcher.model import Change, Level, Passage
from tests.support.people import add_user
from tests.support.seed import MIDDLE, NOW, OPENING, PASSAGES, WORK_TEXT, Seeder, move_case, watched
from wenhen.cases.model import CaseStatus
from wenhen.context.store_and_queue import Store
from wenhen.crawls.model import RunKind
from wenhen.discovery.model import Discovery, DiscoveryStatus
from wenhen.kit.errors import plain_message
from wenhen.kit.progress import OwnerKind, Step, Subject
from wenhen.kit.rights import Role
from wenhen.licences.model import Licence

CASES: Final = 90
HOSTS: Final = ("copies.example", "m.copies.example", "b.example", "c.example", "d.example")
LATER: Final = Passage(page_start=3, page_end=9, work_start=60, work_end=66, similarity=0.8, change=Change.REWRITTEN)
_ROADS: Final[dict[CaseStatus, tuple[CaseStatus, ...]]] = {
    CaseStatus.LEAD: (),
    CaseStatus.QUIET: (CaseStatus.QUIET,),
    CaseStatus.DISMISSED: (CaseStatus.DISMISSED,),
    CaseStatus.CONFIRMED: (CaseStatus.CONFIRMED,),
    CaseStatus.NOTICE_SENT: (CaseStatus.CONFIRMED, CaseStatus.NOTICE_SENT),
    CaseStatus.REMOVED: (CaseStatus.CONFIRMED, CaseStatus.NOTICE_SENT, CaseStatus.REMOVED),
    CaseStatus.REFUSED: (CaseStatus.CONFIRMED, CaseStatus.NOTICE_SENT, CaseStatus.REFUSED),
    CaseStatus.ESCALATED: (CaseStatus.CONFIRMED, CaseStatus.ESCALATED),
}


_DECIDED: Final = [status for status in CaseStatus if status in _ROADS]


def fill(store: Store) -> None:
    """The same records each time."""
    seed, chance = Seeder(store), random.Random(2026)
    for at in range(7):
        seed.work(
            f"w{at}",
            WORK_TEXT + "\n" + MIDDLE * at,
            title=("潮汐簿", "山城夜航", "旧书店", "长街", "杏花信", "灯塔看守人", "无人抄袭")[at],
            published_at=None if at == 4 else NOW - timedelta(days=at * 40),
            series="海岸线" if at < 3 else None,
        )
    seed.work("w0", WORK_TEXT + "\n" + OPENING * 2, title="潮汐簿")  # a second version
    store.works.remove("w6")
    store.mirrors.join("m.copies.example", "copies.example", pages=9, moment=NOW)
    store.licences.put(Licence(id="l1", licensee="晨读网", url_prefix="b.example", work_id=None, attribution="河岸"))
    store.licences.put(Licence(id="l2", licensee="无人", url_prefix="z.example", work_id="w0"))
    for number in range(1, CASES + 1):
        _case(seed, chance, number)
    for number in range(1, 3):
        url = f"https://d.example/retold/{number}.html"
        seed.case(url, work_id="w1", level=Level.SUSPECTED, passages=(), status=CaseStatus.SUSPECTED)
    store.cases.set_clusters({store.cases.get(str(number)).page_id: "c1" for number in (3, 8, 13, 18)})
    _others(store)


def _case(seed: Seeder, chance: random.Random, number: int) -> None:
    cases = seed.store.cases
    host, level = chance.choice(HOSTS), chance.choice([Level.VERBATIM, Level.LIGHT, Level.REWRITTEN])
    case = seed.case(
        f"https://{host}/{number - number % 10 // 9}.html",  # every tenth page copies two works
        work_id=f"w{int(6 * chance.random() ** 2)}",
        level=level,
        share=chance.choice([0.0, 0.15, 0.3, 0.5, 0.75, 0.95, 1.0, chance.random()]),
        score=chance.choice([0.2, 0.5, 0.9, 0.97, 0.9999]),
        # Some within an hour of midnight in Beijing.
        opened_at=NOW - timedelta(hours=chance.choice([0, 1, 2, 24, 25, 26, chance.randint(0, 24 * 120)])),
        passages=chance.choice([PASSAGES, PASSAGES[:1], (*PASSAGES, LATER)]),
    )
    more = replace(case.match, share_of_work=chance.random(), similarity=chance.random())
    fetched = replace(case.capture, fetched_at=case.opened_at + timedelta(hours=chance.randint(-90, 3)))
    cases.open_or_update(replace(case, match=more, capture=fetched))
    for days, step in enumerate(_ROADS[chance.choice([*_DECIDED, CaseStatus.LEAD, CaseStatus.LEAD])]):
        at = case.opened_at + timedelta(days=days, hours=chance.randint(0, 20))
        move_case(seed.store, case.id, step, by="沈", reason="x", at=at)
    if number % 7 == 0:
        cases.set_licence(case.id, "l1", number % 2 == 0, NOW)
    if number % 5 == 0:
        cases.mark_absent([case.id], NOW)
    if number % 3 == 0:
        cases.assign([case.number], chance.choice(["沈", "李"]), moment=NOW)


def _others(store: Store) -> None:
    """What is counted besides the cases."""
    store.sites.put(replace(watched("抄书网"), hosts=("copies.example", "m.copies.example"), tags=("小说",)))
    store.sites.put(replace(watched("另一家"), id="b", hosts=("b.example",), start_urls=("https://b.example/",)))
    for hours in range(3):
        run = store.runs.start(RunKind.CRAWL, Subject.read("copies"), NOW - timedelta(hours=9 - hours))
        store.runs.end(run.id, NOW - timedelta(hours=8 - hours), {"fetched": 61 + hours, "failed": hours})
    store.runs.start(RunKind.CRAWL, Subject.read("b"), NOW)
    for at in range(4):
        store.problems.put("import", f"{at}.epub", plain_message("the archive is broken"), NOW)
    page = store.cases.get("1").page_id
    claim = store.pages.claim(page, Step.EXTRACT, timedelta(minutes=1))
    assert claim is not None
    store.pages.set_aside(claim, plain_message("no text"))
    for at in range(5):
        found = Discovery(
            id=f"d{at}",
            work_id="w1",
            url=f"https://found.example/{at}",
            title="山城夜航",
            sentences=(OPENING,),
            engine="x",
            found_at=NOW,
        )
        store.discoveries.add(found)
    store.discoveries.decide(["d0", "d1"], DiscoveryStatus.REFUSED, moment=NOW)
    for at in range(3):
        member = Member(
            id=f"page:p{at}",
            kind=OwnerKind.PAGE,
            owner_id=f"p{at}",
            owner_version=1,
            dated=NOW,
            seen=NOW + timedelta(minutes=at),
            cluster_id="c1",
        )
        store.clusters.enter_all([member])
    add_user(store, "chief", Role.ADMINISTRATOR)
    add_user(store, "沈")
    for at in range(60):
        store.audit.add_all(NOW, "沈" if at % 3 else "李", "case.decide", [(f"case:{at}", None, "confirmed")])
    store.comments.add(1, by="沈", text="已致电对方", moment=NOW)
