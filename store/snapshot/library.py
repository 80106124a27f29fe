"""The ports of the library over a snapshot: works, fingerprints, texts, holders, licences, exclusions, marks."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any

from store.errors import NotFound
from store.records import Exclusion, Holder, Licence, OwnerKind, Work
from store.rules.library.licence_covers import covering
from store.rules.web.url_prefix import stands_below
from store.snapshot.file import SnapshotFile


class SnapshotWorks:
    """sample: ids of the works of which the library's background is learnt."""

    def __init__(self, file: SnapshotFile, sample: Collection[str]) -> None:
        self._file = file
        self._sample = list(sample)

    def many(self, ids: Collection[str]) -> dict[str, Work]:
        return self._file.works(ids)

    def sample(self, limit: int) -> list[Work]:
        """Works of the sample; no more than it has."""
        works = self._file.works(self._sample[:limit])
        return [works[id] for id in self._sample[:limit] if id in works]


class SnapshotFingerprints:
    """Those of the works. reserved: numbers that were ever used."""

    def __init__(self, file: SnapshotFile, reserved: int) -> None:
        self._file = file
        self._reserved = reserved

    def reserved(self, kind: OwnerKind) -> int:
        return self._reserved if kind is OwnerKind.WORK else 0

    def names(self, kind: OwnerKind, numbers: Collection[int]) -> dict[int, tuple[str, int]]:
        assert kind is OwnerKind.WORK
        return {number: (id, version) for number, id, version, _ in self._file.fingerprints(numbers)}

    def work_texts(self, numbers: Collection[int]) -> dict[int, tuple[str, int, str]]:
        found = list(self._file.fingerprints(numbers))
        works = self._file.works({id for _, id, _, _ in found})
        there = {id: work.text_digest for id, work in works.items() if work.removed_at is None}
        return {number: (id, segment, there[id]) for number, id, _, segment in found if id in there}

    def ids_of(self, kind: OwnerKind, owner_ids: Collection[str]) -> dict[str, tuple[str, ...]]:  # noqa: ARG002
        """None: a snapshot keeps their numbers alone."""
        return {}


class SnapshotBlobs:
    """The texts of the works, and what is put beside them as long as pages are looked at."""

    def __init__(self, file: SnapshotFile) -> None:
        self._file = file
        self.in_hand: dict[str, bytes] = {}

    def put(self, content: bytes) -> str:
        digest = sha256(content).hexdigest()
        self.in_hand[digest] = content
        return digest

    def put_text(self, text: str) -> str:
        return self.put(text.encode())

    def get(self, digest: str) -> bytes:
        if digest in self.in_hand:
            return self.in_hand[digest]
        return self.get_texts([digest])[digest].encode()

    def get_text(self, digest: str) -> str:
        return self.get_texts([digest])[digest]

    def get_texts(self, digests: Collection[str]) -> dict[str, str]:
        near = {digest: self.in_hand[digest].decode() for digest in digests if digest in self.in_hand}
        found = near | self._file.texts([digest for digest in digests if digest not in near])
        for digest in digests:
            if digest not in found:
                raise NotFound("store.no_content", digest=digest)
        return found


class SnapshotHolders:
    """Rights holders by name."""

    def __init__(self, holders: Collection[Holder]) -> None:
        self._holders = {holder.id: holder for holder in holders}

    def at_home(self, owner: str, url: str) -> bool:
        return owner in self._holders and any(stands_below(url, site) for site in self._holders[owner].sites)


class SnapshotLicences:
    """The authorised reprints."""

    def __init__(self, licences: Collection[Licence]) -> None:
        self._licences = list(licences)

    def all(self) -> list[Licence]:
        return list(self._licences)

    def covering(self, url: str, work_id: str, at: datetime) -> Licence | None:
        return covering(self._licences, url, work_id, at)

    def covering_all(self, asked: Sequence[tuple[str, str, datetime]]) -> list[Licence | None]:
        return [self.covering(*one) for one in asked]


class SnapshotExclusions:
    """What people left out of cases, the oldest first."""

    def __init__(self, exclusions: Collection[Exclusion]) -> None:
        self._exclusions = sorted(exclusions, key=lambda one: (one.at, one.id))

    def covering(self, places: Collection[str]) -> list[Exclusion]:
        return [one for one in self._exclusions if not set(places).isdisjoint(one.covers)]


class SnapshotMarks:
    """Small facts by name."""

    def __init__(self, marks: Mapping[str, Mapping[str, Any]]) -> None:
        self._marks = marks

    def get(self, name: str) -> Mapping[str, Any] | None:
        return self._marks.get(name)

    def names(self) -> Iterator[str]:
        return iter(self._marks)
