"""Generated works brought into the product, as an import brings works in."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

from store.records import OwnerKind, Step, WorkDraft
from wenhen.app import App
from wenhen.bench.generator import GeneratedWork
from wenhen.steps.fingerprints import fingerprint

THREADS = 8  # they wait for the server most of the time
BATCH = 1_000

Progress = Callable[[int, int], None]


def store_works(app: App, works: Iterable[GeneratedWork], total: int, progress: Progress | None = None) -> None:
    """Store and fingerprint works; the index is left to a rebuild."""

    def put(one: GeneratedWork) -> None:
        draft = WorkDraft(id=one.id, title=one.id, text=one.text)
        work, _ = app.store.works.put(draft, note=None, step=Step.DONE)
        fingerprint(app, OwnerKind.WORK, work.id, work.version, draft.text)

    waiting, done = iter(works), 0
    with ThreadPoolExecutor(THREADS) as threads:
        while batch := list(islice(waiting, BATCH)):
            for _ in threads.map(put, batch):
                done += 1
            if progress:
                progress(done, total)
