"""Generated works brought into the product, in bulk; the index is left to a rebuild."""

from collections.abc import Callable, Iterable

from store.records import WorkDraft
from wenhen.app import App
from wenhen.bench.generator import GeneratedWork
from wenhen.steps.storing import store_and_fingerprint

Progress = Callable[[int, int], None]


def store_works(app: App, works: Iterable[GeneratedWork], total: int, progress: Progress | None = None) -> None:
    """Store and fingerprint works."""
    drafts = (WorkDraft(id=one.id, title=one.id, text=one.text) for one in works)
    store_and_fingerprint(app, drafts, (lambda done: progress(done, total)) if progress else None)
