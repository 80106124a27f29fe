"""Cache the background frequencies of a process, without an import of compiled code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matcher.paraphrase.background_frequencies import Background


@dataclass(slots=True)
class BackgroundCache:
    """A background, None before it is learnt, and the number of documents at that time."""

    background: Background | None = None
    documents: int = 0
