"""Show and control crawl runs: their progress and their missed addresses."""
