"""Generated works brought into the product, in bulk; the index is left to a rebuild."""

from collections.abc import Callable, Iterable

from lab.bench.generator import GeneratedWork
from pipeline.library.bulk_load import store_and_fingerprint
from store.records import WorkDraft
from wenhen.wiring import App

Progress = Callable[[int, int], None]


def store_works(app: App, works: Iterable[GeneratedWork], total: int, progress: Progress | None = None) -> None:
    """Store and fingerprint works."""
    drafts = (WorkDraft(id=one.id, title=one.id, text=one.text) for one in works)
    store_and_fingerprint(app, drafts, (lambda done: progress(done, total)) if progress else None)
