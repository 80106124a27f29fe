"""Numbers written as ranges, so that a line of the audit log can name many cases."""

from collections.abc import Iterable
from typing import Final

MOST: Final = 1_000  # ranges, some 12,000 characters, which the log keeps whole
_OPEN: Final = "+"  # behind the last number that is named: there may be more after it


def as_ranges(numbers: Iterable[int], most: int = MOST) -> str:
    """Positive numbers in rising order; what goes beyond so many ranges is told by a plus.

    >>> as_ranges([7, 1, 2, 3, 9])
    '1-3 7 9'
    >>> as_ranges([1, 3, 5, 7], most=2)
    '1 3+'
    """
    ranges: list[tuple[int, int]] = []
    for number in sorted(set(numbers)):
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1] = ranges[-1][0], number
        else:
            ranges.append((number, number))
    written = " ".join(f"{first}-{last}" if last > first else str(first) for first, last in ranges[:most])
    return written + _OPEN if len(ranges) > most else written


def may_name(ranges: str, number: int) -> bool:
    """Whether the number is among them, or may be where they were too many to be written.

    >>> [may_name("1-3 7 9+", number) for number in (2, 4, 7, 8, 30)]
    [True, False, True, False, True]
    """
    end = 0
    for one in ranges.removesuffix(_OPEN).split():
        first, _, last = one.partition("-")
        end = int(last or first)
        if int(first) <= number <= end:
            return True
    return ranges.endswith(_OPEN) and number > end
