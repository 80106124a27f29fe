"""The stores that schemes look up in: buckets by key, sorted arrays, vectors."""
