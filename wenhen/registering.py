"""Works put into the store and taken out again."""

import dataclasses
import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from store.records import OwnerKind, Step, WorkDraft
from wenhen.app import App
from wenhen.importing.found import Found, Refused
from wenhen.importing.paths import read_paths


@dataclass(slots=True)
class Registered:
    """What an import did, by work id."""

    new: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)

    def counts(self) -> tuple[int, int, int, int]:
        """New, changed, unchanged, refused."""
        return len(self.new), len(self.changed), len(self.unchanged), len(self.refused)


def register(
    app: App,
    paths: Iterable[Path],
    *,
    owner: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Registered:
    """Import every work that these files and folders hold."""
    return register_found(app, read_paths(paths), owner=owner, progress=progress)


def register_found(
    app: App,
    founds: Iterable[Found],
    *,
    owner: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Registered:
    """Import what was found; what is refused is noted with its reason, and shown to operators."""
    result = Registered()
    for done, found in enumerate(founds, 1):
        if isinstance(found, Refused):
            result.refused.append(found)
            app.store.problems.put("import", found.what, found.reason, app.now())
        else:
            draft = found if found.owner or not owner else dataclasses.replace(found, owner=owner)
            id, outcome = register_draft(app, draft)
            getattr(result, outcome).append(id)
        if progress:
            progress(done, done)
    return result


def register_draft(app: App, draft: WorkDraft) -> tuple[str, str]:
    """Store one work and queue its first step; its id, and "new", "changed" or "unchanged".

    A file that was moved or copied, text and title unchanged, is the work that it was before.
    """
    digest = hashlib.sha256(draft.text.encode("utf-8")).hexdigest()
    same = app.store.works.find_same_text(digest, draft.title)
    if same is not None and same.id != draft.id:
        return same.id, "unchanged"
    work, outcome = app.store.works.put(draft, note=None, step=Step.FINGERPRINT)
    if draft.origin:
        app.store.problems.clear("import", draft.origin)
    if work.progress.step is Step.FINGERPRINT:
        app.enqueue(OwnerKind.WORK, work.id, Step.FINGERPRINT)
    return work.id, outcome


def unregister(app: App, id: str) -> None:
    """Remove a work. Retiring its fingerprints takes it out of every look-up at once; its postings follow in the
    background.
    """
    app.store.works.remove(id)
    app.store.fingerprints.replace(OwnerKind.WORK, id, [])
    app.enqueue(OwnerKind.WORK, id, Step.REMOVE)
