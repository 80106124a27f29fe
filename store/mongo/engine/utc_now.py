"""The time that leases and due times count by; a test turns its own."""

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """Return the time of this machine."""
    return datetime.now(UTC)
