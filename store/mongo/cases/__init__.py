"""Cases in MongoDB: what fits a filter, moves, comments, exclusions, kept filters, rules of triage and figures."""
