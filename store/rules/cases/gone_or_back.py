"""A copy that is gone, and one that came back after its removal: what the machine has seen, for a person to confirm."""

from store.records import Case, CaseStatus
from store.rules.cases.case_path import PURSUED


def proposed(case: Case) -> CaseStatus | None:
    """The status that a person is asked to confirm, if any: removed, or again confirmed."""
    if not case.present:
        return CaseStatus.REMOVED if case.status in PURSUED else None
    removed = case.status is CaseStatus.REMOVED
    came_back = removed and case.decided_at is not None and case.capture.fetched_at > case.decided_at
    return CaseStatus.CONFIRMED if came_back else None
