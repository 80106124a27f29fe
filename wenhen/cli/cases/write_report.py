"""The infringement report as a file."""

import errno
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from dashboard.export.formats import write
from services.acting import Acting
from services.reporting.report_contents import Told
from services.reporting.report_file import export
from store.errors import BadInput, DiskFull
from store.records import CaseStatus


def write_report(
    acting: Acting,
    path: Path,
    *,
    status: CaseStatus | None = None,
    numbers: Sequence[str] = (),
    told: Told = lambda _done, _of: None,
) -> int:
    """Write the report of the cases with this status, or of those numbered, in the form that the path ends with; how
    many it holds. told: hears how many are gathered. The file appears whole or not at all.
    """
    form = path.suffix.removeprefix(".")
    made = export(acting, form, write, name=path.name, status=status, case_ids=numbers or None, told=told)
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
