"""Notices as Word files, by templates that people may replace.

Not here: what stands in a list of evidence (`dashboard.export.evidence_list`).
"""
