"""Texts told anew in other words: what no letter shows, as a suspicion for a person. No index's server, no store."""
