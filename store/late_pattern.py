"""Patterns that are compiled when they are first used: to compile one takes longer than to import the module that it
stands in, and most of those that a program imports it never uses.
"""

import re
from typing import Any, AnyStr, Generic, cast


def late_pattern(pattern: AnyStr, flags: int = 0) -> "re.Pattern[AnyStr]":
    """As `re.compile`; for its methods, and not to be handed to functions of `re`.

    >>> late_pattern(r"[a-z]+").findall("tide 12 book")
    ['tide', 'book']
    """
    return cast("re.Pattern[AnyStr]", LatePattern(pattern, flags))


class LatePattern(Generic[AnyStr]):
    """What stands for one until then."""

    def __init__(self, pattern: AnyStr, flags: int) -> None:
        self.pattern: AnyStr = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        """Once for each name: what is found stands in the object from then on."""
        if name in ("pattern", "_flags"):  # an object that nobody began
            raise AttributeError(name)
        found = getattr(self.compiled(), name)
        setattr(self, name, found)
        return found

    def compiled(self) -> "re.Pattern[AnyStr]":
        """What it stands for."""
        return re.compile(self.pattern, self._flags)
