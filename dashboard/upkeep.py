"""What changes works and licences, and writes it into the audit log; the browser and the API share it."""

from collections.abc import Callable
from datetime import datetime

from dashboard import audit
from dashboard.actions import Imported
from dashboard.frame.context import services
from store.records import Licence, WorkDraft


def import_works(
    name: str, content: bytes, owner: str | None, progress: Callable[[int], None] | None = None
) -> Imported:
    """Import the works of one file, by the ending of its name."""
    done = services().actions.import_upload(name, content, owner, progress)
    counts = (("new", done.new), ("changed", done.changed), ("unchanged", done.unchanged), ("refused", done.refused))
    audit.record("work.import", f"file:{name}", new=", ".join(f"{word} {len(some)}" for word, some in counts))
    return done


def put_work(draft: WorkDraft) -> tuple[str, str]:
    """Store one work; its id, and "new", "changed" or "unchanged"."""
    id, outcome = services().actions.put_work(draft)
    if outcome != "unchanged":
        audit.record("work.put", f"work:{id}", new=f"{outcome}: {draft.title}")
    return id, outcome


def remove_work(id: str) -> None:
    """Take a work out of every look-up; its cases stay. NotFound."""
    work = services().store.works.get(id)
    services().actions.remove_work(id)
    audit.record("work.remove", f"work:{id}", old=work.title)


def add_licence(
    licensee: str,
    url_prefix: str,
    *,
    work_id: str | None,
    valid_from: datetime | None,
    valid_until: datetime | None,
    attribution: str | None = None,
) -> Licence:
    """Put a licence on record. BadInput, NotFound."""
    licence = services().actions.add_licence(
        licensee,
        url_prefix,
        work_id=work_id,
        valid_from=valid_from,
        valid_until=valid_until,
        attribution=attribution,
    )
    audit.record("licence.add", f"licence:{licence.id}", new=licence)
    return licence


def remove_licence(id: str) -> None:
    """Withdraw a licence. NotFound."""
    old = services().actions.withdraw_licence(id)
    audit.record("licence.remove", f"licence:{id}", old=old)
