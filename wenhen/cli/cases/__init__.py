"""Commands about cases: decisions, exclusions, reports, the calibration by them."""
