"""Show statistics, charts and the copy map."""
