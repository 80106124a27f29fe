"""Where a process keeps the background that it has learnt. What is compiled is imported only where it is used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matcher.suspicion.background import Background


@dataclass(slots=True)
class KeptBackground:
    """A background, None before it is learnt, and how many documents there were then."""

    background: Background | None = None
    documents: int = 0
