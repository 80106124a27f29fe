"""Tell people of cases: rules, notifications, summaries by mail and chat."""
