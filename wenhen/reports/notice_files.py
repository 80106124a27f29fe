"""Create the files of a notice: Word files, mail attachments, the list of addresses, and the bundle for counsel."""

import csv
import io
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from pathlib import PurePath
from typing import Any, Final, NamedTuple

from wenhen.audit.model import ExportedFile
from wenhen.context.use_cases import Acting, AuditLine, ChangeResult, Product, audited, change_result
from wenhen.evidence.exhibits import export_exhibit
from wenhen.evidence.wacz import zip_members
from wenhen.holders.model import Holder, is_paper_valid
from wenhen.kit.clock import china_day
from wenhen.kit.errors import BadInput, Language, NotFound, WenhenError
from wenhen.kit.rights import Right
from wenhen.notices.model import DEFAULT_MAIL_MEGABYTES, Notice, NoticeLaw
from wenhen.notices.platforms import get_platform
from wenhen.notices.replies import cases_by_address
from wenhen.notices.word_templates import WordKind, template_values, write_word_file
from wenhen.reports.columns import escape_formula
from wenhen.reports.contents import gather_report, report_for_outsiders
from wenhen.reports.evidence_list import list_evidence
from wenhen.reports.model import Report
from wenhen.reports.pdf.document import to_pdf
from wenhen.reports.phrases import format_printed
from wenhen.reports.shared_links import share_file
from wenhen.reports.wording import catalogue, report_languages, written_in
from wenhen.reports.xlsx import to_excel

# The contents of the bundle for counsel, before it is written to a file.


@dataclass(frozen=True, slots=True)
class Bundle:
    """A notice with its evidence.

    exhibits, papers, answers: file contents by name.
    answers: replies and delivery reports of mail servers.
    missing: numbers of cases without an exhibit.
    """

    notice: Notice
    holder: Holder
    report: Report
    exhibits: Mapping[str, bytes]
    papers: Mapping[str, bytes]
    answers: Mapping[str, bytes]
    missing: Sequence[int]


@audited("notice.bundle")
def export_bundle(
    acting: Acting, id: str, name: str, write: Callable[[Bundle], bytes], *, whole: bool = True
) -> ChangeResult[bytes]:
    """Write a notice as a file with this name, and log the export. Raises `NotFound`, `Forbidden`.

    write: creates the file contents from the bundle.
    whole: include exhibits, rights documents and answers.
    """
    bundle = gather_bundle(acting, id, whole=whole)
    content = write(bundle)
    counts = {"exhibits": len(bundle.exhibits), "missing": bundle.missing}
    return change_result(
        content, AuditLine(f"notice:{id}", new={**ExportedFile.of(name, content).audit_fields(), **counts})
    )


def gather_bundle(acting: Acting, id: str, *, whole: bool = True) -> Bundle:
    """Gather a notice and the report of its cases. Raises `NotFound`, `Forbidden`.

    whole: include the newest exhibits, the documents of the holder and answers.
    """
    acting.require(Right.PROCEED)
    store = acting.product.store
    notice = store.notices.get(id)
    report = gather_report(acting, case_ids=[str(number) for number in notice.case_numbers])
    files, missing = _exhibit_files(acting, notice) if whole else ({}, [])
    holder = next((holder for holder in store.holders.all() if holder.id == notice.holder), Holder(id=notice.holder))
    papers = {
        f"{place:02}-{paper.file_name or paper.id}": store.blobs.get(paper.digest)
        for place, paper in enumerate(holder.papers if whole else (), 1)
        if paper.digest
    }
    answers = _answer_files(acting, notice) if whole else {}
    return Bundle(notice, holder, report, files, papers, answers, missing)


def _answer_files(acting: Acting, notice: Notice) -> dict[str, bytes]:
    answers = [(answer.file_name or answer.digest, answer.digest) for answer in notice.answers if answer.digest]
    reports = {report.digest: None for sending in notice.sendings for report in sending.reports}
    files = [*answers, *((f"delivery-{digest[:12]}.eml", digest) for digest in reports)]
    blobs = acting.product.store.blobs
    return {f"{place:02}-{name}": blobs.get(digest) for place, (name, digest) in enumerate(files, 1)}


def _exhibit_files(acting: Acting, notice: Notice) -> tuple[dict[str, bytes], list[int]]:
    files: dict[str, bytes] = {}
    missing = []
    for number in notice.case_numbers:
        try:
            made = next(
                exhibit for exhibit in acting.product.store.exhibits.of_case(number) if exhibit.made_at is not None
            )
            file = export_exhibit(acting, made.id)
        except (StopIteration, NotFound):
            missing.append(number)
        else:
            files[file.name] = file.content
            for place, receipt in enumerate(made.receipts, 1):
                content = acting.product.store.blobs.get(receipt.digest)
                files[f"{file.name}-receipt-{place:02}-{receipt.file_name}"] = content
    return files, missing


BYTES_PER_MEGABYTE: Final = 1_000_000
NOTICE_LINK_DAYS: Final = 60  # the receiver needs them while the deadline runs, and for a while after it
_MAX_PAPER_TITLE_CHARACTERS: Final = 60
_UNSAFE_IN_NAMES: Final = frozenset('/\\:*?"<>|')
WORD_MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


def write_notice_word(
    acting: Acting, id: str, kind: WordKind, *, language: Language | None = None
) -> tuple[str, bytes]:
    """Return name and content of a notice, power of attorney or list of evidence as a Word file.

    language: of the list of evidence, zh for a court and en for a foreign host. None: both.

    Raises `NotFound`, `Unreadable`.
    """
    name = _word_name(id, kind)
    with written_in(language):
        return name, export_bundle(
            acting,
            id,
            name,
            lambda bundle: write_word_file(acting.product, kind, _word_values(acting, bundle), language),
            whole=False,
        )


class MailParts(NamedTuple):
    """The attachments of a mail by name, and what its text says about files behind links."""

    files: Mapping[str, bytes]
    appendix: str = ""


def gather_mail_parts(acting: Acting, id: str, link_address: Callable[[str], str] | None = None) -> MailParts:
    """Return the attachments of a notice: list of evidence, rights documents, and the report with both texts.

    They are in the language of the law of the notice, and within the limit of its receiver. What does not fit stands
    behind a link that ends. The report is a PDF, or a workbook if no PDF can be created. The recipient is the
    infringer, so internal remarks are left out.

    link_address: makes the address of a link from its secret. None: there is no dashboard to link to.

    Raises the errors of `write_notice_word`, and `BadInput` if the files are too large and nothing can be linked.
    """
    bundle = gather_bundle(acting, id, whole=False)
    language: Language = "en" if bundle.notice.law is NoticeLaw.DMCA else "zh"
    with written_in(language):
        files = _mail_files(acting, bundle, language)
    limit = _mail_limit(acting, bundle.notice)
    attached = dict(files)
    linked: list[str] = []
    for name in sorted(files, key=lambda name: -len(files[name])):
        if _mail_size(attached) <= limit:
            break
        if link_address is None:
            raise BadInput("notices.mail_too_large", size=_megabytes(_mail_size(files)), most=_megabytes(limit))
        link, secret = share_file(acting, f"notice:{id}", name, attached.pop(name), NOTICE_LINK_DAYS)
        linked.append(
            catalogue().text(
                language,
                "bundle.linked",
                name=name,
                address=link_address(secret),
                until=china_day(link.expires_at).isoformat(),
                sha256=link.file_digest,
            )
        )
    heading = catalogue().text(language, "bundle.linked_heading")
    return MailParts(attached, "\n".join([heading, *linked]) if linked else "")


def _mail_files(acting: Acting, bundle: Bundle, language: Language) -> dict[str, bytes]:
    """Return all files for the receiver by name."""
    settings, id = acting.product.settings, bundle.notice.id
    report = report_for_outsiders(bundle.report)

    def name(key: str, ending: str) -> str:
        return f"{catalogue().text(language, key)}-{id}{ending}"

    files = {
        name("bundle.evidence_file", ".docx"): write_word_file(
            acting.product, WordKind.EVIDENCE, _word_values(acting, bundle), language
        )
    }
    day = china_day(acting.product.now())
    papers = [paper for paper in bundle.holder.papers if paper.digest and is_paper_valid(paper, day)]
    for place, paper in enumerate(papers, 1):
        ending = PurePath(paper.file_name or "").suffix.lower()
        title = f"{name('bundle.paper_file', '')}-{place}-{paper.title[:_MAX_PAPER_TITLE_CHARACTERS]}"
        files[_plain_file_name(title) + ending] = acting.product.store.blobs.get(paper.digest or "")
    try:
        files[name("bundle.report_file", ".pdf")] = to_pdf(report, settings.report, settings.evidence)
    except WenhenError:  # evidence must not be missing because of a font
        files[name("bundle.report_file", ".xlsx")] = to_excel(report)
    return files


def _plain_file_name(title: str) -> str:
    return "".join("-" if sign in _UNSAFE_IN_NAMES or not sign.isprintable() else sign for sign in title)


def _mail_limit(acting: Acting, notice: Notice) -> int:
    """Return the largest size of a mail to the receiver, in bytes."""
    try:
        megabytes = get_platform(acting.product, notice.platform).mail_megabytes
    except NotFound:
        megabytes = None
    return (megabytes or DEFAULT_MAIL_MEGABYTES) * BYTES_PER_MEGABYTE


def _mail_size(files: Mapping[str, bytes]) -> int:
    """Return the size of the files in a mail, which Base64 makes a third larger."""
    return sum(math.ceil(len(content) / 57) * 78 for content in files.values())


def _megabytes(size: int) -> str:
    return f"{size / BYTES_PER_MEGABYTE:.1f}"


def write_notice_bundle(acting: Acting, id: str, *, language: Language | None = None) -> tuple[str, bytes]:
    """Return name and content of the bundle for counsel, in this language or in both.

    It contains notice, power of attorney, list of evidence, report as PDF and workbook, exhibits, answers and documents
    of the holder. ``missing.txt`` lists what is missing, and ``SHA256SUMS`` the digests. Raises `NotFound`,
    `Unreadable`.
    """
    name = f"{_notice_name(id)}.zip"
    with written_in(language):
        return name, export_bundle(acting, id, name, lambda bundle: _bundle_bytes(acting, bundle, language))


def _bundle_bytes(acting: Acting, bundle: Bundle, language: Language | None) -> bytes:
    words, settings = _word_values(acting, bundle), acting.product.settings
    members = {
        _word_name(bundle.notice.id, kind): write_word_file(acting.product, kind, words, language) for kind in WordKind
    }
    members |= {"notice.txt": bundle.notice.text.encode(), "report.xlsx": to_excel(bundle.report)}
    lacks = [catalogue().both("bundle.no_exhibit").format(number=number) for number in bundle.missing]
    try:
        members["report.pdf"] = to_pdf(bundle.report, settings.report, settings.evidence)
    except WenhenError as error:  # the other files are useful without it
        lacks.append(" ".join(["report.pdf:", *map(error.message.text, report_languages())]))
    members |= {f"exhibits/{name}": content for name, content in bundle.exhibits.items()}
    members |= {f"answers/{name}": content for name, content in bundle.answers.items()}
    members |= {f"papers/{name}": content for name, content in bundle.papers.items()}
    if lacks:
        members["missing.txt"] = "\n".join(lacks).encode()
    return zip_members(members | {"SHA256SUMS": _checksums(members)})


def _checksums(members: Mapping[str, bytes]) -> bytes:
    """Return the digests in the format of `sha256sum --check`."""
    return "".join(f"{sha256(content).hexdigest()}  {name}\n" for name, content in members.items()).encode()


def _word_name(id: str, kind: WordKind) -> str:
    return f"{_notice_name(id)}-{kind}.docx"


def _notice_name(id: str) -> str:
    """Return the prefix of file names of a notice."""
    return f"wenhen-{id}"


def _word_values(acting: Acting, bundle: Bundle) -> dict[str, Any]:
    items = [
        {
            "number": str(item.number),
            "name": item.name,
            "source": item.source,
            "proves": item.proves,
            "at": format_printed(item.at, "time"),
            "digest": item.digest,
        }
        for item in list_evidence(bundle.report.cases)
    ]
    works = list(dict.fromkeys(case.work_title for case in bundle.report.cases))
    return template_values(acting.product, bundle.notice, bundle.holder, works, items)


# The addresses of a notice, as the form of its platform takes them.


class AddressFile(StrEnum):
    """The forms of a list of addresses."""

    TXT = "txt"  # one address a line, to paste into a form
    CSV = "csv"  # with the number, the cases, the works and their own addresses


_ADDRESS_COLUMNS: Final = ("number", "address", "cases", "works", "originals")


def write_addresses(product: Product, id: str, form: AddressFile) -> tuple[str, bytes]:
    """Return the name and the content of the list of a notice's addresses. A page of several works stands once.

    Raises `NotFound`.
    """
    notice = product.store.notices.get(id)
    cases_of_pages = list(cases_by_address(product, notice).values())
    name = f"{notice.id}-{notice.platform}.{form}"
    if form is AddressFile.TXT:
        return name, "".join(f"{cases[0].page_url}\r\n" for cases in cases_of_pages).encode()
    works = product.store.works.many(list({case.work_id for cases in cases_of_pages for case in cases}))
    table = io.StringIO()
    writer = csv.writer(table)
    writer.writerow(_ADDRESS_COLUMNS)
    for number, cases in enumerate(cases_of_pages, 1):
        numbers = " ".join(f"#{case.number}" for case in cases)
        titles = " ".join(dict.fromkeys(case.work_title for case in cases))
        originals = " ".join(
            dict.fromkeys(work.url for case in cases if (work := works.get(case.work_id)) and work.url)
        )
        writer.writerow([number, *map(escape_formula, (cases[0].page_url, numbers, titles, originals))])
    return name, table.getvalue().encode()
