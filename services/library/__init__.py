"""The works as people tend them: put, imported, set right, merged and removed; and who copies which of them.

Not here: how a file becomes drafts of works (`services.importing`).
"""
