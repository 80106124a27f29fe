"""What the product does by queries and updates of many records, said for one record, to be compared with it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from math import fsum, sqrt

from matcher.clusters import Clusters, Member, cluster_of, join_pairs
from wenhen.cases.model import Case, CaseDecision, CaseStatus
from wenhen.cases.rules import KEPT_FIELDS, WAKE_ACTOR, move_case, should_wake
from wenhen.evidence.verification import Finding, FindingState
from wenhen.kit.progress import Owner
from wenhen.pages.model import Page


def cosine_similarity(first: Mapping[str, float], second: Mapping[str, float]) -> float:
    """The cosine of two sparse vectors, in [0, 1] without negative weights, and 0 for an empty vector."""
    product = fsum(weight * second.get(word, 0.0) for word, weight in first.items())
    sizes = sqrt(fsum(w * w for w in first.values()) * fsum(w * w for w in second.values()))
    return product / sizes if sizes else 0.0


def join_pair(clusters: Clusters, first: Member, second: Member) -> tuple[str, list[Owner]]:
    """Join two near-duplicates in one cluster; its id, and the members that changed their cluster."""
    moved = join_pairs(clusters, [(first, second)])
    id = next(iter(moved.values()), None) or cluster_of(clusters, first.owner)
    assert id is not None
    return id, sorted(moved)


def removal_time(case: Case) -> datetime | None:
    """When the case was marked as removed, or None if it is not removed now."""
    if case.status is not CaseStatus.REMOVED:
        return None
    return max((move.at for move in case.history if move.status is CaseStatus.REMOVED), default=None)


def update_found_case(known: Case, newer: Case) -> Case:
    """A known case after a new match. A quiet one that has grown, and a suspected one that is a copy, become leads."""
    case = replace(newer, present=True, **{name: getattr(known, name) for name in KEPT_FIELDS})
    if should_wake(case):
        return move_case(case, CaseDecision(status=CaseStatus.LEAD, by=WAKE_ACTOR, at=case.updated_at))
    return case


def is_look_due(page: Page, now: datetime, *, below: float | None = None) -> bool:
    """Whether a page is present and due for a recrawl. below: hours; only pages with a shorter interval are due."""
    due = page.gone_at is None and page.look_at is not None and page.look_at <= now
    return due and (below is None or page.interval_hours < below)


def is_intact(findings: Sequence[Finding]) -> bool:
    """Whether no check of an exhibit failed."""
    return not any(finding.standing is FindingState.FAILS for finding in findings)
