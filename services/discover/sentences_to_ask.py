"""Which sentences of a work a search engine is asked for: telling ones, none of which stands in another work."""

from typing import Final

from matcher.clusters import cluster_of
from pipeline.matching.candidates import works_like
from pipeline.matching.text_with_letters import Reading
from services.context import Product
from services.discover.telling_sentences import bare, distinctive, spread
from store.records import Owner, Work

TRIED: Final = 8  # sentences for each that is wanted, of which some stand in other works too


def sentences_to_ask(product: Product, work: Work) -> tuple[str, ...]:
    """The sentences to ask for: telling ones from all over the work, none of which stands in another work.

    Near duplicates of the work are no other works: its copies are theirs.
    """
    text = product.store.blobs.get_text(work.text_digest)
    own_cluster = _cluster(product, work.id)
    count = product.settings.discover.sentences
    own: list[str] = []
    for sentence in distinctive(text)[: TRIED * count]:
        if not _stands_elsewhere(product, work.id, own_cluster, sentence):
            own.append(sentence)
        if len(own) == 2 * count:  # enough to spread
            break
    return tuple(spread(own, text, count))


def _stands_elsewhere(product: Product, work_id: str, own_cluster: str | None, sentence: str) -> bool:
    ranked = works_like(product, Reading(sentence))
    like = product.store.works.many([one.owner_id for one in ranked if one.owner_id != work_id])
    others = (one for one in like.values() if own_cluster is None or _cluster(product, one.id) != own_cluster)
    return any(sentence in bare(product.store.blobs.get_text(other.text_digest)) for other in others)


def _cluster(product: Product, work_id: str) -> str | None:
    return cluster_of(product.store.clusters, Owner.of_work(work_id))
