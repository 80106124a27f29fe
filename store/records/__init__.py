"""The records that travel through the product, frozen and slotted.

Times are aware datetimes in UTC. Offsets count code points of the text as stored, end exclusive.
"""

from store.records.case import Case, CaseOrder, CaseStatus
from store.records.fingerprint import Fingerprint
from store.records.licence import Licence
from store.records.match import Candidate, Change, Level, Match, Passage
from store.records.page import Capture, Page
from store.records.problem import Problem
from store.records.progress import OwnerKind, Progress, Step
from store.records.run import Run, RunKind
from store.records.site import Site
from store.records.work import Work, WorkDraft, WorkVersion

__all__ = [
    "Candidate",
    "Capture",
    "Case",
    "CaseOrder",
    "CaseStatus",
    "Change",
    "Fingerprint",
    "Level",
    "Licence",
    "Match",
    "OwnerKind",
    "Page",
    "Passage",
    "Problem",
    "Progress",
    "Run",
    "RunKind",
    "Site",
    "Step",
    "Work",
    "WorkDraft",
    "WorkVersion",
]
