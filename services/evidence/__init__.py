"""Cases as files that prove them: made, kept, handed out and checked.

Not here: reports, which tell of cases (`services.reporting.report_contents`).
"""
