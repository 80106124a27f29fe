"""Near-duplicate works and pages found and joined as they come in."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from matcher.clusters import cluster_of, join, likeness, may_be_near, within
from matcher.find import compare
from pipeline.context import Context
from pipeline.matching.look_up import Source, pages_like
from pipeline.matching.reading import Reading
from store.records import Member, Owner, OwnerKind, Page, Work

MOST = 32  # pages that a page is compared with, the likeliest ones


def page_member(page: Page) -> Member:
    """A page as a cluster knows it."""
    return _member(Owner.of_page(page.id), page.version, page.published_at, page.first_seen)


def work_member(work: Work) -> Member:
    """A work as a cluster knows it."""
    return _member(Owner.of_work(work.id), work.version, work.published_at, work.stored_at)


def join_near_pages(context: Context, page: Page, reading: Reading) -> None:
    """Join a page, which is in the index, with those pages there that are near duplicates of it.

    Once for a text is enough: of two pages the one that comes later finds the other.
    """
    me = page_member(page)
    _leave_outdated(context, me)
    ids = [id for id in pages_like(context, reading) if id != page.id][:MOST]
    if not ids:
        return
    others = context.store.pages.many(ids)
    present = context.store.clusters.members([me.owner, *map(Owner.of_page, ids)])
    joined = {present[me.owner].cluster_id} if me.owner in present else set()
    for other in (others[id] for id in ids if id in others):
        member = present.get(Owner.of_page(other.id)) or page_member(other)
        if member.cluster_id in joined or not within(me, member, _window(context)):
            continue
        if _near(context, page, reading, other):
            joined.add(_join(context, me, page_member(other)))
            if member.cluster_id:
                joined.add(member.cluster_id)


def join_near_works(context: Context, member: Member, sources: Iterable[Source]) -> None:
    """Join a text with those of the works that it was compared with that are near duplicates of it."""
    _leave_outdated(context, member)
    for source in sources:
        join_if_near(context, member, work_member(source.work), likeness(source.comparison.verdict))


def join_if_near(context: Context, one: Member, other: Member, alike: float) -> None:
    """Join two texts whose likeness, and whose dates, are those of near duplicates."""
    if alike >= context.settings.cluster.likeness and within(one, other, _window(context)):
        _join(context, one, other)


def tell_cases(context: Context, page_id: str) -> None:
    """Give the cases of a page the cluster in which the page stands, also when it is being merged meanwhile."""
    told: str | None = ""
    while (id := cluster_of(context.store.clusters, Owner.of_page(page_id))) != told:
        context.store.cases.set_cluster([page_id], id)
        told = id


def _leave_outdated(context: Context, member: Member) -> None:
    """Let a text out of the cluster in which it stands with an earlier version."""
    present = context.store.clusters.members([member.owner]).get(member.owner)
    if present is not None and present.owner_version != member.owner_version:
        context.store.clusters.leave(member.owner)


def _near(context: Context, page: Page, reading: Reading, other: Page) -> bool:
    if other.text_digest is None or not may_be_near(page.length, other.length, context.settings.cluster.likeness):
        return False
    if other.text_digest == page.text_digest:
        return True
    theirs = Reading(context.store.blobs.get_text(other.text_digest))
    compared = compare(reading.text, reading.letters, theirs.text, theirs.letters)
    return compared is not None and likeness(compared.verdict) >= context.settings.cluster.likeness


def _join(context: Context, one: Member, other: Member) -> str:
    id, moved = join(context.store.clusters, one, other)
    if pages := [one.id for one in moved if one.kind is OwnerKind.PAGE]:
        context.store.cases.set_cluster(pages, id)
    return id


def _window(context: Context) -> timedelta | None:
    days = context.settings.cluster.window_days
    return timedelta(days=days) if days else None


def _member(owner: Owner, version: int, published: datetime | None, seen: datetime) -> Member:
    return Member(
        id=str(owner),
        kind=owner.kind,
        owner_id=owner.id,
        owner_version=version,
        dated=published or seen,
        seen=seen,
    )
