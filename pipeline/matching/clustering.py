"""Near-duplicate works and pages found and joined, as they come in or all of them anew."""

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from itertools import chain

from fingerprinter.letters import Letters
from fingerprinter.normalize.read_letters import read_letters
from matcher.clusters import cluster_of, join, likeness, may_be_near, within
from matcher.find import compare
from pipeline.context import App
from pipeline.matching.look_up import Source, pages_like, sources_among, works_like
from store.records import Member, OwnerKind, Page, Work

MOST = 32  # pages that a page is compared with, the likeliest ones
PAGE = f"{OwnerKind.PAGE}:"


def page_member(page: Page) -> Member:
    """A page as a cluster knows it."""
    return _member(OwnerKind.PAGE, page.id, page.version, page.published_at, page.first_seen)


def work_member(work: Work) -> Member:
    """A work as a cluster knows it."""
    return _member(OwnerKind.WORK, work.id, work.version, work.published_at, work.stored_at)


def join_near_pages(app: App, page: Page, text: str) -> None:
    """Join a page, which is in the index, with those pages there that are near duplicates of it.

    Once for a text is enough: of two pages the one that comes later finds the other.
    """
    me, letters = page_member(page), read_letters(text)
    _leave_outdated(app, me)
    ids = [id for id in pages_like(app, text) if id != page.id][:MOST]
    if not ids:
        return
    others = app.store.pages.many(ids)
    present = app.store.clusters.members([me.id, *(f"{PAGE}{id}" for id in ids)])
    joined = {present[me.id].cluster_id} if me.id in present else set()
    for other in (others[id] for id in ids if id in others):
        member = present.get(f"{PAGE}{other.id}") or page_member(other)
        if member.cluster_id in joined or not within(me, member, _window(app)):
            continue
        if _near(app, page, text, letters, other):
            joined.add(_join(app, me, page_member(other)))
            if member.cluster_id:
                joined.add(member.cluster_id)


def join_near_works(app: App, member: Member, sources: Iterable[Source]) -> None:
    """Join a text with those of the works that it was compared with that are near duplicates of it."""
    _leave_outdated(app, member)
    for source in sources:
        _join_if_near(app, member, work_member(source.work), likeness(source.comparison.verdict))


def tell_cases(app: App, page_id: str) -> None:
    """Give the cases of a page the cluster in which the page stands, also when it is being merged meanwhile."""
    told: str | None = ""
    while (id := cluster_of(app.store.clusters, f"{PAGE}{page_id}")) != told:
        app.store.cases.set_cluster([page_id], id)
        told = id


def rebuild_clusters(app: App, progress: Callable[[int, int], None]) -> None:
    """Forget all clusters and find them anew; texts that come in meanwhile join as ever."""
    store = app.store
    store.clusters.clear()
    total = store.works.count() + store.pages.count()
    tasks = chain(((_join_work, id) for id in store.works.ids()), ((_join_page, id) for id in store.pages.ids()))
    for done, (task, id) in enumerate(tasks, 1):
        task(app, id)
        progress(done, max(done, total))
    for page_id in {case.page_id for case in store.cases.each()}:
        tell_cases(app, page_id)


def _join_work(app: App, id: str) -> None:
    work = app.store.works.get(id)
    if work.removed_at is None:
        text = app.store.blobs.get_text(work.text_digest)
        ranked = [one for one in works_like(app, text) if one.owner_id != id]
        join_near_works(app, work_member(work), sources_among(app, text, ranked))


def _join_page(app: App, id: str) -> None:
    page = app.store.pages.get(id)
    if page.text_digest is None:
        return
    join_near_pages(app, page, app.store.blobs.get_text(page.text_digest))
    matches = app.store.matches.of_page(id)
    works = app.store.works.many([match.work_id for match in matches])
    for match in matches:
        work = works.get(match.work_id)
        if work is not None and work.removed_at is None and work.version == match.work_version:
            _join_if_near(app, page_member(page), work_member(work), likeness(match))


def _leave_outdated(app: App, member: Member) -> None:
    """Let a text out of the cluster in which it stands with an earlier version."""
    present = app.store.clusters.members([member.id]).get(member.id)
    if present is not None and present.owner_version != member.owner_version:
        app.store.clusters.leave(member.id)


def _near(app: App, page: Page, text: str, letters: Letters, other: Page) -> bool:
    if other.text_digest is None or not may_be_near(page.length, other.length, app.settings.cluster.likeness):
        return False
    if other.text_digest == page.text_digest:
        return True
    other_text = app.store.blobs.get_text(other.text_digest)
    compared = compare(text, letters, other_text, read_letters(other_text))
    return compared is not None and likeness(compared.verdict) >= app.settings.cluster.likeness


def _join_if_near(app: App, one: Member, other: Member, alike: float) -> None:
    if alike >= app.settings.cluster.likeness and within(one, other, _window(app)):
        _join(app, one, other)


def _join(app: App, one: Member, other: Member) -> str:
    id, moved = join(app.store.clusters, one, other)
    if pages := [each.removeprefix(PAGE) for each in moved if each.startswith(PAGE)]:
        app.store.cases.set_cluster(pages, id)
    return id


def _window(app: App) -> timedelta | None:
    days = app.settings.cluster.window_days
    return timedelta(days=days) if days else None


def _member(kind: OwnerKind, owner_id: str, version: int, published: datetime | None, seen: datetime) -> Member:
    return Member(
        id=f"{kind}:{owner_id}",
        kind=kind,
        owner_id=owner_id,
        owner_version=version,
        dated=published or seen,
        seen=seen,
    )
