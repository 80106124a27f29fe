"""How reports are written: as a workbook, and as JSON.

Not here: what they hold (`services.reports`, `services.analysis`).
"""

from dashboard.export.excel import to_excel
from dashboard.export.json_report import to_json

__all__ = ["to_excel", "to_json"]
