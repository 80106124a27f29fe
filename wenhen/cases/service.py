"""Comment on cases, log views, list changed cases, and load the record of their sites."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

from wenhen.cases.model import Case, CaseOrder, Comment
from wenhen.cases.rules import last_notice_time
from wenhen.kit.clock import china_day, start_of_day
from wenhen.kit.errors import BadInput, NotFound
from wenhen.kit.rights import Right
from wenhen.product.context import Product
from wenhen.product.use_cases import Acting, AuditLine, ChangeResult, audited, change_result
from wenhen.sites.model import same_site_hosts

MAX_COMMENT_CHARACTERS: Final = 5_000


@audited("case.comment")
def add_comment(acting: Acting, number: int, text: str) -> ChangeResult[Comment]:
    """Say something about a case. BadInput for nothing, NotFound, Forbidden."""
    acting.require(Right.COMMENT)
    text = text.strip()[:MAX_COMMENT_CHARACTERS]
    if not text:
        raise BadInput("cases.empty_comment")
    store = acting.product.store
    if number not in store.cases.many([number]):
        raise NotFound("cases.no_number", number=number)
    written = store.comments.add(number, by=acting.who, text=text, at=acting.product.now())
    return change_result(written, AuditLine(f"case:{number}", new={"comment": text}))


# Who looked at a case: a line of the audit log, and so of the chain of custody, once a person and day.


VIEW_ACTION: Final = "case.view"


@audited(VIEW_ACTION)
def record_case_view(acting: Acting, number: int) -> ChangeResult[None]:
    """Note that this person sees the case, where that was not noted today (in China)."""
    subject, product = f"case:{number}", acting.product
    today = start_of_day(china_day(product.now()))
    if product.store.audit.find(who=acting.who, action=VIEW_ACTION, subject=subject, since=today, limit=1):
        return change_result(None)
    return change_result(None, AuditLine(subject))


CHANGE_OVERLAP: Final = timedelta(minutes=10)  # a step may write a case long after it looked at the clock
_CHANGED_BATCH_SIZE: Final = 5_000  # more than one move may change at the same moment


def find_changed_cases(since: datetime | None, ask: Callable[[datetime, int], list[Case]]) -> Iterator[list[Case]]:
    """Those that were changed shortly before come once more. since: None for all there are; ask: answers with so many
    that were changed at a time or after it, in the order of their changes.
    """
    from_then = datetime(1970, 1, 1, tzinfo=UTC) if since is None else since - CHANGE_OVERLAP
    while cases := ask(from_then, _CHANGED_BATCH_SIZE):
        yield cases
        if len(cases) < _CHANGED_BATCH_SIZE:
            return
        from_then = max(cases[-1].updated_at, from_then + timedelta(milliseconds=1))


# Cases whose work is no longer in the library: the page was not compared with it since.


def find_removed_works(product: Product, cases: Iterable[Case]) -> frozenset[str]:
    """The ids of those works that were removed, for the cases that are not present: the copy may be there yet."""
    ids = {case.work_id for case in cases if not case.present}
    works = product.store.works.many(ids) if ids else {}
    return frozenset(id for id, work in works.items() if work.removed_at is not None)


# Who goes on after he was told: copies that were found after the first notice, or are back after their removal.


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatOffences:
    """after_notice: copies that were found after the first notice; returned: copies that were removed, and are back."""

    after_notice: int
    returned: int

    @property
    def repeats(self) -> bool:
        """Whether there is any."""
        return self.after_notice + self.returned > 0


def count_repeat_offences(product: Product, hosts: Sequence[str], first_notice: datetime | None) -> RepeatOffences:
    """Those of the cases on these hosts."""
    cases = product.store.cases
    return RepeatOffences(
        after_notice=cases.count(hosts=hosts, copies=True, since=first_notice) if first_notice else 0,
        returned=cases.count(hosts=hosts, returned=True),
    )


_MAX_SEARCHED_CASES: Final = 50  # confirmed cases, the oldest, among which the first notice is looked for


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteRecord(RepeatOffences):
    """Figures of all cases of the site, this one with them."""

    hosts: tuple[str, ...]
    copies: int
    confirmed: int


def load_site_record(product: Product, case: Case) -> SiteRecord:
    """The record of the site that the case's page is on."""
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
    """What stands in the page and in the work, and the words that both have, as the page has them."""

    page: str
    work: str
    words: tuple[str, ...]


def find_sentence_pairs(product: Product, case: Case) -> list[SentencePair]:
    """The pairs in the order of the page; none where the case is no suspicion, or the store has lost a text."""
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
