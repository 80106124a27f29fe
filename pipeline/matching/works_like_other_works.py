"""Works of the library that share text with each other: editions, reprints, one holder's work in another's."""

from contextlib import suppress

from pipeline.context import Context
from pipeline.matching.candidates import works_like
from pipeline.matching.clustering import join_near_works, leave_outdated, work_member
from pipeline.matching.compare_with_candidates import Source, matches_of, sources_among
from pipeline.matching.rematch_of_leads import look_again
from pipeline.matching.text_with_letters import Reading
from store.errors import NotFound
from store.records import Owner, OwnerKind, Work
from store.rules.record_ids import copy_named, match_id


def note_overlaps(context: Context, work: Work, reading: Reading) -> None:
    """Keep the matches of this work with the others; those of an earlier look that are gone are dropped.

    Leads against works that are not known to share text with this one are looked at again. That comes before the
    matches are kept, so that a worker that dies in between leaves nothing out.
    """
    me = Owner.of_work(work.id)
    found = sources_in_library(context, work, reading)
    leave_outdated(context, [work_member(work)])
    join_near_works(context, [(work_member(work), found)])
    sharing = [source for source in found if source.copied]
    look_again(context, [one.work.id for one in sharing if not _known(context, work, one.work)])
    earlier = {match.id for match in context.store.matches.of_copy(me)}
    matches = matches_of(context, [(source, me, work.version) for source in sharing])
    context.store.matches.put_all(matches)
    context.store.matches.remove(earlier - {match.id for match in matches})


def sources_in_library(context: Context, work: Work, reading: Reading) -> list[Source]:
    """The other works that this one shares passages with, the strongest first."""
    ranked = [one for one in works_like(context, reading) if one.owner_id != work.id]
    return sources_among(context, reading, ranked)


def _known(context: Context, one: Work, other: Work) -> bool:
    """Whether a look at either of two works, as they are now, has found that they share text."""
    return _noted(context, one, other) or _noted(context, other, one)


def _noted(context: Context, copy: Work, work: Work) -> bool:
    with suppress(NotFound):
        match = context.store.matches.get(match_id(Owner.of_work(copy.id), work.id))
        return (match.page_version, match.work_version) == (copy.version, work.version)
    return False


def drop_overlaps(context: Context, work_id: str) -> None:
    """Forget the matches of this work with the others, from both sides."""
    own = context.store.matches.of_copy(Owner.of_work(work_id))
    others = [one for one in context.store.matches.of_work(work_id) if copy_named(one.page_id).kind is OwnerKind.WORK]
    context.store.matches.remove([match.id for match in (*own, *others)])


def pages_matched(context: Context, work_id: str) -> set[str]:
    """The ids of the pages that the work was found in; overlaps with works are left out."""
    copies = (copy_named(match.page_id) for match in context.store.matches.of_work(work_id))
    return {copy.id for copy in copies if copy.kind is OwnerKind.PAGE}
