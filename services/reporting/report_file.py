"""The infringement report as a file: written, and with its SHA-256 in the audit log before anybody has it."""

from collections.abc import Callable, Collection
from typing import NamedTuple, Unpack

from pipeline.setting_sections import EvidenceSettings, ReportSettings
from services.acting import Acting
from services.audited import Changed, Line, audited, changed
from services.reporting.report_contents import EXPORTED, Report, Told, report
from store.number_ranges import as_ranges
from store.records import CaseConditions, LeftFile

Write = Callable[[str, Report, ReportSettings, EvidenceSettings], bytes]  # the report in the form of that name


class ReportFile(NamedTuple):
    """A report, and the file that was written of it. numbers: of its cases, as ranges."""

    report: Report
    name: str
    content: bytes
    numbers: str


@audited("report.export")
def export(
    acting: Acting,
    format: str,
    write: Write,
    *,
    name: str,
    case_ids: Collection[str] | None = None,
    told: Told = lambda _done, _of: None,
    **where: Unpack[CaseConditions],
) -> Changed[ReportFile]:
    """The report of the cases as a file of that name; the rest as `report` takes it, whose errors it raises."""
    made, settings = report(acting, case_ids=case_ids, told=told, **where), acting.product.settings
    content = write(format, made, settings.report, settings.evidence)
    chosen = {**made.chosen_by, "cases": made.totals.cases, **LeftFile.of(name, content).told()}
    numbers = as_ranges([one.number for one in made.cases])
    if case_ids and made.totals.cases == 1:
        line = Line(f"case:{numbers}", new=chosen)
    else:
        line = Line(EXPORTED, new={"numbers": numbers, **chosen})
    return changed(ReportFile(made, name, content, numbers), line)
