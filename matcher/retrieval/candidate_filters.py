"""Filter candidates by size and kind before they are compared."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CandidateFilter:
    """A filter of candidates by size and kind.

    size_within: the most that the longer text may be as a multiple of the shorter one, 0 for no limit. same_kind: texts
    of different kinds (news, novel ...) are not compared, where both kinds are known. A page of any size may hold a
    passage of a work, so a size limit serves only a search for whole copies.
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
