"""Similar ids: texts that share a key stand under one id, that of the earliest among them (nshash's grouping)."""

from collections.abc import Sequence

from fingerprinter.schemes.buckets import KeyBuckets


class SimilarIds:
    """Groups that grow as texts come in. All is kept in the buckets, only ever added to, and outlives this process."""

    def __init__(self, buckets: KeyBuckets) -> None:
        self._buckets = buckets

    def put(self, number: int, keys: Sequence[int]) -> int:
        """Take a text in; its similar id: its own number, or the least of the groups that it shares a key with.

        A text that bridges several groups merges them.
        """
        names = [b"k" + key.to_bytes(8, "big") for key in keys]
        before = {member for row in self._buckets.get(names) for member in row}
        groups = {self.similar_id(member) for member in before} | {self.similar_id(number)}
        first = min(groups)
        merged = [(_alias(group), first) for group in groups if group != first]
        self._buckets.add([*((name, number) for name in names), *merged])
        return first

    def similar_id(self, number: int) -> int:
        """The similar id of a text, as of now; its own number where it shares nothing."""
        while earlier := self._buckets.get([_alias(number)])[0]:
            number = earlier[0]
        return number


def _alias(number: int) -> bytes:
    return b"a" + number.to_bytes(8, "big")
