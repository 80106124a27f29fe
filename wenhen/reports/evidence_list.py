"""List the evidence of a report (证据目录), each item with source and purpose.

Required contents: Provisions of the Supreme People's Court on Evidence in Civil Procedure
(最高人民法院关于民事诉讼证据的若干规定), article 19.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Final

from crawler.addresses import host_in_both_forms
from wenhen.evidence.model import Receipt
from wenhen.kit.clock import day_or_moment
from wenhen.reports.model import CaseEntry, ReportedMark, ReportedRegion
from wenhen.reports.phrases import format_printed_time
from wenhen.reports.wording import catalogue, report_languages

_MAX_TITLE_CHARACTERS: Final = 80  # characters of a title


@dataclass(slots=True, kw_only=True)
class EvidenceItem:
    """An item of evidence.

    at: creation time, or the publication of a work if known.
    digest: SHA-256 of the stored data.
    cases: numbers of the cases that it supports.
    """

    number: int
    name: str
    source: str
    proves: str
    at: date | None
    digest: str
    cases: list[int] = field(default_factory=list)


def list_evidence(cases: Sequence[CaseEntry]) -> list[EvidenceItem]:
    """Return the items numbered from 1: distinct versions of works, distinct captures, those from
    several regions, marked copies, then receipts of exhibits.
    """
    items: dict[tuple[object, ...], EvidenceItem] = {}
    for case in cases:
        work = case.work_id, case.work_text_sha256
        items.setdefault(work, _work_item(len(items) + 1, case)).cases.append(case.number)
    for case in cases:
        capture = case.capture.url, case.capture.fetched_at, case.capture.body_digest
        items.setdefault(capture, _page_item(len(items) + 1, case)).cases.append(case.number)
    for case in cases:
        for shown in case.regions:
            of_region = shown.region, shown.url, shown.fetched_at
            items.setdefault(of_region, _region_item(len(items) + 1, case, shown)).cases.append(case.number)
    for case in cases:
        for mark in case.marked_copies:
            of_copy = "mark", mark.copy_sha256, case.page_text_sha256
            items.setdefault(of_copy, _mark_item(len(items) + 1, mark)).cases.append(case.number)
    for case in cases:
        for receipt in case.receipts:
            item = items.setdefault((receipt.id,), _receipt_item(len(items) + 1, receipt))
            item.cases.append(case.number)
    return list(items.values())


def _work_item(number: int, case: CaseEntry) -> EvidenceItem:
    return EvidenceItem(
        number=number,
        name=_both_words("print.item_work", title=_short_title(case.work_title), version=case.work_version),
        source=" · ".join(filter(None, (case.holder, case.work_url, case.proof, _stored_since(case)))),
        proves=_both_words(f"print.item_work_proves{_known_facts(case)}"),
        at=day_or_moment(case.first_published) if case.first_published else None,
        digest=case.work_text_sha256,
    )


def _short_title(title: str) -> str:
    """Return the title, truncated because it appears twice, once per language."""
    return title if len(title) <= _MAX_TITLE_CHARACTERS else f"{title[:_MAX_TITLE_CHARACTERS]}…"


def _known_facts(case: CaseEntry) -> str:
    """Return the key suffix for known facts about a work, so that the list claims only these."""
    return ("_holder" if case.holder else "") + ("_published" if case.first_published else "")


def _stored_since(case: CaseEntry) -> str | None:
    """Return since when a work of unknown publication date is in the library. None if the date is known."""
    if case.first_published or case.work_stored is None:
        return None
    return catalogue().both("print.item_work_stored").format(at=format_printed_time(case.work_stored))


def _page_item(number: int, case: CaseEntry) -> EvidenceItem:
    return EvidenceItem(
        number=number,
        name=_both_words("print.item_page", host=host_in_both_forms(case.page_host)),
        source=case.capture.url,
        proves=_both_words("print.item_page_proves"),
        at=case.capture.fetched_at,
        digest=case.capture.body_digest,
    )


def _region_item(number: int, case: CaseEntry, shown: ReportedRegion) -> EvidenceItem:
    way = "" if shown.region else "_direct"
    proves = "shows" if shown.share_of_work else "other"
    return EvidenceItem(
        number=number,
        name=_both_words(
            f"print.item_region{way}",
            host=host_in_both_forms(case.page_host),
            region=shown.region,
            at=format_printed_time(shown.fetched_at),
        ),
        source=shown.url,
        proves=_both_words(
            f"print.item_region_{proves}", status=shown.status, share=f"{shown.share_of_work * 100:.1f}"
        ),
        at=shown.fetched_at,
        digest=shown.body_sha256,
    )


def _mark_item(number: int, mark: ReportedMark) -> EvidenceItem:
    figures = {"agreeing": mark.agreeing, "places": mark.places, "chance": f"{mark.chance:.1e}"}
    return EvidenceItem(
        number=number,
        name=_both_words("print.item_mark", title=_short_title(mark.title), recipient=mark.recipient),
        source=_both_words("print.item_mark_source", **figures),
        proves=_both_words("print.item_mark_proves", recipient=mark.recipient),
        at=mark.allowed_at,
        digest=mark.copy_sha256,
    )


def _receipt_item(number: int, receipt: Receipt) -> EvidenceItem:
    return EvidenceItem(
        number=number,
        name=_both_words("print.item_receipt", name=receipt.file_name),
        source=receipt.issuer,
        proves=_both_words("print.item_receipt_proves", manifest=receipt.manifest_digest),
        at=receipt.added_at,
        digest=receipt.digest,
    )


def _both_words(key: str, **figures: object) -> str:
    return "\n".join(catalogue().text(language, key, **figures) for language in report_languages())
