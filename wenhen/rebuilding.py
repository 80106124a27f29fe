"""An index made again from the fingerprints, beside the old one, and switched to while queries go on."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from itertools import chain, islice

from fingerprinter.packing import unpack

from fingerprinter.features import Features
from store.records import Fingerprint, OwnerKind, Run, RunKind
from wenhen.app import App

SAMPLE = 500  # fingerprints from which the size of all is judged
LOST_AFTER = timedelta(seconds=60)
SMALLEST = 100_000  # postings that a new index is made for at least

Progress = Callable[[int, int], None]


def rebuild_index(app: App, kind: OwnerKind, progress: Progress | None = None) -> Run | None:
    """Build one index anew; None when somebody else is at it.

    No text is read: the fingerprints hold all that the index needs. Works and pages that come in meanwhile go to
    both indexes.
    """
    if _is_being_rebuilt(app, kind):
        return None
    run = app.store.runs.start(RunKind.REBUILD, str(kind), app.now())
    try:
        counts = _build(app, kind, run, progress)
    except Exception as error:
        app.store.runs.end(run.id, app.now(), {}, f"{type(error).__name__}: {error}")
        raise
    app.store.runs.end(run.id, app.now(), counts)
    return app.store.runs.get(run.id)


def make_missing_indexes(app: App) -> None:
    """At the first start, and after the index's server was emptied: build what is not there."""
    for kind in OwnerKind:
        if not app.index(kind).exists():
            rebuild_index(app, kind)


def _build(app: App, kind: OwnerKind, run: Run, progress: Progress | None) -> dict[str, int]:
    index = app.index(kind)
    total = app.store.fingerprints.count(kind)
    fingerprints = app.store.fingerprints.all(kind)
    sample = list(islice(fingerprints, SAMPLE))
    index.create(postings=max(SMALLEST, _estimate(sample, total)))

    def documents() -> Iterator[tuple[int, Features]]:
        for done, one in enumerate(chain(sample, fingerprints), 1):
            yield one.number, unpack(one.positions, one.values)
            if done % SAMPLE == 0:
                app.store.runs.beat(run.id, app.now(), {"fingerprints": done, "of": total})
            if progress:
                progress(done, max(done, total))

    postings = index.load(documents())
    index.publish()
    return {"fingerprints": total, "postings": postings}


def _estimate(sample: list[Fingerprint], total: int) -> int:
    """Postings of all, judged by the first ones, with room to grow by half."""
    if not sample:
        return 0
    return int(1.5 * total * sum(len(one.positions) // 2 for one in sample) / len(sample))


def _is_being_rebuilt(app: App, kind: OwnerKind) -> bool:
    now = app.now()
    return any(
        run.subject == str(kind) and run.ended_at is None and now - run.heartbeat_at < LOST_AFTER
        for run in app.store.runs.recent(kind=RunKind.REBUILD)
    )
