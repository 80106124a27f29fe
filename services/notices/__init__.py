"""Notices as letters: written in the shape that their receiver asks for, edited, sent and answered.

Not here: which copies a notice is about, and which are due (`services.cases.notices`).
"""
