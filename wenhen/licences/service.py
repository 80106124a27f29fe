"""Add and remove licences, and mark the cases that they cover."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from crawler.capture import Capture
from crawler.extraction.sandbox_calls import read_whole_text
from wenhen.cases.model import Case
from wenhen.context.use_cases import Acting, AuditLine, ChangeResult, Context, audited, change_result
from wenhen.kit.errors import BadInput, NotFound, Unreadable
from wenhen.kit.rights import Right
from wenhen.licences.model import Licence, has_attribution
from wenhen.triage.service import CASES_PER_BATCH, apply_triage_rules, revert_outdated_dismissals

_CASE_BATCH_SIZE = 500


def is_credited(context: Context, licence: Licence | None, text: str, capture: Capture) -> bool | None:
    """Whether the page says what the licence wants, in its main text or anywhere else; None where it wants nothing."""
    if licence is None or not licence.attribution:
        return None
    return has_attribution(text, licence.attribution) or has_attribution(
        _read_whole_page(context, capture), licence.attribution
    )


def mark_licensed_cases(context: Context, licence: Licence) -> int:
    """Look anew at the cases that a licence touches, after it was added, changed or withdrawn; how many changed."""
    return _update_licences(context, _find_affected_cases(context, licence))


def mark_new_licensed_cases(context: Context, cases: Sequence[Case]) -> int:
    """Look anew at cases that were written just now: a licence may have come or gone since it was asked for, and
    whoever saw to the cases that it touches did not see these. How many changed.
    """
    queries = [(case.page_url, case.work_id, case.capture.fetched_at) for case in cases]
    licences = context.store.licences.find_covering_all(queries)
    ids = [licence.id if licence else None for licence in licences]
    other = [case for case, id in zip(cases, ids, strict=True) if case.licence_id != id]
    return _update_licences(context, other)


def _update_licences(context: Context, cases: Iterable[Case]) -> int:
    changed = list[int]()
    for case in cases:
        now = context.store.licences.find_covering(case.page_url, case.work_id, case.capture.fetched_at)
        id = now.id if now else None
        names = (
            is_credited(context, now, _case_page_text(context, case), case.capture) if now and now.attribution else None
        )
        if (case.licence_id, case.credited) != (id, names):
            context.store.cases.set_licence(case.id, id, names, context.now())
            changed.append(case.number)
    _apply_rules_again(context, changed)
    return len(changed)


def _apply_rules_again(context: Context, numbers: Sequence[int]) -> None:
    """Let the rules of triage look at cases whose licence changed."""
    for first in range(0, len(numbers), CASES_PER_BATCH):
        cases = list(context.store.cases.many(numbers[first : first + CASES_PER_BATCH]).values())
        revert_outdated_dismissals(context, cases)
        apply_triage_rules(context, [case for case in cases if case.licence_id])


def _find_affected_cases(context: Context, licence: Licence) -> Iterator[Case]:
    hosts = context.store.licences.hosts_of(licence)
    below = None
    while cases := context.store.cases.find(
        hosts=hosts, work_id=licence.work_id, holder=licence.holder, below=below, limit=_CASE_BATCH_SIZE
    ):
        yield from cases
        below = cases[-1].number


def _case_page_text(context: Context, case: Case) -> str:
    try:
        return context.store.blobs.get_text(case.page_text_digest)
    except NotFound:
        return ""


def _read_whole_page(context: Context, capture: Capture) -> str:
    """All that a reader of the page sees; a line of credit often stands outside the main text."""
    try:
        return read_whole_text(context.store.blobs.get(capture.read_digest), capture.read_headers)
    except (NotFound, Unreadable):
        return ""


@audited("licence.add")
def add_licence(
    acting: Acting,
    licensee: str,
    url_prefix: str,
    *,
    work_id: str | None = None,
    holder: str | None = None,
    valid_from: datetime | None = None,
    valid_until: datetime | None = None,
    attribution: str | None = None,
) -> ChangeResult[Licence]:
    """Allow the licensee to carry one work, all works of a holder, or all, below the prefix.

    url_prefix: host, or host/path, without http://.

    attribution: what the page has to say of its source. Cases that were open before are marked as well.
    Raises `BadInput` for a prefix that is none or days in the wrong order, `NotFound` for a work that is not there.
    """
    acting.require(Right.LICENCES)
    store, licensee, url_prefix = acting.product.store, licensee.strip(), url_prefix.strip()
    holder = (holder or "").strip() or None
    if not licensee or not url_prefix.strip("/"):
        raise BadInput("licences.incomplete")
    if valid_from and valid_until and valid_until <= valid_from:
        raise BadInput("licences.days")
    if "://" in url_prefix:
        raise BadInput("licences.scheme", address=url_prefix)
    if work_id and holder:
        raise BadInput("licences.work_and_holder")
    if work_id:
        store.works.get(work_id)
    if holder and holder not in store.works.owners():
        store.holders.get(holder)
    covers = f"{work_id}\n{holder}" if holder else str(work_id)
    licence = Licence(
        id=hashlib.sha256(f"{licensee}\n{url_prefix}\n{covers}".encode("utf-8", "surrogatepass")).hexdigest()[:12],
        licensee=licensee,
        url_prefix=url_prefix,
        work_id=work_id,
        holder=holder,
        valid_from=valid_from,
        valid_until=valid_until,
        attribution=attribution,
    )
    store.licences.put(licence)
    mark_licensed_cases(acting.product, licence)
    return change_result(licence, AuditLine(f"licence:{licence.id}", new=licence))


@audited("licence.remove")
def remove_licence(acting: Acting, id: str) -> ChangeResult[Licence]:
    """Withdraw a licence: the cases that it marked are looked at anew. NotFound."""
    acting.require(Right.LICENCES)
    store = acting.product.store
    licence = store.licences.get(id)
    store.licences.remove(id)
    mark_licensed_cases(acting.product, licence)
    return change_result(licence, AuditLine(f"licence:{id}", old=licence))
