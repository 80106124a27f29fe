"""The infringement report: what it holds, and how it is written."""

from dashboard.export.excel import to_excel
from dashboard.export.json_report import to_json
from dashboard.export.report import Report, build_report

__all__ = ["Report", "build_report", "to_excel", "to_json"]
