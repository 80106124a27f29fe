"""The infringement report as a file."""

import errno
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from dashboard.export.excel import to_excel
from dashboard.export.json_report import to_json
from dashboard.export.report import build_report
from store.errors import BadInput, DiskFull
from store.records import CaseStatus
from wenhen.wiring import App


def write_report(app: App, path: Path, *, status: CaseStatus | None = None, numbers: Sequence[str] = ()) -> int:
    """Write the report of the cases with this status, or of those numbered; how many it holds. The file appears
    whole or not at all.
    """
    case_ids = [app.store.cases.get(number).id for number in numbers] or None
    report = build_report(app.store, status=status, case_ids=case_ids, now=app.now())
    content = to_excel(report) if path.suffix == ".xlsx" else to_json(report)
    unfinished = path.with_name(f".{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished.write_bytes(content)
        unfinished.replace(path)
    except OSError as error:
        with suppress(OSError):
            unfinished.unlink()
        kind = DiskFull if error.errno in (errno.ENOSPC, errno.EDQUOT) else BadInput
        raise kind(f"{path} cannot be written: {error.strerror}") from error
    return len(report.cases)
