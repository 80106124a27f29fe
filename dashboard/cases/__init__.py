"""The queue of suspects and the screen of a case: texts side by side, decisions, notices.

Not here: what a decision does (`services.cases`).
"""
