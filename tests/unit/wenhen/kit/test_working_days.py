"""Working days of China are counted from Monday to Friday, in China's days."""

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as some

from tests.support.samples import NOON
from wenhen.kit.clock import china_day, working_days_after


@given(start=some.integers(0, 400), days=some.integers(0, 60))
def test_of_the_days_until_then_so_many_are_no_weekend(start: int, days: int) -> None:
    begins = NOON + timedelta(hours=start)
    ends = working_days_after(begins, days)
    between = [begins + timedelta(days=more) for more in range(1, (ends - begins).days + 1)]
    assert sum(china_day(one).weekday() < 5 for one in between) == days
    assert not days or china_day(ends).weekday() < 5
