"""How reports are written: on paper, as a workbook, a table, a page or JSON; and the bundles that go with notices.

Not here: what they hold (`services.reporting.report_contents`, `services.analysis`).
"""
