"""Filter candidates by size and kind before they are compared."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CandidateFilter:
    """size_within: neither text is more than so many times as long as the other, 0 for no limit; same_kind: texts of
    different kinds (news, novel ...) are not compared, where both kinds are known.

    A passage of a work stands in a page of any size, so a limit of size only serves who looks for whole copies.
    """

    size_within: float = 0.0
    same_kind: bool = False

    def __bool__(self) -> bool:
        return self.same_kind or bool(self.size_within)

    def allows(self, length: int, kind: str | None, other_length: int, other_kind: str | None) -> bool:
        """Whether two texts of these lengths and kinds are compared."""
        if self.same_kind and kind and other_kind and kind != other_kind:
            return False
        return not self.size_within or max(length, other_length) <= self.size_within * min(length, other_length)
