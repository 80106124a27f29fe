"""Works of the library that share text with each other: editions, reprints, one holder's work in another's."""

from pipeline.context import Context
from pipeline.matching.clustering import join_near_works, work_member
from pipeline.matching.look_up import match_of, sources_among, works_like
from store.records import Match, OwnerKind, Work

OVERLAP = "work:"  # before the id, where a match names its page: both sides are works


def note_overlaps(context: Context, work: Work, text: str) -> None:
    """Keep the matches of this work with the others; those of an earlier look that are gone are dropped."""
    side = f"{OVERLAP}{work.id}"
    ranked = [one for one in works_like(context, text) if one.owner_id != work.id]
    found = {source.work.id: source for source in sources_among(context, text, ranked)}
    join_near_works(context, work_member(work), found.values())
    earlier = {match.id for match in context.store.matches.of_page(side)}
    kept: set[str] = set()
    for source in found.values():
        if not source.accuse:
            continue
        match: Match = match_of(context, source, side, work.version, OwnerKind.WORK, work.id)
        context.store.matches.put(match)
        kept.add(match.id)
    context.store.matches.remove(earlier - kept)


def drop_overlaps(context: Context, work_id: str) -> None:
    """Forget the matches of this work with the others, from both sides."""
    sides = [*context.store.matches.of_page(f"{OVERLAP}{work_id}"), *context.store.matches.of_work(work_id)]
    context.store.matches.remove([match.id for match in sides if match.page_id.startswith(OVERLAP)])
