"""Commands about cases: decisions, exclusions, rules of triage, reports, the calibration by them."""
