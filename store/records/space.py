"""What the store takes."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Space:
    """Bytes of the stored data with its indexes, and of the disk that they lie on."""

    data: int
    disk: int
    free: int
