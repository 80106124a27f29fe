"""A notice as Word files, and with all that proves it as one zip for counsel."""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from dashboard.export.evidence_list import evidence_list
from dashboard.export.excel_report import to_excel
from dashboard.export.pdf.pdf_report import to_pdf
from dashboard.export.values_on_paper import printed
from dashboard.frame.language import catalogue
from services.acting import Acting
from services.evidence.package.zip_file import zipped
from services.notices.bundle import Bundle, gathered, hand_out
from services.notices.word.word_templates import WordKind, values, written
from services.reporting.for_outsiders import for_outsiders
from store.errors import WenhenError

WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


def to_word(acting: Acting, id: str, kind: WordKind) -> tuple[str, bytes]:
    """Name and content of a notice, its power of attorney or its list of evidence as a Word file. Raises `NotFound`,
    `Unreadable`.
    """
    name = _word_name(id, kind)
    return name, hand_out(
        acting, id, name, lambda found: written(acting.product, kind, _told(acting, found)), whole=False
    )


def mailed_files(acting: Acting, id: str) -> dict[str, bytes]:
    """What goes beside a notice in a mail, as its text says: its list of evidence, and the report with both texts, as
    PDF, or as a workbook where no PDF can be made. It goes to whoever copied, so what the house says of its cases stays
    there. Raises as `to_word`.
    """
    found, settings = gathered(acting, id, whole=False), acting.product.settings
    report = for_outsiders(found.report)
    files = {_word_name(id, WordKind.EVIDENCE): written(acting.product, WordKind.EVIDENCE, _told(acting, found))}
    try:
        files["report.pdf"] = to_pdf(report, settings.report, settings.evidence)
    except WenhenError:  # what proves the copies must not be lacking for want of a font
        files["report.xlsx"] = to_excel(report)
    return files


def to_bundle(acting: Acting, id: str) -> tuple[str, bytes]:
    """Name and content of counsel's bundle: notice, power of attorney, list of evidence, report as PDF and workbook,
    exhibits, what came back, the holder's papers; what it does not hold stands in ``missing.txt``, and the SHA-256 of
    each of these in ``SHA256SUMS``. Raises `NotFound`, `Unreadable`.
    """
    name = f"{_notice_name(id)}.zip"
    return name, hand_out(acting, id, name, lambda found: _bundled(acting, found))


def _bundled(acting: Acting, found: Bundle) -> bytes:
    told, settings = _told(acting, found), acting.product.settings
    members = {_word_name(found.notice.id, kind): written(acting.product, kind, told) for kind in WordKind}
    members |= {"notice.txt": found.notice.text.encode(), "report.xlsx": to_excel(found.report)}
    lacks = [catalogue().both("bundle.no_exhibit").format(number=number) for number in found.missing]
    try:
        members["report.pdf"] = to_pdf(found.report, settings.report, settings.evidence)
    except WenhenError as error:  # the others are worth having without it
        lacks.append(f"report.pdf: {error.message.text('zh')} {error.message.text('en')}")
    members |= {f"exhibits/{name}": content for name, content in found.exhibits.items()}
    members |= {f"answers/{name}": content for name, content in found.answers.items()}
    members |= {f"papers/{name}": content for name, content in found.papers.items()}
    if lacks:
        members["missing.txt"] = "\n".join(lacks).encode()
    return zipped(members | {"SHA256SUMS": _sums(members)})


def _sums(members: Mapping[str, bytes]) -> bytes:
    """As `sha256sum --check` reads them."""
    return "".join(f"{sha256(content).hexdigest()}  {name}\n" for name, content in members.items()).encode()


def _word_name(id: str, kind: WordKind) -> str:
    return f"{_notice_name(id)}-{kind}.docx"


def _notice_name(id: str) -> str:
    """What the files of a notice begin with."""
    return f"wenhen-{id}"


def _told(acting: Acting, found: Bundle) -> dict[str, Any]:
    items = [
        {
            "number": str(one.number),
            "name": one.name,
            "source": one.source,
            "proves": one.proves,
            "at": printed(one.at, "time"),
            "digest": one.digest,
        }
        for one in evidence_list(found.report.cases)
    ]
    works = list(dict.fromkeys(case.work_title for case in found.report.cases))
    return values(acting.product, found.notice, found.holder, works, items)
