"""Who goes on after he was told: copies that were found after the first notice, or are back after their removal."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from services.context import Product


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatOffences:
    """after_notice: copies that were found after the first notice; returned: copies that were removed, and are back."""

    after_notice: int
    returned: int

    @property
    def repeats(self) -> bool:
        """Whether there is any."""
        return self.after_notice + self.returned > 0


def repeat_offences(product: Product, hosts: Sequence[str], first_notice: datetime | None) -> RepeatOffences:
    """Those of the cases on these hosts."""
    cases = product.store.cases
    return RepeatOffences(
        after_notice=cases.count(hosts=hosts, copies=True, since=first_notice) if first_notice else 0,
        returned=cases.count(hosts=hosts, returned=True),
    )
