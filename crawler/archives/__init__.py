"""Read the pages of archives that others made: WARC, Parquet, JSON lines."""
