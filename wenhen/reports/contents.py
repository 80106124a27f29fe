"""Gather the infringement report: cases, passages, captures, methods and totals."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Final, Unpack

from crawler.addresses import readable_host
from crawler.capture import Capture
from matcher.alignment.aligned_span import Side, copied_length, count_characters, count_text
from matcher.model import Match
from wenhen.cases.model import Case, CaseConditions, CaseOrder
from wenhen.cases.passages import add_passage_places, make_quotes
from wenhen.context.store_and_queue import Store
from wenhen.context.use_cases import Acting, Product
from wenhen.crawls.model import RegionalCapture
from wenhen.fingerprints.model import Fingerprint
from wenhen.kit.errors import BadInput, NotFound
from wenhen.kit.files import RecordPile
from wenhen.kit.progress import OwnerKind
from wenhen.kit.rights import Right
from wenhen.licences.model import Licence
from wenhen.pages.service import find_full_capture
from wenhen.reports.model import CaseEntry, Method, Report, ReportedExhibit, ReportedMark, ReportedRegion, Totals
from wenhen.sites.service import is_known_host
from wenhen.works.model import Work

if TYPE_CHECKING:  # marks stand above reports
    from wenhen.marks.model import MarkStatement

# The contents of an infringement report: claims and their evidence.

_CASE_BATCH_SIZE: Final = 200  # cases loaded per batch
_MAX_CASES_WITH_PLACES: Final = (
    50  # cases up to which locations in files and pictures are included, because the files have to be parsed again
)
_MAX_PICTURES: Final = 40  # per report
_MAX_CASES: Final = 1_048_576  # number of rows in a worksheet
_MAX_NAMED_CHARACTERS: Final = 80  # characters of a name in a message
ReportProgress = Callable[[int, int], object]  # arguments: gathered cases, all cases


def gather_report(
    acting: Acting,
    *,
    case_ids: Collection[str] | None = None,
    advance: ReportProgress = lambda _done, _of: None,
    **where: Unpack[CaseConditions],
) -> Report:
    """Gather a report of the cases that match, or of those given by id or number, ordered by number.

    advance: called with the numbers of gathered cases and of all cases.

    Raises `NotFound` if a given case does not exist, `BadInput` for an unknown work, host or rights holder, and
    `Forbidden`.
    """
    acting.require(Right.EXPORT)
    if case_ids is None:
        require_known_conditions(acting.product, where)
    return _gather_cases(acting.product, case_ids, where, advance)


def require_known_conditions(product: Product, where: CaseConditions) -> None:
    """Raise `BadInput` if no case matches because a work, host or rights holder in the conditions is unknown.

    A report without cases would say that nobody copies, where only a name was mistyped.
    """
    store = product.store
    if store.cases.count(**where):
        return
    work, holder = where.get("work_id"), where.get("holder")
    if work and work not in store.works.many([work]):
        raise BadInput("reports.no_such_work", given=work[:_MAX_NAMED_CHARACTERS])
    if holder and holder not in {*store.works.owners(), *(one.id for one in store.holders.all())}:
        raise BadInput("reports.no_such_holder", given=holder[:_MAX_NAMED_CHARACTERS])
    host = where.get("host")
    hosts = where.get("hosts") or ((host,) if host else ())
    if hosts and not any(is_known_host(product, one) or store.cases.count(host=one) for one in hosts):
        raise BadInput("reports.no_such_host", given=readable_host(hosts[0])[:_MAX_NAMED_CHARACTERS])


def _gather_cases(
    product: Product, case_ids: Collection[str] | None, where: CaseConditions, advance: ReportProgress
) -> Report:
    store, left = product.store, _MAX_PICTURES
    total = store.cases.count(**where) if case_ids is None else len(set(case_ids))
    texts, pile, totals, used = (
        _TextCache(store),
        RecordPile[CaseEntry](),
        _TotalsCounter(),
        defaultdict[str, set[str]](set),
    )
    licences = {licence.id: licence for licence in store.licences.all()}
    for batch in _in_batches(_choose_cases(store, case_ids, where)):
        works = store.works.many({case.work_id for case in batch})
        receipts = store.exhibits.receipts_of([case.number for case in batch])
        statements = store.marked_texts.statements([case.number for case in batch])
        regional = store.regional_captures.of_pages({case.page_id for case in batch})
        for case in batch:
            capture = find_full_capture(store, case.page_id, case.capture)
            entry = _case_entry(case, works.get(case.work_id), licences.get(case.licence_id or ""), texts, capture)
            regions = tuple(_reported_regions(case, regional.get(case.page_id, ())))
            entry = replace(entry, receipts=tuple(receipts.get(case.number, ())), regions=regions)
            entry = replace(entry, marked_copies=tuple(_reported_marks(statements.get(case.number))))
            if total <= _MAX_CASES_WITH_PLACES:
                quoted = add_passage_places(product, case, entry.passages, left)
                entry = replace(entry, passages=quoted, exhibit=_last_exhibit(store, case.number))
                left -= sum(len(passage.pictures) for passage in entry.passages)
            pile.add(entry)
            totals.add(entry)
            used[case.work_id] |= set(case.match.work_fingerprints)
        advance(totals.cases, total)
    named = {name.removesuffix("_id"): _condition_text(value) for name, value in where.items() if value is not None}
    if case_ids:
        named["case"] = ", ".join(case_ids)
    return Report(
        generated_at=product.now(),
        holders=tuple(sorted(totals.holders)),
        chosen_by=named,
        cases=pile.records(),
        methods=_used_methods(store, used),
        totals=totals.totals(),
    )


def _choose_cases(store: Store, case_ids: Collection[str] | None, where: CaseConditions) -> Iterator[Case]:
    """Yield the chosen cases by number, loaded in batches."""
    if case_ids is not None:
        yield from sorted((store.cases.get(id) for id in dict.fromkeys(case_ids)), key=lambda case: case.number)
        return
    further: CaseConditions = {**where, "above": 0}
    left = _MAX_CASES
    while left and (cases := store.cases.find(order=CaseOrder.OLDEST, limit=min(_CASE_BATCH_SIZE, left), **further)):
        yield from cases
        further["above"], left = cases[-1].number, left - len(cases)


def _in_batches(cases: Iterator[Case]) -> Iterator[list[Case]]:
    while batch := list(islice(cases, _CASE_BATCH_SIZE)):
        yield batch


def _condition_text(wanted: object) -> str:
    if isinstance(wanted, bool):
        return "yes" if wanted else "no"
    return ", ".join(map(str, wanted)) if isinstance(wanted, tuple) else str(wanted)


class _TextCache:
    """Load texts by digest, with a cache for those that consecutive cases share."""

    def __init__(self, store: Store) -> None:
        self.get = lru_cache(maxsize=16)(self._get)
        self._blobs = store.blobs

    def _get(self, digest: str) -> str | None:
        try:
            return self._blobs.get_text(digest)
        except NotFound:
            return None


def _case_entry(
    case: Case, work: Work | None, licence: Licence | None, texts: _TextCache, capture: Capture
) -> CaseEntry:
    match = case.match
    page_text, work_text = texts.get(case.page_text_digest), texts.get(case.work_text_digest)
    lost = {"page_text_lost": page_text, "work_text_lost": work_text, "work_record_lost": work}
    return CaseEntry(
        number=case.number,
        id=case.id,
        status=case.status,
        work_id=case.work_id,
        work_title=case.work_title,
        author=work.author if work else None,
        holder=work.owner if work else None,
        work_url=work.url if work else None,
        first_published=work.published_at if work else None,
        proof=work.proof if work else None,
        work_stored=work.stored_at if work else None,
        work_version=match.work_version,
        work_text_sha256=case.work_text_digest,
        page_id=case.page_id,
        page_url=case.page_url,
        page_title=case.page_title,
        page_host=case.page_host,
        page_text_sha256=case.page_text_digest,
        level=match.level,
        similarity=match.similarity,
        same_characters=match.same_characters,
        variants=match.variants,
        same_sound=match.same_sound,
        score=match.score,
        share_of_page=match.share_of_page,
        share_of_work=match.share_of_work,
        longest_run=match.longest_run,
        copied_characters=_count_copied(match, Side.PAGE, page_text),
        copied_of_work=_count_copied(match, Side.WORK, work_text),
        page_characters=None if page_text is None else count_characters(page_text),
        work_characters=None if work_text is None else count_characters(work_text),
        reasons=match.reasons,
        present=case.present,
        work_removed=work is None or work.removed_at is not None,
        common=case.common,
        licence=licence,
        credited=case.credited,
        assignee=case.assignee,
        notice_at=case.notice_at,
        deadline=case.deadline,
        opened_at=case.opened_at,
        decided_at=case.decided_at,
        decided_by=case.decided_by,
        decision=case.reason,
        capture=capture,
        passages=make_quotes(match.passages, page_text, work_text),
        problems=tuple(problem for problem, value in lost.items() if value is None),
    )


def _reported_regions(case: Case, captures: Iterable[RegionalCapture]) -> Iterator[ReportedRegion]:
    for shown in captures:
        if shown.capture is not None:
            yield ReportedRegion(
                region=shown.region,
                url=shown.capture.url,
                fetched_at=shown.capture.fetched_at,
                status=shown.capture.status,
                reason=str(shown.reason) if shown.reason else None,
                title=shown.title,
                body_sha256=shown.capture.body_digest,
                text_sha256=shown.text_digest,
                share_of_page=shown.share_of_page,
                share_of_work=next((one.share_of_work for one in shown.copies if one.work_id == case.work_id), 0.0),
            )


def _reported_marks(statement: "MarkStatement | None") -> Iterator[ReportedMark]:
    for copy in statement.copies if statement else ():
        assert statement
        yield ReportedMark(
            title=statement.title,
            recipient=copy.recipient,
            copy_sha256=copy.sha256,
            agreeing=copy.agreeing,
            places=copy.places,
            chance=copy.chance,
            page_text_sha256=statement.page_text_sha256,
            allowed_at=statement.allowed_at,
        )


def _count_copied(match: Match, side: Side, text: str | None) -> int:
    """Return the number of copied characters. For a lost text, use the stored count."""
    if text is not None:
        return copied_length(match.passages, side, count_text(text))
    counted = match.copied_of_page if side is Side.PAGE else match.copied_of_work
    return copied_length(match.passages, side) if counted is None else counted


def _last_exhibit(store: Store, number: int) -> ReportedExhibit | None:
    for exhibit in store.exhibits.of_case(number):
        if exhibit.made_at is not None and exhibit.file_digest is not None and exhibit.manifest_digest is not None:
            manifest = store.blobs.get(exhibit.manifest_digest)
            return ReportedExhibit(
                id=exhibit.id,
                made_at=exhibit.made_at,
                file_digest=exhibit.file_digest,
                manifest_digest=exhibit.manifest_digest,
                manifest=manifest,
            )
    return None


def _used_methods(store: Store, used: Mapping[str, Collection[str]]) -> tuple[Method, ...]:
    """Return the distinct fingerprint schemes and parameters used by the matches.

    used: fingerprint ids by work id.
    """
    fingerprints: Iterator[Fingerprint] = (
        fingerprint
        for work_id, ids in used.items()
        for fingerprint in store.fingerprints.of(OwnerKind.WORK, work_id)
        if fingerprint.id in ids
    )
    methods = {(f.scheme, repr(sorted(f.parameters.items()))): f for f in fingerprints}
    return tuple(Method(scheme=f.scheme, parameters=dict(f.parameters)) for _, f in sorted(methods.items()))


class _TotalsCounter:
    """Count totals over all cases."""

    def __init__(self) -> None:
        self.cases = self._passages = self._characters = 0
        self.holders: set[str] = set()
        self._works: set[str] = set()
        self._hosts: set[str] = set()
        self._by_status, self._by_level = Counter[str](), Counter[str]()

    def add(self, entry: CaseEntry) -> None:
        self.cases += 1
        self._passages += len(entry.passages)
        self._characters += entry.copied_characters
        self.holders |= {entry.holder} if entry.holder else set()
        self._works.add(entry.work_id)
        self._hosts.add(entry.page_host)
        self._by_status[str(entry.status)] += 1
        self._by_level[str(entry.level)] += 1

    def totals(self) -> Totals:
        return Totals(
            cases=self.cases,
            works=len(self._works),
            hosts=len(self._hosts),
            passages=self._passages,
            copied_characters=self._characters,
            by_status=dict(self._by_status),
            by_level=dict(self._by_level),
        )


# Reports for external recipients.


def report_for_outsiders(report: Report) -> Report:
    """Return the report without decisions, deciders and assignees."""
    return replace(report, cases=tuple(map(_entry_for_outsiders, report.cases)))


def _entry_for_outsiders(case: CaseEntry) -> CaseEntry:
    return replace(case, decision=None, decided_by=None, assignee=None)
