"""Describe how well a copy agrees with a suspect's text. Nothing is computed here, so commands load it quickly."""

from typing import Final, NamedTuple

MAX_FALSE_NAMING: Final = 1e-6  # highest chance, over all copies of a text, that a named copy is uninvolved


class TracedCopy(NamedTuple):
    """How well a copy agrees. chance: that any of the uninvolved copies agrees so well."""

    copy: str
    agreeing: int
    places: int
    chance: float

    @property
    def named(self) -> bool:
        """Return whether the text is said to stem from this copy."""
        return self.chance <= MAX_FALSE_NAMING
