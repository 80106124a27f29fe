"""What counsel gets of a notice: everything gathered, before it is written into one file."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from services.acting import Acting
from services.audited import Changed, Line, audited, changed
from services.evidence import exhibits
from services.reporting.report_contents import Report, report
from store.errors import NotFound
from store.records import Holder, LeftFile, Notice
from store.rules.role_rights import Right


@dataclass(frozen=True, slots=True)
class Bundle:
    """A notice with what proves it. exhibits, papers, answers: files by name; missing: cases that have no exhibit yet.

    answers: what came back, with the reports of mail servers.
    """

    notice: Notice
    holder: Holder
    report: Report
    exhibits: Mapping[str, bytes]
    papers: Mapping[str, bytes]
    answers: Mapping[str, bytes]
    missing: Sequence[int]


@audited("notice.bundle")
def hand_out(
    acting: Acting, id: str, name: str, write: Callable[[Bundle], bytes], *, whole: bool = True
) -> Changed[bytes]:
    """What is written of a notice, as a file of that name. Raises `NotFound`, `Forbidden`."""
    found = gathered(acting, id, whole=whole)
    content = write(found)
    counts = {"exhibits": len(found.exhibits), "missing": found.missing}
    return changed(content, Line(f"notice:{id}", new={**LeftFile.of(name, content).told(), **counts}))


def gathered(acting: Acting, id: str, *, whole: bool = True) -> Bundle:
    """Gather a notice with the report of its cases and, where the whole is asked for, their newest exhibits and the
    holder's papers. Raises `NotFound`, `Forbidden`.
    """
    acting.require(Right.PROCEED)
    store = acting.product.store
    notice = store.notices.get(id)
    told = report(acting, case_ids=[str(number) for number in notice.case_numbers])
    files, missing = _exhibits(acting, notice) if whole else ({}, [])
    holder = next((one for one in store.holders.all() if one.id == notice.holder), Holder(id=notice.holder))
    papers = {
        f"{place:02}-{paper.file_name or paper.id}": store.blobs.get(paper.digest)
        for place, paper in enumerate(holder.papers if whole else (), 1)
        if paper.digest
    }
    answers = _answers(acting, notice) if whole else {}
    return Bundle(notice, holder, told, files, papers, answers, missing)


def _answers(acting: Acting, notice: Notice) -> dict[str, bytes]:
    answers = [(one.file_name or one.digest, one.digest) for one in notice.answers if one.digest]
    reports = {one.digest: None for sending in notice.sendings for one in sending.reports}
    files = [*answers, *((f"delivery-{digest[:12]}.eml", digest) for digest in reports)]
    blobs = acting.product.store.blobs
    return {f"{place:02}-{name}": blobs.get(digest) for place, (name, digest) in enumerate(files, 1)}


def _exhibits(acting: Acting, notice: Notice) -> tuple[dict[str, bytes], list[int]]:
    files: dict[str, bytes] = {}
    missing = []
    for number in notice.case_numbers:
        try:
            made = next(one for one in acting.product.store.exhibits.of_case(number) if one.made_at is not None)
            file = exhibits.hand_out(acting, made.id)
        except (StopIteration, NotFound):
            missing.append(number)
        else:
            files[file.name] = file.content
            for place, receipt in enumerate(made.receipts, 1):
                content = acting.product.store.blobs.get(receipt.digest)
                files[f"{file.name}-receipt-{place:02}-{receipt.file_name}"] = content
    return files, missing
