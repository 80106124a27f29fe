"""One search over everything, reached from every screen."""
