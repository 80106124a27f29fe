"""Rules of works: their versions and fingerprints, their holders' papers, which licence covers a page."""
