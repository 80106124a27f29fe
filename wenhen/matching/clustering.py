"""Find near-duplicate works and pages on arrival, and join them in clusters."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import chain

from matcher.attribution.align_pair import align_pair
from matcher.clusters import (
    MIN_FEATURE_SHARE,
    Member,
    clusters_of,
    is_within_window,
    join_pairs,
    may_be_near,
    similarity_of_shares,
)
from wenhen.context.use_cases import Context
from wenhen.fingerprints.reading import TextReading, load_readings
from wenhen.kit.progress import Owner, OwnerKind
from wenhen.matching.candidate_cache import MAX_CACHED_LETTERS
from wenhen.matching.candidates import find_candidate_pages_of_all
from wenhen.matching.comparison import Source
from wenhen.pages.model import Page
from wenhen.works.model import Work

MAX_COMPARED_PAGES = 32  # pages that a page is compared with, the most likely first


def page_member(page: Page) -> Member:
    """Return the cluster member of a page."""
    return _make_member(Owner.of_page(page.id), page.version, page.published_at, page.first_seen)


def work_member(work: Work) -> Member:
    """Return the cluster member of a work."""
    return _make_member(Owner.of_work(work.id), work.version, work.published_at, work.stored_at)


def join_near_pages(context: Context, pages: Sequence[tuple[Page, TextReading]]) -> None:
    """Join indexed pages with the indexed pages that are near duplicates of them.

    Each text needs this once, because the later of two pages finds the earlier one.
    """
    candidate_ids = find_candidate_pages_of_all(context, [reading for _, reading in pages], MIN_FEATURE_SHARE)
    place = {page.id: place for place, (page, _) in enumerate(pages)}
    candidate_ids = [
        [id for id in ids if place.get(id, -1) < number][:MAX_COMPARED_PAGES]
        for number, ids in enumerate(candidate_ids)
    ]
    others = context.store.pages.many(set(chain.from_iterable(candidate_ids)) - place.keys())
    others |= {page.id: page for page, _ in pages}
    present = context.store.clusters.members(list(map(Owner.of_page, {*place, *others})))
    remove_outdated_members(context, [page_member(page) for page, _ in pages], present)
    if sum(other.length for other in others.values()) <= MAX_CACHED_LETTERS:
        load_readings(context, {other.text_digest for other in others.values() if other.text_digest})
    near: list[tuple[Member, Member]] = []
    cluster = {owner: member.cluster_id for owner, member in present.items()}
    for (page, reading), ids in zip(pages, candidate_ids, strict=True):
        near += _near_pages(context, page, reading, [others[id] for id in ids if id in others], cluster)
    _join_pairs(context, near)


def _near_pages(
    context: Context, page: Page, reading: TextReading, others: Sequence[Page], cluster: dict[Owner, str]
) -> Iterator[tuple[Member, Member]]:
    """Yield the pairs that a page forms with its near duplicates.

    cluster: the cluster id of each owner. It is updated here, so that members of the same cluster are not compared
    again.
    """
    me = page_member(page)
    for other in others:
        theirs = page_member(other)
        mine, theirs_now = (cluster.setdefault(member.owner, member.id) for member in (me, theirs))
        if mine == theirs_now or not is_within_window(me, theirs, _date_window(context)):
            continue
        if _is_near_page(context, page, reading, other):
            cluster |= {owner: mine for owner, id in cluster.items() if id == theirs_now}
            yield me, theirs


def join_near_works(context: Context, compared: Iterable[tuple[Member, Sequence[Source]]]) -> None:
    """Join texts with the near duplicates among the works that each was compared with."""
    join_near_pairs(
        context,
        [
            (member, work_member(source.work), similarity_of_shares(source.comparison.verdict))
            for member, sources in compared
            for source in sources
            if not source.work.common
        ],
    )


def join_near_pairs(context: Context, likened: Iterable[tuple[Member, Member, float]]) -> None:
    """Join the pairs whose similarity and dates are those of near duplicates."""
    least, window = context.settings.cluster.likeness, _date_window(context)
    _join_pairs(
        context,
        [
            (first, second)
            for first, second, alike in likened
            if alike >= least and is_within_window(first, second, window)
        ],
    )


def update_case_clusters(context: Context, page_ids: Collection[str], *, new: Collection[str] = ()) -> None:
    """Write the cluster id of pages into their cases, and repeat this while clusters are being merged.

    new: pages whose cases were all opened just now, so that no case has a cluster id yet.
    """
    known: dict[str, str | None] = dict.fromkeys(new)
    waiting = set(page_ids)
    while waiting:
        clusters = clusters_of(context.store.clusters, [Owner.of_page(id) for id in waiting])
        other = {owner.id: id for owner, id in clusters.items() if known.get(owner.id, "") != id}
        context.store.cases.set_clusters(other)
        known |= other
        waiting = set(other)


def remove_outdated_members(
    context: Context, members: Sequence[Member], present: dict[Owner, Member] | None = None
) -> None:
    """Remove texts from clusters that hold an earlier version of them.

    present: the known members. Removed ones are deleted from it.
    """
    if present is None:
        present = context.store.clusters.members([member.owner for member in members])
    for member in members:
        if member.owner in present and present[member.owner].owner_version != member.owner_version:
            context.store.clusters.leave(member.owner)
            del present[member.owner]


def _is_near_page(context: Context, page: Page, reading: TextReading, other: Page) -> bool:
    if other.text_digest is None or not may_be_near(page.length, other.length, context.settings.cluster.likeness):
        return False
    if other.text_digest == page.text_digest:
        return True
    theirs = load_readings(context, [other.text_digest])[other.text_digest]
    compared = align_pair(reading.text, reading.letters, theirs.text, theirs.letters)
    return compared is not None and similarity_of_shares(compared.verdict) >= context.settings.cluster.likeness


def _join_pairs(context: Context, near: Sequence[tuple[Member, Member]]) -> None:
    if near:
        moved = join_pairs(context.store.clusters, near)
        context.store.cases.set_clusters({owner.id: id for owner, id in moved.items() if owner.kind is OwnerKind.PAGE})


def _date_window(context: Context) -> timedelta | None:
    days = context.settings.cluster.window_days
    return timedelta(days=days) if days else None


def _make_member(owner: Owner, version: int, published: datetime | None, seen: datetime) -> Member:
    return Member(
        id=str(owner),
        kind=owner.kind,
        owner_id=owner.id,
        owner_version=version,
        dated=published or seen,
        seen=seen,
    )
