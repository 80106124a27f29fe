"""The infringement report as a value: what is claimed, with everything that proves it.

Not here: how it is written (`dashboard.export`).
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from itertools import islice
from typing import Final, Unpack

from matcher.verdict.copied_shares import Side, copied
from pipeline.full_capture import full_capture
from services.acting import Acting
from services.cases.passage_quotes import PassageQuote, placed, quotes
from services.context import Product
from store.errors import NotFound
from store.ports import Store
from store.record_pile import RecordPile
from store.records import (
    Capture,
    Case,
    CaseConditions,
    CaseOrder,
    CaseStatus,
    Fingerprint,
    Level,
    Licence,
    OwnerKind,
    Receipt,
    Work,
)
from store.rules.role_rights import Right

EXPORTED: Final = "report:cases"  # subject of the audit line of a report of several cases, which names their numbers
_BATCH: Final = 200  # cases that are gathered together
_FEW: Final = 50  # cases, up to which the places in files and pictures are told: what they are in is read again
_PICTURES: Final = 40  # of one report
_MOST: Final = 1_048_576  # a workbook could not hold more rows
Told = Callable[[int, int], object]  # of so many cases, how many are gathered


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedExhibit:
    """The exhibit of a case that was made last. manifest: the file in it that names every other with its SHA-256."""

    id: str
    made_at: datetime
    file_digest: str
    manifest_digest: str
    manifest: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseEntry:
    """One page that copies one work."""

    number: int
    id: str
    status: CaseStatus
    work_id: str
    work_title: str
    author: str | None
    holder: str | None
    work_url: str | None
    first_published: datetime | None
    proof: str | None  # of the first publication
    work_stored: datetime | None
    work_version: int
    work_text_sha256: str
    page_id: str
    page_url: str
    page_title: str | None
    page_host: str
    page_text_sha256: str
    level: Level
    similarity: float
    same_characters: float | None  # these three are parts of the similarity; None: found before they were counted
    variants: float | None
    same_sound: float | None
    score: float
    share_of_page: float
    share_of_work: float
    longest_run: int  # characters, invisible marks aside
    copied_characters: int  # code points of the page
    copied_of_work: int  # code points of the work
    page_characters: int | None  # of which the shares are; None where the store has lost the text
    work_characters: int | None
    reasons: tuple[str, ...]
    present: bool
    work_removed: bool  # from the library: its copies are looked for no more, and `present` is what was last seen
    common: bool  # of a lead that is not present: the text is still there, but other works have it as well
    licence: Licence | None
    credited: bool | None  # as in `Case`
    assignee: str | None
    notice_at: datetime | None
    deadline: datetime | None
    opened_at: datetime
    decided_at: datetime | None
    decided_by: str | None
    decision: str | None
    capture: Capture
    passages: tuple[PassageQuote, ...]
    receipts: tuple[Receipt, ...] = ()  # what others gave for its exhibits
    exhibit: ReportedExhibit | None = None  # of reports of few cases
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """A fingerprint scheme that the matches of this report rest on."""

    scheme: str
    parameters: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """Counts over all cases of the report."""

    cases: int
    works: int
    hosts: int
    passages: int
    copied_characters: int  # code points of pages, for each case what its passages share counted once
    by_status: Mapping[str, int]
    by_level: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """All of it; two reports of the same cases at the same time are equal."""

    generated_at: datetime
    holders: tuple[str, ...]
    chosen_by: Mapping[str, str]  # the filter that the cases were taken with
    cases: Sequence[CaseEntry]  # of very many, one that reads them from a file
    methods: tuple[Method, ...]
    totals: Totals


def report(
    acting: Acting,
    *,
    case_ids: Collection[str] | None = None,
    told: Told = lambda _done, _of: None,
    **where: Unpack[CaseConditions],
) -> Report:
    """Take the cases that pass the filter, or those named by id or number, in the order of their numbers; `told` hears
    how far that is.

    NotFound when a named case does not exist; Forbidden.
    """
    acting.require(Right.EXPORT)
    return _gathered(acting.product, case_ids, where, told)


def _gathered(product: Product, case_ids: Collection[str] | None, where: CaseConditions, told: Told) -> Report:
    store, left = product.store, _PICTURES
    of = store.cases.count(**where) if case_ids is None else len(set(case_ids))
    texts, pile, totals, used = _Texts(store), RecordPile[CaseEntry](), _Counting(), defaultdict[str, set[str]](set)
    licences = {licence.id: licence for licence in store.licences.all()}
    for some in _in_batches(_chosen(store, case_ids, where)):
        works = store.works.many({case.work_id for case in some})
        receipts = store.exhibits.receipts_of([case.number for case in some])
        for case in some:
            capture = full_capture(store, case.page_id, case.capture)
            entry = _entry(case, works.get(case.work_id), licences.get(case.licence_id or ""), texts, capture)
            entry = replace(entry, receipts=tuple(receipts.get(case.number, ())))
            if of <= _FEW:
                quoted = placed(product, case, entry.passages, left)
                entry = replace(entry, passages=quoted, exhibit=_exhibit(store, case.number))
                left -= sum(len(one.pictures) for one in entry.passages)
            pile.add(entry)
            totals.add(entry)
            used[case.work_id] |= set(case.match.work_fingerprints)
        told(totals.cases, of)
    named = {name.removesuffix("_id"): _answer(value) for name, value in where.items() if value is not None}
    if case_ids:
        named["case"] = ", ".join(case_ids)
    return Report(
        generated_at=product.now(),
        holders=tuple(sorted(totals.holders)),
        chosen_by=named,
        cases=pile.records(),
        methods=_methods(store, used),
        totals=totals.totals(),
    )


def _chosen(store: Store, case_ids: Collection[str] | None, where: CaseConditions) -> Iterator[Case]:
    """In the order of their numbers; of very many, a few at a time."""
    if case_ids is not None:
        yield from sorted((store.cases.get(id) for id in dict.fromkeys(case_ids)), key=lambda case: case.number)
        return
    further: CaseConditions = {**where, "above": 0}
    left = _MOST
    while left and (found := store.cases.find(order=CaseOrder.OLDEST, limit=min(_BATCH, left), **further)):
        yield from found
        further["above"], left = found[-1].number, left - len(found)


def _in_batches(cases: Iterator[Case]) -> Iterator[list[Case]]:
    while some := list(islice(cases, _BATCH)):
        yield some


def _answer(wanted: object) -> str:
    if isinstance(wanted, bool):
        return "yes" if wanted else "no"
    return ", ".join(map(str, wanted)) if isinstance(wanted, tuple) else str(wanted)


class _Texts:
    """Texts by digest, the few that cases in a row share kept at hand."""

    def __init__(self, store: Store) -> None:
        self.get = lru_cache(maxsize=16)(self._get)
        self._blobs = store.blobs

    def _get(self, digest: str) -> str | None:
        try:
            return self._blobs.get_text(digest)
        except NotFound:
            return None


def _entry(case: Case, work: Work | None, licence: Licence | None, texts: _Texts, capture: Capture) -> CaseEntry:
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
        copied_characters=copied(match.passages, Side.PAGE),
        copied_of_work=copied(match.passages, Side.WORK),
        page_characters=None if page_text is None else len(page_text),
        work_characters=None if work_text is None else len(work_text),
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
        passages=quotes(match.passages, page_text, work_text),
        problems=tuple(problem for problem, value in lost.items() if value is None),
    )


def _exhibit(store: Store, number: int) -> ReportedExhibit | None:
    for one in store.exhibits.of_case(number):
        if one.made_at is not None and one.file_digest is not None and one.manifest_digest is not None:
            manifest = store.blobs.get(one.manifest_digest)
            return ReportedExhibit(
                id=one.id,
                made_at=one.made_at,
                file_digest=one.file_digest,
                manifest_digest=one.manifest_digest,
                manifest=manifest,
            )
    return None


def _methods(store: Store, used: Mapping[str, Collection[str]]) -> tuple[Method, ...]:
    """Schemes and parameters of the works' fingerprints that the matches used, each once. used: ids, by work."""
    fingerprints: Iterator[Fingerprint] = (
        fingerprint
        for work_id, ids in used.items()
        for fingerprint in store.fingerprints.of(OwnerKind.WORK, work_id)
        if fingerprint.id in ids
    )
    found = {(f.scheme, repr(sorted(f.parameters.items()))): f for f in fingerprints}
    return tuple(Method(scheme=f.scheme, parameters=dict(f.parameters)) for _, f in sorted(found.items()))


class _Counting:
    """What is counted over all cases, one after the other."""

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
