"""How reports are written: on paper, as a workbook, as JSON.

Not here: what they hold (`services.reports`, `services.analysis`).
"""
