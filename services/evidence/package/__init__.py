"""An exhibit's file, from its contents to the signed WACZ and back: pure, and the same bytes for the same contents.

Not here: where the contents come from, and who asks (`services.evidence`).
"""
