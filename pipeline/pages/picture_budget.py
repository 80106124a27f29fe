"""How many pictures of one host are read in a day, as China counts its days: reading takes a second a picture."""

from pipeline.context import Context
from store.records import Page
from store.rules.china_time import day_of


def may_read(context: Context, page: Page) -> bool:
    """Whether the budget of a page's host is not used up."""
    return left_today(context, page.host) > 0


def left_today(context: Context, host: str) -> int:
    """How many pictures of a host may still be read today, about: two workers may count at once."""
    mark = context.store.marks.get(_mark(host))
    used = int(str(mark["read"])) if mark is not None and mark["day"] == _today(context) else 0
    return max(0, context.settings.worker.pictures_per_day - used)


def count(context: Context, host: str) -> None:
    """Count one picture that was read."""
    read = context.settings.worker.pictures_per_day - left_today(context, host) + 1
    context.store.marks.set(_mark(host), {"day": _today(context), "read": read})


def _mark(host: str) -> str:
    return f"pictures:{host}"


def _today(context: Context) -> str:
    return day_of(context.now()).isoformat()
