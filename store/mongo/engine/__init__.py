"""What the collections share: typed tables, the codec of records, errors, clock, counters."""
