"""Near-duplicate works and pages found and joined as they come in."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import chain

from matcher.clusters import LEAST_SHARE, cluster_of, join, likeness, may_be_near, within
from matcher.find import compare
from pipeline.context import Context
from pipeline.matching.candidates import all_pages_like
from pipeline.matching.library import LETTERS_TOGETHER
from pipeline.matching.look_up import Source
from pipeline.matching.reading import Reading, readings
from store.records import Member, Owner, OwnerKind, Page, Work

MOST = 32  # pages that a page is compared with, the likeliest ones


def page_member(page: Page) -> Member:
    """A page as a cluster knows it."""
    return _member(Owner.of_page(page.id), page.version, page.published_at, page.first_seen)


def work_member(work: Work) -> Member:
    """A work as a cluster knows it."""
    return _member(Owner.of_work(work.id), work.version, work.published_at, work.stored_at)


def join_near_pages(context: Context, pages: Sequence[tuple[Page, Reading]]) -> None:
    """Join pages, which are in the index, with those pages there that are near duplicates of them.

    Once for a text is enough: of two pages the one that comes later finds the other.
    """
    leave_outdated(context, [page_member(page) for page, _ in pages])
    like = all_pages_like(context, [reading for _, reading in pages], LEAST_SHARE)
    place = {page.id: place for place, (page, _) in enumerate(pages)}
    like = [[id for id in ids if place.get(id, -1) < at][:MOST] for at, ids in enumerate(like)]
    others = context.store.pages.many({*place, *chain.from_iterable(like)})
    present = dict(context.store.clusters.members(list(map(Owner.of_page, others))))
    if sum(other.length for other in others.values()) <= LETTERS_TOGETHER:
        readings(context, {other.text_digest for other in others.values() if other.text_digest})
    for (page, reading), ids in zip(pages, like, strict=True):
        _join_near_page(context, page, reading, [others[id] for id in ids if id in others], present)


def _join_near_page(
    context: Context, page: Page, reading: Reading, others: Sequence[Page], present: dict[Owner, Member]
) -> None:
    """present: those of the pages that stand in clusters; kept up to date."""
    me = page_member(page)
    joined = {present[me.owner].cluster_id} if me.owner in present else set()
    for other in others:
        member = present.get(Owner.of_page(other.id)) or page_member(other)
        if member.cluster_id in joined or not within(me, member, _window(context)):
            continue
        if _near(context, page, reading, other):
            id, moved = _join(context, me, page_member(other))
            joined |= {id, member.cluster_id} - {""}
            known = {**present, me.owner: me, member.owner: member}
            present |= {owner: replace(known[owner], cluster_id=id) for owner in moved if owner in known}


def join_near_works(context: Context, member: Member, sources: Iterable[Source]) -> None:
    """Join a text with those of the works that it was compared with that are near duplicates of it."""
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


def leave_outdated(context: Context, members: Sequence[Member]) -> None:
    """Let texts out of the clusters in which they stand with an earlier version."""
    present = context.store.clusters.members([member.owner for member in members])
    for member in members:
        if member.owner in present and present[member.owner].owner_version != member.owner_version:
            context.store.clusters.leave(member.owner)


def _near(context: Context, page: Page, reading: Reading, other: Page) -> bool:
    if other.text_digest is None or not may_be_near(page.length, other.length, context.settings.cluster.likeness):
        return False
    if other.text_digest == page.text_digest:
        return True
    theirs = readings(context, [other.text_digest])[other.text_digest]
    compared = compare(reading.text, reading.letters, theirs.text, theirs.letters)
    return compared is not None and likeness(compared.verdict) >= context.settings.cluster.likeness


def _join(context: Context, one: Member, other: Member) -> tuple[str, list[Owner]]:
    id, moved = join(context.store.clusters, one, other)
    if pages := [one.id for one in moved if one.kind is OwnerKind.PAGE]:
        context.store.cases.set_cluster(pages, id)
    return id, moved


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
