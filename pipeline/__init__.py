"""The way of works and pages, step by step, and the one rule by which a case opens.

Not here: servers. Steps reach them through the ports of their context.
"""
