"""The list of evidence (证据目录): what is handed in, each item with a number, its source and what it proves.

What such a list has to say: Provisions of the Supreme People's Court on Evidence in Civil Procedure
(最高人民法院关于民事诉讼证据的若干规定), article 19.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Final

from dashboard.export.values_on_paper import printed_time
from dashboard.frame.language import catalogue
from services.reporting.report_contents import CaseEntry
from store.records import Receipt
from store.rules.china_time import day_or_moment

_TITLE: Final = 80  # characters


@dataclass(slots=True, kw_only=True)
class EvidenceItem:
    """One item. at: when it came into being, of a work when it was published, as far as that is known; digest: SHA-256
    of what is kept of it; cases: the numbers of those that it serves.
    """

    number: int
    name: str
    source: str
    proves: str
    at: date | None
    digest: str
    cases: list[int] = field(default_factory=list)


def evidence_list(cases: Sequence[CaseEntry]) -> list[EvidenceItem]:
    """First the works, each version once, then what was captured of pages, each capture once, then what others gave for
    the exhibits; numbered from 1.
    """
    found: dict[tuple[object, ...], EvidenceItem] = {}
    for case in cases:
        work = case.work_id, case.work_text_sha256
        found.setdefault(work, _of_work(len(found) + 1, case)).cases.append(case.number)
    for case in cases:
        capture = case.capture.url, case.capture.fetched_at, case.capture.body_digest
        found.setdefault(capture, _of_page(len(found) + 1, case)).cases.append(case.number)
    for case in cases:
        for receipt in case.receipts:
            item = found.setdefault((receipt.id,), _of_receipt(len(found) + 1, receipt))
            item.cases.append(case.number)
    return list(found.values())


def _of_work(number: int, case: CaseEntry) -> EvidenceItem:
    return EvidenceItem(
        number=number,
        name=_words("print.item_work", title=_titled(case.work_title), version=case.work_version),
        source=" · ".join(filter(None, (case.holder, case.work_url, case.proof, _stored(case)))),
        proves=_words(f"print.item_work_proves{_known(case)}"),
        at=day_or_moment(case.first_published) if case.first_published else None,
        digest=case.work_text_sha256,
    )


def _titled(title: str) -> str:
    """What a list has room for twice, in both languages; the whole stands with the case."""
    return title if len(title) <= _TITLE else f"{title[:_TITLE]}…"


def _known(case: CaseEntry) -> str:
    """What is known of a work beside its text: a list that names more than that proves too much to be believed."""
    return ("_holder" if case.holder else "") + ("_published" if case.first_published else "")


def _stored(case: CaseEntry) -> str | None:
    """Of a work whose publication nobody knows, since when it is in the library: that is not when it was made."""
    if case.first_published or case.work_stored is None:
        return None
    return catalogue().both("print.item_work_stored").format(at=printed_time(case.work_stored))


def _of_page(number: int, case: CaseEntry) -> EvidenceItem:
    return EvidenceItem(
        number=number,
        name=_words("print.item_page", host=case.page_host),
        source=case.capture.url,
        proves=_words("print.item_page_proves"),
        at=case.capture.fetched_at,
        digest=case.capture.body_digest,
    )


def _of_receipt(number: int, receipt: Receipt) -> EvidenceItem:
    return EvidenceItem(
        number=number,
        name=_words("print.item_receipt", name=receipt.file_name),
        source=receipt.issuer,
        proves=_words("print.item_receipt_proves", manifest=receipt.manifest_digest),
        at=receipt.added_at,
        digest=receipt.digest,
    )


def _words(key: str, **figures: object) -> str:
    return "\n".join(catalogue().text(language, key, **figures) for language in ("zh", "en"))
