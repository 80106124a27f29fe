"""The packed features, and their numbers."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Protocol

from store.records import Fingerprint, NumberedWork, OwnerKind, WorkSegment


class Fingerprints(Protocol):
    """The packed features of works and pages, and the numbers that the indexes know them by."""

    def numbers(self, kind: OwnerKind, count: int) -> range:
        """Reserve `count` numbers in a row that were never used before on this side."""

    def reserved(self, kind: OwnerKind) -> int:
        """How many numbers were ever reserved: at least `count`, at the price of one small read."""

    def replace(self, kind: OwnerKind, owner_id: str, fingerprints: Sequence[Fingerprint]) -> None:
        """Store these for the owner and retire all others of its; an empty sequence retires all."""

    def replace_all(self, kind: OwnerKind, fingerprints: Mapping[str, Sequence[Fingerprint]]) -> set[str]:
        """The same for many owners, each with some; the owners that others stored later fingerprints of."""

    def of(self, kind: OwnerKind, owner_id: str) -> list[Fingerprint]: ...
    def of_all(self, kind: OwnerKind, owner_ids: Collection[str]) -> dict[str, list[Fingerprint]]: ...
    def ids_of(self, kind: OwnerKind, owner_ids: Collection[str]) -> dict[str, tuple[str, ...]]:
        """The ids of these owners' live fingerprints in the order of their segments; owners without any are absent."""

    def names(self, kind: OwnerKind, numbers: Collection[int]) -> dict[int, tuple[str, int]]:
        """Whose the live fingerprints with these numbers are: id and version of the owner; numbers of retired ones are
        absent.
        """

    def works(self, numbers: Collection[int]) -> dict[int, NumberedWork]:
        """What `names` tells of works, with the works themselves, also removed ones, and their texts where these are
        short, all by one question: for few numbers; of many it takes as long as one question after the other.
        """

    def work_texts(self, numbers: Collection[int]) -> dict[int, WorkSegment]:
        """What the live fingerprints with these numbers are of, where it is a work that was not removed."""

    def all(self, kind: OwnerKind) -> Iterator[Fingerprint]:
        """Every live fingerprint in the order of its number."""

    def retired(self, kind: OwnerKind, limit: int, owner_ids: Collection[str] | None = None) -> list[Fingerprint]: ...
    def forget(self, kind: OwnerKind, numbers: Collection[int]) -> None:
        """Delete those of these that are retired; their postings are out of the index."""

    def count(self, kind: OwnerKind) -> int: ...
    def count_other(self, kind: OwnerKind, scheme: str, parameters: Mapping[str, object]) -> int:
        """How many live ones were made by another scheme or with other parameters; as quick as few they are."""

    def owners_of_other(
        self, kind: OwnerKind, scheme: str, parameters: Mapping[str, object], *, after: str, limit: int
    ) -> list[str]:
        """Ids of the owners of such, in their order, behind this one."""
