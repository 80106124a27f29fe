"""Notices: what one is about and which are due; the letters, as their receiver asks for them, sent and answered.

Not here: whether a holder can send one (`services.holders.ready_to_send_notices`).
"""
