"""Steps of records: claim, lease, run, retry, set aside."""
