"""The suspected piracy: which cases are wanted, what people decide and say about them, and what was captured of them.

Not here: which status may follow which (`store.rules.cases.case_path`), how a case opens (`pipeline.matching`), and
reports.
"""
