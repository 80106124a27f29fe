"""The review list of addresses that searches found."""
