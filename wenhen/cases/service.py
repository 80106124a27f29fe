"""Comment on cases, record their amounts of money, log views, list changed cases and the pending ones of a user.

The record of a site is loaded here as well.
"""

import re
import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import Final, NamedTuple

from wenhen.cases.model import Amount, AmountKind, Case, CaseOrder, CaseStatus, Comment
from wenhen.cases.rules import PURSUED_STATUSES, last_notice_time
from wenhen.kit.clock import china_day, start_of_day
from wenhen.kit.errors import BadInput, NotFound
from wenhen.kit.rights import Right
from wenhen.product.context import Acting, AuditLine, ChangeResult, Product, audited, change_result
from wenhen.sites.model import same_site_hosts

MAX_COMMENT_CHARACTERS: Final = 5_000


@audited("case.comment")
def add_comment(acting: Acting, number: int, text: str) -> ChangeResult[Comment]:
    """Add a comment to a case. Raises `BadInput` for an empty text, `NotFound`, `Forbidden`."""
    acting.require(Right.COMMENT)
    text = text.strip()[:MAX_COMMENT_CHARACTERS]
    if not text:
        raise BadInput("cases.empty_comment")
    store = acting.product.store
    if number not in store.cases.many([number]):
        raise NotFound("cases.no_number", number=number)
    written = store.comments.add(number, by=acting.who, text=text, moment=acting.product.now())
    return change_result(written, AuditLine(f"case:{number}", new={"comment": text}))


# Amounts of money: what was claimed, offered, agreed and paid, and what the case cost.


MAX_AMOUNT_CENTS: Final = 10**13  # a float holds its hundredths exactly
MAX_AMOUNT_NOTE_CHARACTERS: Final = 500
DEFAULT_CURRENCY: Final = "CNY"
_CURRENCY: Final = re.compile(r"[A-Z]{3}")


@audited("case.add_amount")
def add_amount(
    acting: Acting,
    number: int,
    kind: AmountKind,
    amount: str,
    *,
    currency: str = DEFAULT_CURRENCY,
    day: date | None = None,
    note: str | None = None,
) -> ChangeResult[Amount]:
    """Record an amount of money of a case. day: in China, by default today.

    Raises `BadInput` for no amount, no currency or a day to come, `NotFound`, `Forbidden`.
    """
    acting.require(Right.PROCEED)
    store, now = acting.product.store, acting.product.now()
    case, today = store.cases.get(str(number)), china_day(now)
    if not _CURRENCY.fullmatch(currency := currency.strip().upper()):
        raise BadInput("cases.no_currency", given=currency)
    if (day := day or today) > today:
        raise BadInput("cases.amount_to_come", day=day.isoformat())
    added = Amount(
        id=secrets.token_hex(8),
        case_number=case.number,
        page_host=case.page_host,
        kind=kind,
        currency=currency,
        cents=_read_cents(amount),
        day=day.isoformat(),
        note=(note or "").strip()[:MAX_AMOUNT_NOTE_CHARACTERS] or None,
        by=acting.who,
        at=now,
    )
    store.amounts.add(added)
    return change_result(added, AuditLine(f"case:{number}", new=_describe_amount(added)))


@audited("case.remove_amount")
def remove_amount(acting: Acting, number: int, id: str) -> ChangeResult[None]:
    """Remove an amount that was recorded by mistake. Raises `NotFound`, `Forbidden`."""
    acting.require(Right.PROCEED)
    amounts = acting.product.store.amounts
    removed = next((amount for amount in amounts.of_case(number) if amount.id == id), None)
    if removed is None or not amounts.remove(id):
        raise NotFound("cases.no_amount", id=id, number=number)
    return change_result(None, AuditLine(f"case:{number}", old=_describe_amount(removed)))


def _read_cents(text: str) -> int:
    """Return an amount in hundredths. Thousands may be separated.

    >>> _read_cents(" 12,000.5 ")
    1200050
    """
    try:
        cents = Decimal(text.replace(",", "").replace("，", "").replace(" ", "")) * 100
        good = 0 < cents <= MAX_AMOUNT_CENTS and cents == int(cents)
    except (InvalidOperation, ValueError, OverflowError):
        good = False
    if not good:
        raise BadInput("cases.bad_amount", given=text[:40], most=MAX_AMOUNT_CENTS // 100)
    return int(cents)


def _describe_amount(amount: Amount) -> dict[str, str | None]:
    money = f"{amount.amount:.2f} {amount.currency}"
    return {"kind": amount.kind.value, "amount": money, "day": amount.day, "note": amount.note}


# Views of cases are part of the chain of custody. The audit log has one line per user and day.


VIEW_ACTION: Final = "case.view"


@audited(VIEW_ACTION)
def record_case_view(acting: Acting, number: int) -> ChangeResult[None]:
    """Record that this user viewed the case, unless this was recorded today (in China)."""
    subject, product = f"case:{number}", acting.product
    today = start_of_day(china_day(product.now()))
    if product.store.audit.find(who=acting.who, action=VIEW_ACTION, subject=subject, since=today, limit=1):
        return change_result(None)
    return change_result(None, AuditLine(subject))


CHANGE_OVERLAP: Final = timedelta(minutes=10)  # a step may store a case long after it read the clock
_CHANGED_BATCH_SIZE: Final = 5_000  # more than one update may change at the same moment


def find_changed_cases(since: datetime | None, ask: Callable[[datetime, int], list[Case]]) -> Iterator[list[Case]]:
    """Yield batches of cases changed since a time. Cases changed shortly before it are repeated.

    since: None for all cases.
    ask: returns at most n cases changed at or after a time, ordered by change.
    """
    from_then = datetime(1970, 1, 1, tzinfo=UTC) if since is None else since - CHANGE_OVERLAP
    while cases := ask(from_then, _CHANGED_BATCH_SIZE):
        yield cases
        if len(cases) < _CHANGED_BATCH_SIZE:
            return
        from_then = max(cases[-1].updated_at, from_then + timedelta(milliseconds=1))


# If the work of a case was removed, its page is no longer compared with it.


def find_removed_works(product: Product, cases: Iterable[Case]) -> frozenset[str]:
    """Return the ids of removed works among absent cases. Their copies may still be online."""
    ids = {case.work_id for case in cases if not case.present}
    works = product.store.works.many(ids) if ids else {}
    return frozenset(id for id, work in works.items() if work.removed_at is not None)


# Repeat infringement: copies found after the first notice, or back after their removal.


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatOffences:
    """Numbers of repeat infringements.

    after_notice: copies found after the first notice.
    returned: copies that are back after their removal.
    """

    after_notice: int
    returned: int

    @property
    def repeats(self) -> bool:
        """Return whether there are any."""
        return self.after_notice + self.returned > 0


def count_repeat_offences(product: Product, hosts: Sequence[str], first_notice: datetime | None) -> RepeatOffences:
    """Count the repeat infringements on these hosts."""
    cases = product.store.cases
    return RepeatOffences(
        after_notice=cases.count(hosts=hosts, copies=True, since=first_notice) if first_notice else 0,
        returned=cases.count(hosts=hosts, returned=True),
    )


_MAX_SEARCHED_CASES: Final = 50  # oldest confirmed cases searched for the first notice


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteRecord(RepeatOffences):
    """Statistics of all cases of a site."""

    hosts: tuple[str, ...]
    copies: int
    confirmed: int


def load_site_record(product: Product, case: Case) -> SiteRecord:
    """Load the record of the site of a case's page."""
    cases, hosts = product.store.cases, same_site_hosts(case.page_host, product.store.mirrors.mains())
    oldest = cases.find(hosts=hosts, confirmed=True, order=CaseOrder.OLDEST, limit=_MAX_SEARCHED_CASES)
    first = min((noticed_at for case in oldest if (noticed_at := last_notice_time(case)) is not None), default=None)
    offences = count_repeat_offences(product, hosts, first)
    return SiteRecord(
        hosts=hosts,
        copies=cases.count(hosts=hosts, copies=True),
        confirmed=cases.count(hosts=hosts, confirmed=True),
        after_notice=offences.after_notice,
        returned=offences.returned,
    )


class SentencePair(NamedTuple):
    """A sentence of the page, its counterpart in the work, and their common words as in the page."""

    page: str
    work: str
    words: tuple[str, ...]


def find_sentence_pairs(product: Product, case: Case) -> list[SentencePair]:
    """Return the paraphrased sentence pairs in page order.

    The result is empty if the case is no suspected paraphrase or a text is lost.
    """
    if not case.match.retold:
        return []
    try:
        texts = product.store.blobs.get_texts({case.page_text_digest, case.work_text_digest})
    except NotFound:
        return []
    page, work = texts[case.page_text_digest], texts[case.work_text_digest]
    return [
        SentencePair(
            page[passage.page_start : passage.page_end], work[passage.work_start : passage.work_end], passage.words
        )
        for passage in case.match.retold
    ]


_MAX_LISTED: Final = 6


@dataclass(frozen=True, slots=True)
class MyWork:
    """Pending cases of a user: to judge, to pursue, and requests for a second opinion."""

    to_judge: int
    to_pursue: int
    asked: int
    first: Sequence[Case]

    @property
    def total(self) -> int:
        """Return the total number of pending cases."""
        return self.to_judge + self.to_pursue + self.asked


def count_my_leads(acting: Acting) -> int:
    """Return how many leads are assigned to this user."""
    return acting.product.store.cases.count(assignee=acting.who, status=CaseStatus.LEAD)


def load_my_work(acting: Acting) -> MyWork:
    """Load the pending cases of this user. Requests for a second opinion come first."""
    cases, who = acting.product.store.cases, acting.who
    by_status = cases.count_by_status(assignee=who)
    asked_cases = cases.find(asked=who, limit=_MAX_LISTED)
    own = cases.find(assignee=who, status=CaseStatus.LEAD, limit=_MAX_LISTED)
    known = {case.id for case in asked_cases}
    return MyWork(
        to_judge=by_status.get(CaseStatus.LEAD, 0) + by_status.get(CaseStatus.SUSPECTED, 0),
        to_pursue=sum(by_status.get(status, 0) for status in PURSUED_STATUSES),
        asked=cases.count(asked=who),
        first=[*asked_cases, *(case for case in own if case.id not in known)][:_MAX_LISTED],
    )
