"""The works of a frozen library against each other: which hold text of which."""

from collections.abc import Collection, Iterator

from pipeline.bulk.frozen_library import FrozenLibrary
from pipeline.matching.compare_with_candidates import matches_of
from pipeline.matching.text_with_letters import readings
from pipeline.matching.works_like_other_works import sources_in_library
from store.records import Match, Owner


def overlaps_of(library: FrozenLibrary, ids: Collection[str]) -> Iterator[Match]:
    """What these works share with all others that counts as a copy, each pair from both of its sides."""
    context = library.context
    for id, work in sorted(library.store.works.many(ids).items()):
        (reading,) = readings(context, [work.text_digest]).values()
        sharing = [source for source in sources_in_library(context, work, reading) if source.copied]
        yield from matches_of(context, [(source, Owner.of_work(id), work.version) for source in sharing])
