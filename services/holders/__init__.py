"""Rights holders and their papers: who a notice is sent for, and whether it may be.

Not here: the notices themselves (`services.notices`).
"""
