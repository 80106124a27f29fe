"""One question to everything: titles, addresses, hosts, comments, and the texts of works and pages.

Not here: which texts a text is copied from (`services.texts.works_copied_from`).
"""
