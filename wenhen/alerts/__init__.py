"""Alerts about cases: rules, notifications, summaries by mail and chat."""
