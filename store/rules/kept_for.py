"""How long what only serves the day's work is kept. What may be evidence is not among it."""

from datetime import timedelta
from typing import Final

DELIVERIES: Final = timedelta(days=90)  # to webhooks, and letters of alerts, also those that nobody takes
CRAWL_PROBLEMS: Final = timedelta(days=90)  # since they last came up
LEARNED_FONTS: Final = timedelta(days=90)
RUNS: Final = timedelta(days=400)  # a year can be held against the one before
ALERTS: Final = timedelta(days=400)
