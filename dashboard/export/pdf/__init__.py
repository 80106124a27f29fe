"""The report on paper: PDF/A-3 with tags, set by Typst, with the workbook inside; sealed where there is a key.

Typst, fontTools and pyHanko are the extra `pdf`. The child that sets the pages imports from here what it needs alone.
"""

from typing import Final

CONTENT: Final = "content.json"
WORKBOOK: Final = "report.xlsx"
