"""What a webhook is told of a case, and what of a case has to differ for it to be told again."""

from hashlib import sha256

from store.records import Case


def told_of(case: Case) -> dict[str, object]:
    """The case as it stands, in the body of a delivery."""
    return {
        "number": case.number,
        "status": case.status,
        "assignee": case.assignee,
        "reason": case.reason,
        "decided_by": case.decided_by,
        "work_id": case.work_id,
        "work_title": case.work_title,
        "page_url": case.page_url,
        "page_host": case.page_host,
        "page_title": case.page_title,
        "level": case.match.level,
        "score": case.match.score,
        "share_of_page": case.match.share_of_page,
        "share_of_work": case.match.share_of_work,
        "present": case.present,
        "licence_id": case.licence_id,
        "opened_at": case.opened_at.isoformat(),
        "updated_at": case.updated_at.isoformat(),
    }


def state_of(case: Case) -> str:
    """What has to differ for a case to have changed."""
    decided = case.decided_at.isoformat() if case.decided_at else None
    shares = f"{case.match.share_of_page:.2f} {case.match.share_of_work:.2f}"
    state = (case.status, decided, case.assignee, case.licence_id, case.present, case.match.level, shares)
    return sha256(repr(tuple(map(str, state))).encode("utf-8", "replace")).hexdigest()[:24]
