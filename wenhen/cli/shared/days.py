"""A day as commands take it."""

from datetime import UTC, datetime
from typing import Any

import click

from store.rules.china_time import CHINA


class Day(click.DateTime):
    """A day in Asia/Shanghai, YYYY-MM-DD; given as its beginning in UTC."""

    def __init__(self) -> None:
        super().__init__(["%Y-%m-%d"])

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        """The beginning of the day."""
        day: datetime = super().convert(value, param, ctx)
        try:
            return day.replace(tzinfo=CHINA).astimezone(UTC)
        except OverflowError:
            self.fail(f"{value!r} lies before the first day that there is in UTC.", param, ctx)
