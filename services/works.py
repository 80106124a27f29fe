"""Works put into the store and taken out again."""

import dataclasses
import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pipeline.context import App
from pipeline.library.bulk_load import batches
from services.importing.found import Found, Refused
from services.importing.paths import read_paths
from store.errors import BadInput
from store.records import OwnerKind, Step, WorkDraft


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
    """Import what was found, in batches; what is refused is noted with its reason, and shown to operators."""
    result = Registered()

    def drafts() -> Iterable[WorkDraft]:
        for found in founds:
            if isinstance(found, Refused):
                _refuse(app, result, found)
            else:
                yield found if found.owner or not owner else dataclasses.replace(found, owner=owner)

    for batch in batches(drafts()):
        _register_batch(app, batch, result)
        if progress:
            done = sum(result.counts())
            progress(done, done)
    return result


def register_draft(app: App, draft: WorkDraft) -> tuple[str, str]:
    """Store one work and queue its first step; its id, and "new", "changed" or "unchanged". Raises `BadInput`."""
    [outcome] = register_drafts(app, [draft])
    return outcome


def register_drafts(app: App, drafts: Sequence[WorkDraft]) -> list[tuple[str, str]]:
    """The same for works of different ids, together.

    A file that was moved or copied, text and title unchanged, is the work that it was before.
    """
    moved = _known_elsewhere(app, drafts)
    stored = app.store.works.put_all([one for one in drafts if one.id not in moved], note=None, step=Step.FINGERPRINT)
    outcomes = {work.id: (work.id, outcome) for work, outcome in stored}
    outcomes |= {id: (known, "unchanged") for id, known in moved.items()}
    for origin in {one.origin for one in drafts if one.origin and one.id not in moved}:
        app.store.problems.clear("import", origin)
    due = [work.id for work, _ in stored if work.progress.step is Step.FINGERPRINT]
    app.enqueue_all(OwnerKind.WORK, due, Step.FINGERPRINT)
    return [outcomes[one.id] for one in drafts]


def unregister(app: App, id: str) -> None:
    """Remove a work. Retiring its fingerprints takes it out of every look-up at once; its postings follow in the
    background.
    """
    app.store.works.remove(id)
    app.store.fingerprints.replace(OwnerKind.WORK, id, [])
    app.enqueue(OwnerKind.WORK, id, Step.REMOVE)


def _register_batch(app: App, drafts: Sequence[WorkDraft], result: Registered) -> None:
    """Where a batch cannot be stored, each work of it is tried alone, so that only the culprit is refused."""
    try:
        outcomes = register_drafts(app, drafts)
    except BadInput as error:
        if len(drafts) == 1:
            _refuse(app, result, Refused(drafts[0].origin or drafts[0].id, str(error), type(error).__name__))
            return
        for draft in drafts:
            _register_batch(app, [draft], result)
        return
    for id, outcome in outcomes:
        getattr(result, outcome).append(id)


def _refuse(app: App, result: Registered, refused: Refused) -> None:
    result.refused.append(refused)
    app.store.problems.put("import", refused.what, refused.reason, app.now(), kind=refused.kind)


def _known_elsewhere(app: App, drafts: Sequence[WorkDraft]) -> dict[str, str]:
    """Those of the drafts that are stored, text and title alike, under another id alone; by their ids, that one."""
    keys = {one.id: (hashlib.sha256(_bytes(one.text)).hexdigest(), one.title) for one in drafts}
    known: dict[tuple[str, str], list[str]] = {}
    for digest, title, id in app.store.works.find_same_texts([digest for digest, _ in keys.values()]):
        known.setdefault((digest, title), []).append(id)
    moved = {}
    for id, key in keys.items():
        owners = known.setdefault(key, [])
        if not owners:
            owners.append(id)  # a second one in the same batch is the first one
        elif id not in owners:
            moved[id] = owners[0]
    return moved


def _bytes(text: str) -> bytes:
    """Lone surrogates, which the store refuses with a reason, may pass here."""
    return text.encode("utf-8", "surrogatepass")
