"""Records of cases: matches, decisions, comments, exclusions, exhibits, notices, reports, kept filters, figures."""
