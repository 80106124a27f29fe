"""Webhooks: cases that are new or changed are put into the outbox, and what is in it is sent until it is taken.

Nothing has to be told when a case is written: the sweep compares each case that was written lately with what was last
told of it. So no change is lost, whoever made it and wherever a process died; a receiver may get one twice, under the
same id.
"""

import hmac
import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from importlib.metadata import version
from typing import Final

import httpx

from services.context import Product
from services.webhooks.public_address import PrivateAddress, public_address
from services.webhooks.registry import whose
from store.errors import NotFound, SetupError
from store.failures import failure
from store.messages import Message, message, plain
from store.records import Case, Delivery, Event, Webhook

_MARK: Final = "webhooks"  # up to when cases were compared
_OVERLAP: Final = timedelta(minutes=10)  # a step may write a case long after it looked at the clock
_BATCH: Final = 5_000  # more than one move may change at the same moment
_TIMEOUT: Final = 10.0  # seconds
_LEASE: Final = timedelta(minutes=2)
_AT_ONCE: Final = 8
_OF_ONE_TASK: Final = 40  # deliveries; the next sweep sends for the others
_FIRST_PAUSE, _LONGEST_PAUSE = timedelta(seconds=20), timedelta(hours=6)
_ANSWER: Final = 200  # characters of a refusal that are kept


def announce_cases(product: Product) -> None:
    """Put what webhooks are to be told of into the outbox, and have what is due sent."""
    store, hooks = product.store.webhooks, product.store.webhooks.all()
    mark = product.store.marks.get(_MARK) or {}
    if not hooks:
        if mark:
            product.store.marks.set(_MARK, {})
        return
    since = mark.get("at")
    # The very first time what there is already is only noted.
    told = hooks if isinstance(since, datetime) else []
    from_then = since - _OVERLAP if isinstance(since, datetime) else datetime(1970, 1, 1, tzinfo=UTC)
    now = product.now()
    while cases := store.changed_cases(from_then, _BATCH):
        _announce(product, cases, told, now)
        if len(cases) < _BATCH:
            break
        from_then = max(cases[-1].updated_at, from_then + timedelta(milliseconds=1))
    product.store.marks.set(_MARK, {"at": now})
    if store.has_due(now):
        product.queue.deliver()


def _announce(product: Product, cases: Sequence[Case], hooks: Sequence[Webhook], now: datetime) -> None:
    store = product.store.webhooks
    before = store.told([case.id for case in cases])
    changed = {case.id: _state(case) for case in cases}
    changed = {id: state for id, state in changed.items() if before.get(id) != state}
    deliveries = []
    for case in cases:
        if case.id in changed:
            event = Event.CASE_CHANGED if case.id in before else Event.CASE_NEW
            deliveries += [delivery_of(hook, event, case, now) for hook in hooks if event in hook.events]
    # In this order: cut short between the two, the same deliveries are offered again, under the same ids.
    store.offer(deliveries)
    store.remember(changed)


def delivery_of(hook: Webhook, event: Event, case: Case, now: datetime) -> Delivery:
    """What this webhook is told of the case as it stands."""
    id = sha256(f"{hook.id} {event} {case.id} {case.updated_at.isoformat()}".encode()).hexdigest()[:24]
    body = {"id": id, "event": event, "at": now.isoformat(), "case": _told_of(case)}
    return Delivery(
        id=id,
        webhook_id=hook.id,
        event=event,
        subject=f"case:{case.number}",
        body=json.dumps(body, ensure_ascii=False),
        made_at=now,
        due=now,
    )


def _told_of(case: Case) -> dict[str, object]:
    return {
        "number": case.number,
        "status": case.status,
        "assignee": case.assignee,
        "reason": case.reason,
        "decided_by": case.decided_by,
        "work_id": case.work_id,
        "work_title": case.work_title,
        "page_url": case.page_url,
        "page_host": case.page_host,
        "page_title": case.page_title,
        "level": case.match.level,
        "score": case.match.score,
        "share_of_page": case.match.share_of_page,
        "share_of_work": case.match.share_of_work,
        "present": case.present,
        "licence_id": case.licence_id,
        "opened_at": case.opened_at.isoformat(),
        "updated_at": case.updated_at.isoformat(),
    }


def _state(case: Case) -> str:
    """What has to differ for a case to have changed."""
    decided = case.decided_at.isoformat() if case.decided_at else None
    shares = f"{case.match.share_of_page:.2f} {case.match.share_of_work:.2f}"
    state = (case.status, decided, case.assignee, case.licence_id, case.present, case.match.level, shares)
    return sha256(repr(tuple(map(str, state))).encode("utf-8", "replace")).hexdigest()[:24]


def deliver(product: Product) -> None:
    """Send what is due; what is not taken is due again after a growing pause."""
    due = product.store.webhooks.take_due(product.now(), _LEASE, _OF_ONE_TASK)
    with ThreadPoolExecutor(_AT_ONCE) as threads:
        list(threads.map(lambda one: _send(product, one), due))


def _send(product: Product, delivery: Delivery) -> None:
    store = product.store.webhooks
    try:
        hook = store.get(delivery.webhook_id)
    except NotFound:  # removed meanwhile, with its deliveries
        return
    private, status, problem = product.settings.dashboard.private_webhooks, None, None
    try:
        hook = replace(hook, secret=product.seal.opened(hook.secret, whose(hook.id)))
        status, problem = _post(hook, delivery, product.now(), private=private)
    except SetupError as error:
        problem = error.message
    now = product.now()
    if problem is not None:
        due = now + pause(delivery.tries)
        store.refused(delivery.id, now, due=due, status=status, problem=problem)
    elif status is not None:
        store.taken(delivery.id, now, status)


def pause(tries: int) -> timedelta:
    """Before the next try, after so many before this one.

    >>> [str(pause(tries)) for tries in (0, 1, 5, 60)]
    ['0:00:20', '0:00:40', '0:10:40', '6:00:00']
    """
    return min(_FIRST_PAUSE * int(2 ** min(tries, 30)), _LONGEST_PAUSE)


def signature(secret: str, timestamp: int, body: str) -> str:
    """HMAC-SHA256 over the time and the body: a receiver refuses what is old, or was not sent by us."""
    return "sha256=" + hmac.new(secret.encode(), f"{timestamp}.{body}".encode(), sha256).hexdigest()


def _post(hook: Webhook, delivery: Delivery, now: datetime, *, private: bool) -> tuple[int | None, Message | None]:
    """The status of the answer, and what was wrong; None: it was taken."""
    timestamp = int(now.timestamp())
    url = httpx.URL(hook.url)
    headers = {
        "Host": url.netloc.decode(),
        "Content-Type": "application/json; charset=utf-8",
        "User-Agent": f"wenhen/{version('wenhen')}",
        "X-Wenhen-Event": delivery.event,
        "X-Wenhen-Delivery": delivery.id,
        "X-Wenhen-Timestamp": str(timestamp),
        "X-Wenhen-Signature": signature(hook.secret, timestamp, delivery.body),
    }
    try:
        # The address that was looked at is the one that is called: a name could change its mind in between.
        address = url.host if private else public_address(url.host)
        # No proxy of the environment, no redirect: what is private would be reached by a detour.
        with httpx.Client(timeout=_TIMEOUT, trust_env=False, follow_redirects=False) as client:
            call = client.build_request(
                "POST",
                url.copy_with(host=address),
                content=delivery.body.encode(),
                headers=headers,
                extensions={"sni_hostname": url.host},
            )
            answer = client.send(call, stream=True)
            said = b"" if answer.is_success else next(answer.iter_bytes(_ANSWER), b"")  # and no more is read
            answer.close()
    except (httpx.HTTPError, httpx.InvalidURL, PrivateAddress, OSError) as error:
        return None, failure(error, _ANSWER)
    if answer.is_success:
        return answer.status_code, None
    words = plain(" ".join(said.decode("utf-8", "replace").split()))
    return answer.status_code, message("webhooks.answered", status=answer.status_code, said=words)
