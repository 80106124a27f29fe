"""How somebody likes the screens."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Preferences:
    """What one person chose; nobody else sees it."""

    id: str  # the name that they act under
    columns: tuple[str, ...] | None = None  # of the queue, by name; None: those that everybody begins with
    preview: bool = True  # a case is shown beside the queue
    goes_on: bool = False  # after a decision on a case the next one opens by itself
