"""wenhen.works.importers."""
