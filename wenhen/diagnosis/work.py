"""Faults of the work itself: nobody does it, it does not begin, it piles up, or it was set aside."""

from collections.abc import Iterator, Mapping
from datetime import timedelta

from services.upkeep import clock_alarm
from services.upkeep.backlog import backlog
from services.upkeep.health import ServerState
from store.records import RunKind, Step
from wenhen.diagnosis.fault import Fault, advice, stopping
from wenhen.wiring import App

LONG = timedelta(minutes=30)  # for something that is due to wait
OF_WORKERS = ("workers", "clock")  # what embedded servers do without until `wenhen up`
DISKS = ("database disk", "data disk", "archive disk")
PUT_OFF = ("daily duties", "backup", "mailbox", "webhooks")  # which the work goes on without
SERVERS = ("MongoDB", "Redis")  # which have faults of their own


def work_faults(app: App, states: Mapping[str, ServerState], *, embedded: bool) -> Iterator[Fault]:
    """All of them, in view of what health told. embedded: workers come and go with `wenhen up`. Raises `Unavailable`
    where a server went away meanwhile.
    """
    idle = embedded and not any("@" in name for name in states)
    for name, state in states.items():
        if not (state.answers or name in SERVERS or (idle and name in OF_WORKERS)):
            yield from _of_part(name, state)
    if not idle:
        yield from _waiting(app)
    yield from _left(app)


def _of_part(name: str, state: ServerState) -> Iterator[Fault]:
    if name in DISKS:
        yield stopping("doctor.disk_full", disk=name, left=state.said[-1])
    else:
        yield from (Fault(said, name not in PUT_OFF) for said in state.said)


def _waiting(app: App) -> Iterator[Fault]:
    found, now = backlog(app), app.now()
    for queue, sent in found.sent.items():
        if now - sent > LONG:
            yield advice("doctor.queue_piles_up", queue=queue, count=found.waiting[queue], minutes=_minutes(now - sent))
    for kind, due in found.due.items():
        if now - due > LONG:
            yield advice("doctor.record_waits", kind=kind, minutes=_minutes(now - due))
    if found.site_due and now - found.site_due > LONG and not any(one.late for one in clock_alarm.duties(app)):
        yield advice("doctor.crawl_waits", minutes=_minutes(now - found.site_due))


def _left(app: App) -> Iterator[Fault]:
    for kind, steps in (("works", app.store.works.count_by_step()), ("pages", app.store.pages.count_by_step())):
        if count := steps.get(Step.SET_ASIDE, 0):
            yield advice("doctor.set_aside", kind=kind, count=count)
    for run in app.store.runs.recent(kind=RunKind.CRAWL, limit=20):
        if run.problem is not None and app.now() - run.started_at < timedelta(days=1):
            yield advice("doctor.crawl_failed", subject=str(run.subject), reason=run.problem)
            return


def _minutes(waited: timedelta) -> str:
    return f"{waited.total_seconds() // 60:,.0f}"
