"""The records that travel through the product, frozen and slotted.

Times are aware datetimes in UTC. Offsets count code points of the text as stored, end exclusive.
"""

from store.records.cases.case import Case, CaseOrder, CaseStatus, Extent, Lawsuit, Move
from store.records.cases.case_conditions import CaseConditions, CaseKey
from store.records.cases.comment import Comment
from store.records.cases.exclusion import Excluded, Exclusion, ExclusionScope
from store.records.cases.exhibit import Exhibit, Receipt, Why
from store.records.cases.figures import (
    Bin,
    Carried,
    ChangeFigure,
    ChartPeriod,
    CopyCount,
    CopyFigures,
    Delay,
    HostTrend,
    Measure,
    Period,
    Scope,
    SiteFigure,
    WorkFigure,
)
from store.records.cases.kept_report import KeptReport
from store.records.cases.left_file import LeftFile
from store.records.cases.match import Candidate, Change, CommonPassage, CommonReason, Level, Match, Passage, Retold
from store.records.cases.notice import (
    AnswerKind,
    AssignedBy,
    Notice,
    NoticeAnswer,
)
from store.records.cases.notice_delivery import DeliveryReport, DeliveryState, Sending, SentBy
from store.records.cases.platform import NoticeLaw, Platform
from store.records.cases.reply import Reply
from store.records.cases.saved_filter import SavedFilter
from store.records.cases.site_taking import SiteTaking, WorkTaking
from store.records.cases.triage_rule import RuleAct, TriageRule
from store.records.library.cluster import Cluster, ClusterSize, Member
from store.records.library.fingerprint import Fingerprint, NumberedWork, WorkSegment
from store.records.library.holder import Holder, Paper, PaperKind
from store.records.library.licence import Licence
from store.records.library.work import Work, WorkDraft, WorkVersion
from store.records.people.alert import Alert, AlertEvent, AlertPace, AlertRule, Letter
from store.records.people.audit import ActingToken, AuditEntry
from store.records.people.preferences import Preferences
from store.records.people.user import Role, Session, Token, User
from store.records.people.webhook import Delivery, Event, Webhook
from store.records.upkeep.owner import Owner
from store.records.upkeep.problem import Problem, ProblemGroup, ProblemKind
from store.records.upkeep.progress import OwnerKind, Progress, Step
from store.records.upkeep.space import RoughCount, Space
from store.records.upkeep.stamp import Stamp
from store.records.web.access import Access, Cookie
from store.records.web.discovery import Discovery, DiscoveryStatus
from store.records.web.listing import ListingState, PageListing
from store.records.web.mirror import Mirror
from store.records.web.page import Brought, Capture, Page, PageText, Part, WarcPlace
from store.records.web.page_filter import PageFilter
from store.records.web.picture import Box, PictureLine, PictureText
from store.records.web.registration import Registration
from store.records.web.run import Run, RunKind, RunState, Subject, SubjectKind
from store.records.web.site import Layout, Site
from store.records.web.site_contact import ContactKind, SiteContact
from store.records.web.text_figures import TextDay, TextFigures, TextSeen, TextSite

__all__ = [
    "Access",
    "ActingToken",
    "Alert",
    "AlertEvent",
    "AlertPace",
    "AlertRule",
    "AnswerKind",
    "AssignedBy",
    "AuditEntry",
    "Bin",
    "Box",
    "Brought",
    "Candidate",
    "Capture",
    "Carried",
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
    "ContactKind",
    "Cookie",
    "CopyCount",
    "CopyFigures",
    "Delay",
    "Delivery",
    "DeliveryReport",
    "DeliveryState",
    "Discovery",
    "DiscoveryStatus",
    "Event",
    "Excluded",
    "Exclusion",
    "ExclusionScope",
    "Exhibit",
    "Extent",
    "Fingerprint",
    "Holder",
    "HostTrend",
    "KeptReport",
    "Lawsuit",
    "Layout",
    "LeftFile",
    "Letter",
    "Level",
    "Licence",
    "ListingState",
    "Match",
    "Measure",
    "Member",
    "Mirror",
    "Move",
    "Notice",
    "NoticeAnswer",
    "NoticeLaw",
    "NumberedWork",
    "Owner",
    "OwnerKind",
    "Page",
    "PageFilter",
    "PageListing",
    "PageText",
    "Paper",
    "PaperKind",
    "Part",
    "Passage",
    "Period",
    "PictureLine",
    "PictureText",
    "Platform",
    "Preferences",
    "Problem",
    "ProblemGroup",
    "ProblemKind",
    "Progress",
    "Receipt",
    "Registration",
    "Reply",
    "Retold",
    "Role",
    "RoughCount",
    "RuleAct",
    "Run",
    "RunKind",
    "RunState",
    "SavedFilter",
    "Scope",
    "Sending",
    "SentBy",
    "Session",
    "Site",
    "SiteContact",
    "SiteFigure",
    "SiteTaking",
    "Space",
    "Stamp",
    "Step",
    "Subject",
    "SubjectKind",
    "TextDay",
    "TextFigures",
    "TextSeen",
    "TextSite",
    "Token",
    "TriageRule",
    "User",
    "WarcPlace",
    "Webhook",
    "Why",
    "Work",
    "WorkDraft",
    "WorkFigure",
    "WorkSegment",
    "WorkTaking",
    "WorkVersion",
]
