"""One question to everything: works, cases, pages, phrases."""
