"""Send works and pages through matching again: all, changed works, leads, and removed works.

Pages with open leads are extracted again after the template of their host changed.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from itertools import chain, islice
from typing import Unpack

from crawler.extraction.boilerplate.host_templates import HostText
from fingerprinter.features.model import FEATURE_PARAMETERS, FEATURE_SCHEME
from wenhen.cases.calibration import current_calibration
from wenhen.cases.model import CaseConditions, CaseStatus
from wenhen.context.store_and_queue import BACKGROUND_SHARE
from wenhen.context.use_cases import Context
from wenhen.crawls.model import Run, RunKind
from wenhen.kit.errors import NotFound
from wenhen.kit.progress import UNFINISHED, OwnerKind, Step
from wenhen.steps.runner import REMATCH_PAUSE


def count_unfinished(context: Context) -> int:
    """Count the works and pages that have a step to run."""
    # Works are counted first: a page makes no work unfinished, but the look-up of a work may restart pages.
    works = context.store.works.count_unfinished()
    return works + context.store.pages.count_unfinished()


def count_unprotected(context: Context) -> int:
    """Count the works whose copies cannot be found yet, because they are not fingerprinted and indexed."""
    return context.store.works.count_at((Step.FINGERPRINT, Step.INDEX))


def has_unfinished_works(context: Context) -> bool:
    """Return whether a work has a step to run, from this import or an earlier one that was interrupted."""
    return context.store.works.count_at(UNFINISHED, most=1) > 0


# Old leads: text that a new work shares with an older one may be common text now. The pages wait for a while, so that
# works that arrive together cost each page one look-up. The reconciler then queues them in batches where the queue has
# room, after new pages.


LEAD_BATCH_SIZE = 500
# A page before these steps will meet a new work by itself. One at its look-up may have queried the index already.
LOOKED_UP_STEPS = (Step.LOOK_UP, Step.ALIGN, Step.DONE)


def rematch_leads_against(context: Context, work_ids: Iterable[str]) -> None:
    """Restart the look-up of the pages with open leads against these works, after `REMATCH_PAUSE`."""
    due = context.now() + REMATCH_PAUSE
    for work_id in work_ids:
        for page_ids in _pages_with_leads(context, LEAD_BATCH_SIZE, work_id=work_id):
            context.store.pages.restart_all(page_ids, Step.LOOK_UP, only_from=LOOKED_UP_STEPS, due=due)


def _pages_with_leads(context: Context, limit: int, **where: Unpack[CaseConditions]) -> Iterator[set[str]]:
    """Yield the ids of the pages with open leads, in batches."""
    where.update({"status": CaseStatus.LEAD, "present": True})
    while keys := context.store.cases.keys(**where, limit=limit):
        yield {case["page_id"] for case in keys}
        where["below"] = keys[-1]["number"]


# Works that were removed while one of their steps was running: remove what that step has stored since.


_REMOVAL_BATCH_SIZE = 1_000


def repeat_removals(context: Context, ids: Collection[str]) -> None:
    """Restart the removal of works that were removed. The removal is idempotent."""
    removed = [id for id, work in context.store.works.many(ids).items() if work.removed_at is not None]
    again = [id for id in removed if context.store.works.restart(id, Step.REMOVE)]
    if again:
        context.enqueue(OwnerKind.WORK, again, Step.REMOVE)


def remove_leftover_works(context: Context) -> None:
    """Restart the removal of removed works that still have fingerprints.

    This happens when a worker died during a step before it saw the removal.
    """
    removed = context.store.works.removed_ids()
    while ids := list(islice(removed, _REMOVAL_BATCH_SIZE)):
        if left := context.store.fingerprints.ids_of(OwnerKind.WORK, ids):
            repeat_removals(context, left.keys())


# Re-match of the library against the stored pages and against itself. What was new, changed or removed was looked up at
# the time. Only works whose record changed after the last re-match are looked up again, and of these only the works
# whose own look-up since does not count: it was done for an earlier state of the record, under other conditions, or in
# an index that was built anew since. If decisions of users moved the calibration, every text that has a match is looked
# up as well. All works are looked up if there was no re-match before, or if the matcher settings, the fingerprints or
# the release changed.


RESTARTABLE_STEPS = (Step.DONE,)
RECORDS_PER_HEARTBEAT = 1_000  # records between two heartbeats
REMATCH_LOST_AFTER = timedelta(minutes=10)
REMATCH_MARK = "rematch"
MAX_WRITE_LAG = timedelta(minutes=1)  # a write that takes this long may be committed after the mark
MATCHED_BATCH_SIZE = 500


def start_rematch(context: Context, *, everything: bool = False) -> Run:
    """Restart the look-up of changed works, or of all works. Their pages follow by themselves.

    Returns the run, as started.
    """
    run = context.store.runs.start(RunKind.REMATCH, None, context.now())
    until, basis, calibration = context.now() - MAX_WRITE_LAG, _result_basis(context), _calibration_values(context)
    mark = context.store.marks.get(REMATCH_MARK)
    counts = {"works": 0, "pages": 0, "up_to_date": 0}
    if everything or mark is None or mark["basis"] != basis:
        _queue_works(context, run, context.store.works.ids(), counts)
    else:
        since = mark["until"]
        assert isinstance(since, datetime)
        moved = mark["calibration"] != calibration
        matched = _find_matched_works(context) if moved else iter(())
        _queue_works(context, run, chain(_find_changed_works(context, since, counts), matched), counts)
        if moved:
            _queue_matched_pages(context, run, counts)
    context.store.marks.set(REMATCH_MARK, {"until": until, "basis": basis, "calibration": calibration})
    context.store.runs.beat(run.id, context.now(), {**counts, "cases_before": context.store.cases.count()})
    return context.store.runs.get(run.id)


def _queue_works(context: Context, run: Run, ids: Iterator[str], counts: dict[str, int]) -> None:
    while batch := list(islice(ids, RECORDS_PER_HEARTBEAT)):
        again = context.store.works.restart_now(batch, Step.LOOK_UP, only_from=RESTARTABLE_STEPS)
        context.enqueue(OwnerKind.WORK, again, Step.LOOK_UP, BACKGROUND_SHARE)
        counts["works"] += len(again)
        context.store.runs.beat(run.id, context.now(), {})


def _queue_matched_pages(context: Context, run: Run, counts: dict[str, int]) -> None:
    """Restart the look-up of pages with matches. The reconciler queues them where there is room."""
    pages = (copy.id for copy in context.store.matches.copies() if copy.kind is OwnerKind.PAGE)
    while batch := list(islice(pages, MATCHED_BATCH_SIZE)):
        context.store.pages.restart_all(batch, Step.LOOK_UP, only_from=RESTARTABLE_STEPS, due=context.now())
        counts["pages"] += len(batch)
        context.store.runs.beat(run.id, context.now(), {})


def _find_matched_works(context: Context) -> Iterator[str]:
    return (copy.id for copy in context.store.matches.copies() if copy.kind is OwnerKind.WORK)


def _find_changed_works(context: Context, since: datetime, counts: dict[str, int]) -> Iterator[str]:
    """Yield the ids of works whose record changed after `since`, and count those that need no other look-up."""
    after, until, conditions = (since, ""), context.now(), look_up_conditions(context)
    while works := context.store.works.texts_changed(after, until=until, limit=MATCHED_BATCH_SIZE):
        looked_up = context.store.works.find_looked_up([work.id for work in works], conditions)
        counts["up_to_date"] += len(looked_up)
        yield from (work.id for work in works if work.id not in looked_up)
        after = (works[-1].updated_at, works[-1].id)


def look_up_conditions(context: Context) -> str:
    """Return a digest of what the result of a look-up depends on, besides the texts.

    The builds of both indexes are part of it: an index that lost postings is built anew, and look-ups before that may
    have missed a text. Pages that came meanwhile do not count, because they look for works themselves.
    """
    indexes = [context.index(kind).generation() for kind in OwnerKind]
    conditions = [_result_basis(context), _calibration_values(context), indexes]
    return sha256(json.dumps(conditions, sort_keys=True).encode()).hexdigest()


def _result_basis(context: Context) -> dict[str, object]:
    """Return the settings and versions that every result depends on."""
    return {
        "release": _release(),
        "scheme": FEATURE_SCHEME,
        "parameters": dict(FEATURE_PARAMETERS),
        "matcher": context.settings.matcher.model_dump_json(),
        "cluster": context.settings.cluster.model_dump_json(),
    }


@cache
def _release() -> str:
    return version("wenhen")  # reads a file


def _calibration_values(context: Context) -> dict[str, float]:
    now = current_calibration(context)
    return {"intercept": now.intercept, "slope": now.slope}


def end_finished_rematch(context: Context) -> None:
    """End the runs that have no unfinished records, and update the counts of the others.

    A run whose process died before it had queued all works is ended as lost.
    """
    for run in context.store.runs.active(RunKind.REMATCH):
        if "works" not in run.counts:
            continue
        waiting = count_unfinished(context)
        counts = {**run.counts, "waiting": waiting}
        if waiting:
            context.store.runs.beat(run.id, context.now(), counts)
        else:
            opened = context.store.cases.count() - counts.pop("cases_before", 0)
            context.store.runs.end(run.id, context.now(), {**counts, "cases_opened": opened})
    context.store.runs.end_lost(RunKind.REMATCH, context.now() - REMATCH_LOST_AFTER)


_READ_BATCH_SIZE = 200  # pages whose texts are read together


def apply_new_templates(context: Context) -> int:
    """Queue pages for extraction again if the new template of their host shortens their text.

    Only hosts whose template changed, and then stayed unchanged for `REMATCH_PAUSE`, are considered. Only pages with
    open leads are read.

    Returns the number of pages that were queued.
    """
    again = 0
    now = context.now()
    for host in context.store.templates.changed_hosts(now - REMATCH_PAUSE):
        for ids in _pages_with_leads(context, _READ_BATCH_SIZE, host=host):
            changed = _changed_pages(context, host, ids)
            context.store.pages.restart_all(changed, Step.EXTRACT, only_from=(Step.DONE,), due=now)
            again += len(changed)
        context.store.templates.mark_applied(host, now)
    return again


def _changed_pages(context: Context, host: str, ids: Collection[str]) -> list[str]:
    """Return the ids of pages whose text the current template shortens.

    Pages whose text is missing from the store, and parts of pages, are always included: their text does not tell.
    """
    pages = context.store.pages.many(ids).values()
    digests = {page.id: page.text_digest for page in pages if page.text_digest and page.part is None}
    loaded = zip(digests, _load_texts(context, list(digests.values())), strict=True)
    texts = {id: None if text is None else HostText(text) for id, text in loaded}
    lines = {line for text in texts.values() if text for line in text.line_keys}
    on, counts = context.store.templates.pages(host), context.store.templates.counts(host, lines)
    shorter = {id for id, text in texts.items() if text is None or text.strip_template(counts, on) != text.text}
    return [page.id for page in pages if page.id in shorter or page.part is not None]


def _load_texts(context: Context, digests: Sequence[str]) -> list[str | None]:
    """Return the text of each digest, or None for every digest if the store has lost one."""
    try:
        texts = context.store.blobs.get_texts(digests)
    except NotFound:
        return [None] * len(digests)
    return [texts[digest] for digest in digests]
