"""The records that travel through the product, frozen and slotted.

Times are aware datetimes in UTC. Offsets count code points of the text as stored, end exclusive.
"""

from store.records.access import Access, Cookie
from store.records.audit import ActingToken, AuditEntry
from store.records.case import Case, CaseOrder, CaseStatus, Extent, Move
from store.records.case_conditions import CaseConditions, CaseKey
from store.records.cluster import Cluster, ClusterSize, Member
from store.records.comment import Comment
from store.records.discovery import Discovery, DiscoveryStatus
from store.records.exclusion import Excluded, Exclusion, ExclusionScope
from store.records.figures import Bin, ChangeFigure, ChartPeriod, Delay, Measure, Period, Scope, SiteFigure, WorkFigure
from store.records.fingerprint import Fingerprint
from store.records.holder import Holder
from store.records.licence import Licence
from store.records.match import Candidate, Change, CommonPassage, CommonReason, Level, Match, Passage, Retold
from store.records.mirror import Mirror
from store.records.owner import Owner
from store.records.page import Capture, Page, Part, WarcPlace
from store.records.problem import Problem, ProblemGroup, ProblemKind
from store.records.progress import OwnerKind, Progress, Step
from store.records.run import Run, RunKind, RunState, Subject, SubjectKind
from store.records.saved_filter import SavedFilter
from store.records.site import Layout, Site
from store.records.space import RoughCount, Space
from store.records.user import Role, Session, Token, User
from store.records.webhook import Delivery, Event, Webhook
from store.records.work import Work, WorkDraft, WorkVersion

__all__ = [
    "Access",
    "ActingToken",
    "AuditEntry",
    "Bin",
    "Candidate",
    "Capture",
    "Case",
    "CaseConditions",
    "CaseKey",
    "CaseOrder",
    "CaseStatus",
    "Change",
    "ChangeFigure",
    "ChartPeriod",
    "Cluster",
    "ClusterSize",
    "Comment",
    "CommonPassage",
    "CommonReason",
    "Cookie",
    "Delay",
    "Delivery",
    "Discovery",
    "DiscoveryStatus",
    "Event",
    "Excluded",
    "Exclusion",
    "ExclusionScope",
    "Extent",
    "Fingerprint",
    "Holder",
    "Layout",
    "Level",
    "Licence",
    "Match",
    "Measure",
    "Member",
    "Mirror",
    "Move",
    "Owner",
    "OwnerKind",
    "Page",
    "Part",
    "Passage",
    "Period",
    "Problem",
    "ProblemGroup",
    "ProblemKind",
    "Progress",
    "Retold",
    "Role",
    "RoughCount",
    "Run",
    "RunKind",
    "RunState",
    "SavedFilter",
    "Scope",
    "Session",
    "Site",
    "SiteFigure",
    "Space",
    "Step",
    "Subject",
    "SubjectKind",
    "Token",
    "User",
    "WarcPlace",
    "Webhook",
    "Work",
    "WorkDraft",
    "WorkFigure",
    "WorkVersion",
]
