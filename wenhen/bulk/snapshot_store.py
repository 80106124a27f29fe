"""Implement the store over a snapshot, with pages, templates and cases in memory."""

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from matcher.model import Match
from wenhen.bulk.snapshot_file import SnapshotFile, from_json_line
from wenhen.cases.model import Case
from wenhen.exclusions.model import Exclusion
from wenhen.fingerprints.model import WorkSegment
from wenhen.holders.model import Holder
from wenhen.kit.errors import NotFound
from wenhen.kit.progress import OwnerKind
from wenhen.kit.web import is_below_prefix
from wenhen.licences.model import Licence, find_covering_licence
from wenhen.pages.model import LearnedLines, Page
from wenhen.works.model import Work

# In-memory pages, templates and cases of the host that is being matched.


BUCKET_PAGES = 200  # pages per bucket, as in the database


class MemoryPages:
    """The pages of the current host."""

    def __init__(self) -> None:
        self.by_id: dict[str, Page] = {}

    def many(self, ids: Collection[str]) -> dict[str, Page]:
        return {id: self.by_id[id] for id in ids if id in self.by_id}


class MemoryTemplates:
    """Line counts of hosts, counted and forgotten as in `wenhen.pages.text_repository`."""

    def __init__(self) -> None:
        self._pages: Counter[str] = Counter()
        self._lines: defaultdict[str, dict[str, list[int]]] = defaultdict(dict)  # count and first bucket

    def learn(self, host: str, text: str, lines: Collection[str], least: int) -> None:  # noqa: ARG002  as in the port
        self.learn_all({host: [(text, lines)]})

    def learn_all(self, pages: Mapping[str, Sequence[tuple[str, Collection[str]]]]) -> dict[str, LearnedLines]:
        return {host: self._learn_host(host, some) for host, some in pages.items()}

    def _learn_host(self, host: str, pages: Sequence[tuple[str, Collection[str]]]) -> LearnedLines:
        known, new = self._lines[host], []
        fresh: set[str] = set()
        for text, lines in pages:
            new.append(bool(lines) and text not in known and text not in fresh)
            if new[-1]:
                fresh.add(text)
        counted = [{*lines, text} for (text, lines), is_new in zip(pages, new, strict=True) if is_new]
        self._pages[host] += len(counted)
        bucket = self._pages[host] // BUCKET_PAGES
        for line in (line for host_lines in counted for line in host_lines):
            known.setdefault(line, [0, bucket])[0] += 1
        learned = LearnedLines(new, self.pages(host), self.counts(host, {line for _, lines in pages for line in lines}))
        if counted and self._pages[host] % BUCKET_PAGES < len(counted):
            self._lines[host] = {line: counts for line, counts in known.items() if sum(counts) > bucket}
        return learned

    def note_changed(self, host: str) -> None:
        """Do nothing: a bulk job applies the final template itself."""

    def pages(self, host: str) -> int:
        return self._pages[host]

    def counts(self, host: str, lines: Collection[str]) -> Mapping[str, int]:
        known = self._lines[host]
        return {line: known[line][0] for line in lines if line in known}


class MemoryCases:
    """The cases that were opened."""

    def __init__(self) -> None:
        self.opened: dict[str, Case] = {}

    def get(self, id: str) -> Case:
        if id not in self.opened:
            raise NotFound("store.no_case", id=id)
        return self.opened[id]

    def open_or_update(self, case: Case) -> tuple[Case, bool]:
        new = case.id not in self.opened
        self.opened[case.id] = case
        return case, new

    def open_or_update_all(self, cases: Sequence[Case]) -> list[tuple[Case, bool]]:
        return list(map(self.open_or_update, cases))


class DiscardedMatches:
    """Matches are not stored, because each case holds its match."""

    def put(self, match: Match) -> None:
        pass


# Ports over a snapshot: works, fingerprints, texts, holders, licences, exclusions, marks.


_IDS_PER_BATCH: Final = 1_000


class SnapshotWorks:
    """The works of a snapshot.

    - sample: ids of works from which the background frequencies are learnt.
    - short: ids of works with a short minimum passage of their own, and the total length of all works.
    """

    def __init__(self, file: SnapshotFile, sample: Collection[str], short: Mapping[str, Any]) -> None:
        self._file = file
        self._sample = list(sample)
        self._short = short

    def ids(self) -> Iterator[str]:
        after = ""
        while batch := self._file.ids(after, _IDS_PER_BATCH):
            yield from batch
            after = batch[-1]

    def sum_lengths(self) -> int:
        return int(self._short["length"])

    def last_change(self) -> None:
        """Return None: nothing changes in a snapshot."""

    def with_shortest_below(self, letters: int) -> list[Work]:
        own = self.many(self._short["ids"]).values()
        return [work for work in own if work.shortest_passage and work.shortest_passage < letters]

    def many(self, ids: Collection[str]) -> dict[str, Work]:
        return self._file.works(ids)

    def sample(self, limit: int) -> list[Work]:
        """Return at most `limit` works of the sample."""
        works = self._file.works(self._sample[:limit])
        return [works[id] for id in self._sample[:limit] if id in works]


class SnapshotFingerprints:
    """The fingerprints of works. reserved: count of numbers that were ever assigned."""

    def __init__(self, file: SnapshotFile, reserved: int) -> None:
        self._file = file
        self._reserved = reserved

    def count_reserved(self, kind: OwnerKind) -> int:
        return self._reserved if kind is OwnerKind.WORK else 0

    def names(self, kind: OwnerKind, numbers: Collection[int]) -> dict[int, tuple[str, int]]:
        assert kind is OwnerKind.WORK
        return {number: (id, version) for number, id, version, _ in self._file.fingerprints(numbers)}

    def work_texts(self, numbers: Collection[int]) -> dict[int, WorkSegment]:
        fingerprints = list(self._file.fingerprints(numbers))
        works = self._file.works({id for _, id, _, _ in fingerprints})
        present = {id: (work.text_digest, work.length) for id, work in works.items() if work.removed_at is None}
        return {
            number: WorkSegment(id, segment, *present[id]) for number, id, _, segment in fingerprints if id in present
        }

    def ids_of(self, kind: OwnerKind, owner_ids: Collection[str]) -> dict[str, tuple[str, ...]]:  # noqa: ARG002
        """Return no ids: a snapshot holds only the numbers of fingerprints."""
        return {}


class SnapshotBlobs:
    """The texts of works, and contents that are held in memory while pages are matched."""

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
        texts = near | self._file.texts([digest for digest in digests if digest not in near])
        for digest in digests:
            if digest not in texts:
                raise NotFound("store.no_content", digest=digest)
        return texts


class SnapshotHolders:
    """Rights holders by name."""

    def __init__(self, holders: Collection[Holder]) -> None:
        self._holders = {holder.id: holder for holder in holders}

    def at_home(self, owner: str, url: str) -> bool:
        return owner in self._holders and any(is_below_prefix(url, site) for site in self._holders[owner].sites)


class SnapshotLicences:
    """The authorised reprints."""

    def __init__(self, licences: Collection[Licence], works: SnapshotWorks) -> None:
        self._licences = list(licences)
        self._works = works

    def all(self) -> list[Licence]:
        return list(self._licences)

    def find_covering(self, url: str, work_id: str, moment: datetime) -> Licence | None:
        owner = None
        if any(licence.holder is not None for licence in self._licences):
            work = self._works.many([work_id]).get(work_id)
            owner = work.owner if work else None
        return find_covering_licence(self._licences, url, work_id, moment, owner)

    def find_covering_all(self, asked: Sequence[tuple[str, str, datetime]]) -> list[Licence | None]:
        return [self.find_covering(*question) for question in asked]


class SnapshotExclusions:
    """The exclusions of users, the oldest first."""

    def __init__(self, exclusions: Collection[Exclusion]) -> None:
        self._exclusions = sorted(exclusions, key=lambda exclusion: (exclusion.at, exclusion.id))

    def find_covering(self, places: Collection[str]) -> list[Exclusion]:
        return [exclusion for exclusion in self._exclusions if not set(places).isdisjoint(exclusion.covers)]


class SnapshotMarks:
    """Small values by name."""

    def __init__(self, marks: Mapping[str, Mapping[str, Any]]) -> None:
        self._marks = marks

    def get(self, name: str) -> Mapping[str, Any] | None:
        return self._marks.get(name)

    def names(self) -> Iterator[str]:
        return iter(self._marks)


HOLDERS_FACT: Final = "holders"
LICENCES_FACT: Final = "licences"
EXCLUSIONS_FACT: Final = "exclusions"
MARKS_FACT: Final = "marks"
RESERVED_FACT: Final = "reserved"
SAMPLE_FACT: Final = "sample"  # ids of works
SHORT_FACT: Final = "short"
_NO_SHORT: Final = '{"length": 0, "ids": []}'


class SnapshotStore:
    """The part of `wenhen.context.store_and_queue.Store` that matching uses."""

    def __init__(self, folder: Path) -> None:
        self.file = file = SnapshotFile(folder)
        sample, short = file.fact(SAMPLE_FACT), file.fact(SHORT_FACT, _NO_SHORT)
        self.works = SnapshotWorks(file, json.loads(sample), json.loads(short))
        self.fingerprints = SnapshotFingerprints(file, int(file.fact(RESERVED_FACT)))
        self.blobs = SnapshotBlobs(file)
        self.holders = SnapshotHolders(from_json_line(Holder, file.fact(HOLDERS_FACT)))
        self.licences = SnapshotLicences(from_json_line(Licence, file.fact(LICENCES_FACT)), self.works)
        self.exclusions = SnapshotExclusions(from_json_line(Exclusion, file.fact(EXCLUSIONS_FACT)))
        self.marks = SnapshotMarks(json.loads(file.fact(MARKS_FACT)))
        self.matches = DiscardedMatches()
        self.begin()

    def begin(self) -> None:
        """Clear the data of the current host before the next one."""
        self.pages = MemoryPages()
        self.templates = MemoryTemplates()
        self.cases = MemoryCases()
        self.blobs.in_hand.clear()
