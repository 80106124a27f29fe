"""Export reports as files, at once or in the background."""

import errno
import secrets
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from typing import Final, Literal, NamedTuple, Unpack

from wenhen.audit.model import ExportedFile, format_ranges
from wenhen.cases.filters import parse_conditions, serialize_conditions
from wenhen.cases.model import CaseConditions, CaseStatus
from wenhen.context.use_cases import Acting, AuditLine, ChangeResult, Product, audited, change_result
from wenhen.evidence.model import REPORT_AUDIT_SUBJECT
from wenhen.kit.clock import Backoff, china_day
from wenhen.kit.errors import (
    BadInput,
    Conflict,
    DiskFull,
    Language,
    Message,
    NotFound,
    TooLarge,
    Unavailable,
    WenhenError,
    failure,
)
from wenhen.kit.plugins import REPORT_WRITERS, call_plugin, working_plugins
from wenhen.kit.rights import Right
from wenhen.reports.contents import ReportProgress, gather_report, require_known_conditions
from wenhen.reports.model import Report
from wenhen.reports.repository import KeptReport
from wenhen.reports.wording import REPORT_LANGUAGES, written_in
from wenhen.settings.notices_and_reports import EvidenceSettings, ReportSettings

ReportFormat = Literal["pdf", "xlsx", "csv", "json", "html"]
MEDIA_TYPES: Final[Mapping[ReportFormat, str]] = {
    "pdf": "application/pdf",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "csv": "text/csv",
    "json": "application/json",
    "html": "text/html",
}
# Writers are imported on demand, because they import three libraries.
_FORMAT_WRITERS: Final[Mapping[str, str]] = {
    "pdf": "pdf.document:to_pdf",
    "xlsx": "xlsx:to_excel",
    "csv": "csv_and_json:to_csv",
    "json": "csv_and_json:to_json",
    "html": "html:to_html",  # for one case only
}


def known_endings() -> list[str]:
    """Return the endings of files that a report can be written to, with those of plug-ins."""
    return [f".{format}" for format in (*_FORMAT_WRITERS, *working_plugins(REPORT_WRITERS))]


def render_report(format: str, report: Report, settings: ReportSettings, evidence: EvidenceSettings) -> bytes:
    """Return the report as a file of this format."""
    if format not in _FORMAT_WRITERS:
        content = call_plugin(REPORT_WRITERS, format, report)
        if not isinstance(content, bytes):
            raise BadInput("reports.no_bytes", format=format)
        return content
    module, _, function = _FORMAT_WRITERS[format].partition(":")
    writer = getattr(import_module(f"wenhen.reports.{module}"), function)
    written: bytes = writer(report, settings, evidence) if format == "pdf" else writer(report)
    return written


# Exported reports: the audit log records their SHA-256 before anyone receives them.


# arguments: format, report, settings of reports and evidence
ReportWriter = Callable[[str, Report, ReportSettings, EvidenceSettings], bytes]


class ReportFile(NamedTuple):
    """A report and its file. numbers: case numbers as ranges."""

    report: Report
    name: str
    content: bytes
    numbers: str


@audited("report.export")
def export_report(
    acting: Acting,
    format: str,
    write: ReportWriter,
    *,
    name: str,
    case_ids: Collection[str] | None = None,
    language: Language | None = None,
    advance: ReportProgress = lambda _done, _of: None,
    **where: Unpack[CaseConditions],
) -> ChangeResult[ReportFile]:
    """Export the report of the cases as a file.

    language: None for Chinese and English. Other arguments and errors are those of `gather_report`.
    """
    made, settings = gather_report(acting, case_ids=case_ids, advance=advance, **where), acting.product.settings
    with written_in(language):
        content = write(format, made, settings.report, settings.evidence)
    chosen = {**made.chosen_by, "cases": made.totals.cases, **ExportedFile.of(name, content).audit_fields()}
    numbers = format_ranges([case.number for case in made.cases])
    if case_ids and made.totals.cases == 1:
        line = AuditLine(f"case:{numbers}", new=chosen)
    else:
        line = AuditLine(REPORT_AUDIT_SUBJECT, new={"numbers": numbers, **chosen})
    return change_result(ReportFile(made, name, content, numbers), line)


MAX_CASES_AT_ONCE: Final[Mapping[str, int]] = {
    "pdf": 60,
    "xlsx": 2_000,
    "csv": 10_000,
    "json": 10_000,
}  # maximum number of cases for an immediate report


def is_report_long(product: Product, format: str, **where: Unpack[CaseConditions]) -> bool:
    """Return whether the report of these cases should be created in the background."""
    return product.store.cases.count(**where) > MAX_CASES_AT_ONCE[format]


def require_short_report(product: Product, format: str, **where: Unpack[CaseConditions]) -> None:
    """Raise `TooLarge` for a report that takes too long for a request."""
    if is_report_long(product, format, **where):
        raise TooLarge("reports.takes_long", most=MAX_CASES_AT_ONCE[format])


# Long reports: requested with a name, created in the background, stored until deleted. Callers supply the writer.


STORED_FORMATS: Final = ("pdf", "xlsx", "csv", "json")
MAX_REPORT_NAME_CHARACTERS: Final = 100
SHOWN_REPORTS: Final = 50
_MAX_REPORTS_PER_TASK: Final = 5
_REPORT_LEASE: Final = timedelta(minutes=20)  # longer than writing a report
_REPORT_BACKOFF: Final = Backoff(timedelta(minutes=1), timedelta(hours=1))
_MAX_ERROR_CHARACTERS: Final = 200  # characters of an error message


@audited("report.ask")
def request_report(
    acting: Acting,
    name: str,
    format: str,
    *,
    case_ids: Collection[str] = (),
    language: Language | None = None,
    **where: Unpack[CaseConditions],
) -> ChangeResult[KeptReport]:
    """Request a report of the cases that match, or of those given by number.

    Raises `BadInput` for an empty name or unknown format, work, host or rights holder, `NotFound` for an unknown case,
    `Forbidden`.
    """
    acting.require(Right.EXPORT)
    name = " ".join(name.split())[:MAX_REPORT_NAME_CHARACTERS]
    if not name or format not in STORED_FORMATS:
        raise BadInput("reports.unnamed")
    product = acting.product
    if not case_ids:
        require_known_conditions(product, where)
    for id in case_ids:
        product.store.cases.get(id)
    now = product.now()
    kept = KeptReport(
        id=secrets.token_hex(8),
        name=name,
        format=format,
        language=language,
        by=acting.who,
        wanted_at=now,
        where=serialize_conditions(where),
        case_ids=tuple(dict.fromkeys(case_ids)),
        due=now,
    )
    product.store.kept_reports.put(kept)
    with suppress(Unavailable):  # the reconciler queues it
        product.queue.reports()
    return change_result(kept, AuditLine(f"report:{kept.id}", new={"name": name, "format": format}))


@audited("report.hand_out")
def hand_out_report(acting: Acting, id: str) -> ChangeResult[tuple[KeptReport, bytes]]:
    """Return a stored report and its file. Raises `NotFound` if it is unknown or not created yet, `Forbidden`."""
    acting.require(Right.EXPORT)
    kept = acting.product.store.kept_reports.get(id)
    if kept.file_digest is None:
        raise NotFound("reports.not_made", name=kept.name)
    content = acting.product.store.blobs.get(kept.file_digest)
    file = ExportedFile.of(report_file_name(kept), content).audit_fields()
    lines = [AuditLine(f"report:{id}", new=file)]
    if kept.numbers:  # part of the chain of custody of its cases
        lines.append(AuditLine(REPORT_AUDIT_SUBJECT, new={"numbers": kept.numbers, "report": kept.name, **file}))
    return change_result((kept, content), *lines)


def report_file_name(kept: KeptReport) -> str:
    """Return the file name: report name, day of creation and extension."""
    return f"{kept.name}-{china_day(kept.made_at or kept.wanted_at):%Y%m%d}.{kept.format}"


@audited("report.remove")
def delete_report(acting: Acting, id: str) -> ChangeResult[None]:
    """Delete a report or cancel its creation.

    Raises `NotFound`, and `Forbidden` unless the user requested it or is an administrator.
    """
    acting.require(Right.EXPORT)
    kept = acting.product.store.kept_reports.get(id)
    if kept.by != acting.who:
        acting.require(Right.USERS)
    _drop_report(acting.product, kept)
    return change_result(None, AuditLine(f"report:{id}", old=kept.name))


def remove_old_reports(product: Product) -> None:
    """Delete reports older than `report.keep_days` days."""
    if days := product.settings.report.keep_days:
        for kept in product.store.kept_reports.made_before(product.now() - timedelta(days=days)):
            _drop_report(product, kept)


def queue_due_reports(product: Product) -> None:
    """Queue the creation of due reports."""
    if product.store.kept_reports.has_due(product.now()):
        product.queue.reports()


def make_due_reports(product: Product, write: ReportWriter) -> None:
    """Create due reports. Failures are retried with backoff, a limited number of times."""
    for _ in range(_MAX_REPORTS_PER_TASK):
        now = product.now()
        kept = product.store.kept_reports.claim(now, now + _REPORT_LEASE)
        if kept is None:
            return
        try:
            _make_report(product, kept, write)
        except Exception as error:  # noqa: BLE001  a failure must not prevent other reports
            _record_failure(product, kept, error)


def _make_report(product: Product, kept: KeptReport, write: ReportWriter) -> None:
    acting = Acting(product, kept.by, frozenset({Right.EXPORT}))

    def advance(done: int, of: int) -> None:
        until = product.now() + _REPORT_LEASE
        if not product.store.kept_reports.progress(kept.id, done=done, of=of, until=until):
            raise Conflict("reports.no_kept", id=kept.id)

    now = product.now()
    name = report_file_name(replace(kept, made_at=now))
    where = parse_conditions(kept.where)
    file = export_report(
        acting,
        kept.format,
        write,
        name=name,
        case_ids=kept.case_ids or None,
        language=next((language for language in REPORT_LANGUAGES if language == kept.language), None),
        advance=advance,
        **where,
    )
    cases = file.report.totals.cases
    advance(cases, cases)  # raises if it was deleted meanwhile
    product.store.kept_reports.put(
        replace(
            kept,
            due=None,
            problem=None,
            done=cases,
            of=cases,
            cases=cases,
            numbers=file.numbers,
            made_at=now,
            file_digest=product.store.blobs.put(file.content),
            size=len(file.content),
        )
    )


def _record_failure(product: Product, kept: KeptReport, error: Exception) -> None:
    try:
        product.store.kept_reports.get(kept.id)
    except NotFound:  # deleted during creation
        return
    # A retry is useless if the report itself or this machine is the cause.
    hopeless = isinstance(error, WenhenError) and not isinstance(error, Unavailable)
    last = hopeless or kept.tries >= product.settings.worker.max_tries
    due = None if last else product.now() + _REPORT_BACKOFF.after(kept.tries)
    problem: Message = error.message if isinstance(error, WenhenError) else failure(error, _MAX_ERROR_CHARACTERS)
    product.store.kept_reports.put(replace(kept, due=due, problem=problem))


def _drop_report(product: Product, kept: KeptReport) -> None:
    product.store.kept_reports.remove(kept.id)
    store, digest = product.store, kept.file_digest
    if digest is not None and not store.kept_reports.of_file(digest) and not store.shared_links.of_file(digest):
        store.blobs.drop([digest], product.now())


def write_report(
    acting: Acting,
    path: Path,
    *,
    status: CaseStatus | None = None,
    numbers: Sequence[str] = (),
    language: Language | None = None,
    advance: ReportProgress = lambda _done, _of: None,
) -> int:
    """Write the report of the cases with this status, or of those given by number, and return their number.

    The extension of the path determines the format. The file is replaced atomically.

    advance: called with the numbers of gathered cases and of all cases.

    Raises `BadInput` or `DiskFull` if the file cannot be written.
    """
    form = path.suffix.removeprefix(".")
    made = export_report(
        acting,
        form,
        render_report,
        name=path.name,
        status=status,
        case_ids=numbers or None,
        language=language,
        advance=advance,
    )
    unfinished = path.with_name(f".{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished.write_bytes(made.content)
        unfinished.replace(path)
    except OSError as error:
        with suppress(OSError):
            unfinished.unlink()
        kind = DiskFull if error.errno in (errno.ENOSPC, errno.EDQUOT) else BadInput
        raise kind("reports.cannot_write", path=str(path), error=error.strerror or str(error)) from error
    return made.report.totals.cases
