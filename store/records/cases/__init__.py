"""Records of cases: matches, decisions, comments, exclusions, kept filters, figures."""
