"""The ports that a bulk job asks, opened together over a snapshot."""

import json
from pathlib import Path
from typing import Final

from store.records import Exclusion, Holder, Licence
from store.snapshot.file import SnapshotFile
from store.snapshot.in_hand import CasesInHand, MatchesNotKept, PagesInHand, TemplatesInHand
from store.snapshot.library import (
    SnapshotBlobs,
    SnapshotExclusions,
    SnapshotFingerprints,
    SnapshotHolders,
    SnapshotLicences,
    SnapshotMarks,
    SnapshotWorks,
)
from store.snapshot.record_json import from_json

HOLDERS: Final = "holders"
LICENCES: Final = "licences"
EXCLUSIONS: Final = "exclusions"
MARKS: Final = "marks"
RESERVED: Final = "reserved"
SAMPLE: Final = "sample"  # ids of works


class SnapshotStore:
    """A part of `store.ports.Store`: what a look at a text asks, and no more."""

    def __init__(self, folder: Path) -> None:
        self.file = file = SnapshotFile(folder)
        self.works = SnapshotWorks(file, json.loads(file.fact(SAMPLE)))
        self.fingerprints = SnapshotFingerprints(file, int(file.fact(RESERVED)))
        self.blobs = SnapshotBlobs(file)
        self.holders = SnapshotHolders(from_json(Holder, file.fact(HOLDERS)))
        self.licences = SnapshotLicences(from_json(Licence, file.fact(LICENCES)))
        self.exclusions = SnapshotExclusions(from_json(Exclusion, file.fact(EXCLUSIONS)))
        self.marks = SnapshotMarks(json.loads(file.fact(MARKS)))
        self.matches = MatchesNotKept()
        self.begin()

    def begin(self) -> None:
        """Forget what was in hand: the pages of the next host come."""
        self.pages = PagesInHand()
        self.templates = TemplatesInHand()
        self.cases = CasesInHand()
        self.blobs.in_hand.clear()
