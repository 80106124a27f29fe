"""Which cases a licence covers, and whether their pages name the source as it wants."""

from collections.abc import Iterable, Iterator, Sequence

from crawler.extract.read_page import read_whole_text
from pipeline.context import Context
from pipeline.matching.apply_triage_rules import TOGETHER, apply_rules, take_back
from store.errors import NotFound, Unreadable
from store.records import Capture, Case, Licence
from store.rules.library.licence_covers import says

_BATCH = 500


def credited(context: Context, licence: Licence | None, text: str, capture: Capture) -> bool | None:
    """Whether the page says what the licence wants, in its main text or anywhere else; None where it wants nothing."""
    if licence is None or not licence.attribution:
        return None
    return says(text, licence.attribution) or says(_whole_page(context, capture), licence.attribution)


def mark_cases(context: Context, licence: Licence) -> int:
    """Look anew at the cases that a licence touches, after it was added, changed or withdrawn; how many changed."""
    return _marked(context, _touched(context, licence))


def mark_opened(context: Context, cases: Sequence[Case]) -> int:
    """Look anew at cases that were written just now: a licence may have come or gone since it was asked for, and
    whoever saw to the cases that it touches did not see these. How many changed.
    """
    asked = [(case.page_url, case.work_id, case.capture.fetched_at) for case in cases]
    licences = context.store.licences.covering_all(asked)
    ids = [licence.id if licence else None for licence in licences]
    other = [case for case, id in zip(cases, ids, strict=True) if case.licence_id != id]
    return _marked(context, other)


def _marked(context: Context, cases: Iterable[Case]) -> int:
    changed = list[int]()
    for case in cases:
        now = context.store.licences.covering(case.page_url, case.work_id, case.capture.fetched_at)
        id = now.id if now else None
        names = credited(context, now, _text(context, case), case.capture) if now and now.attribution else None
        if (case.licence_id, case.credited) != (id, names):
            context.store.cases.set_licence(case.id, id, names, context.now())
            changed.append(case.number)
    _tell_rules(context, changed)
    return len(changed)


def _tell_rules(context: Context, numbers: Sequence[int]) -> None:
    """Let the rules of triage look at cases whose licence changed."""
    for first in range(0, len(numbers), TOGETHER):
        cases = list(context.store.cases.many(numbers[first : first + TOGETHER]).values())
        take_back(context, cases)
        apply_rules(context, [case for case in cases if case.licence_id])


def _touched(context: Context, licence: Licence) -> Iterator[Case]:
    hosts = context.store.licences.hosts_of(licence)
    below = None
    while found := context.store.cases.find(hosts=hosts, work_id=licence.work_id, below=below, limit=_BATCH):
        yield from found
        below = found[-1].number


def _text(context: Context, case: Case) -> str:
    try:
        return context.store.blobs.get_text(case.page_text_digest)
    except NotFound:
        return ""


def _whole_page(context: Context, capture: Capture) -> str:
    """All that a reader of the page sees; a line of credit often stands outside the main text."""
    try:
        return read_whole_text(context.store.blobs.get(capture.read_digest), capture.read_headers)
    except (NotFound, Unreadable):
        return ""
