"""Fingerprints of another scheme, or of an earlier reading of the letters: noticed, and made again in the background.

They stand in the index, yet a text that is looked up by today's features does not find them.
"""

from typing import Final

from fingerprinter.features.index_features import PARAMETERS, SCHEME
from pipeline.context import Context
from pipeline.run_step import records_of
from pipeline.worker_shares import BACKGROUND
from store.records import Fingerprint, OwnerKind, Step

OWNERS: Final = 200  # at a time: what comes in meanwhile goes first
_MARK: Final = "outdated"


def is_current(one: Fingerprint) -> bool:
    """Whether today's code would give the text such a fingerprint."""
    return one.scheme == SCHEME and list(one.parameters.items()) == list(PARAMETERS.items())


def count_outdated(context: Context, kind: OwnerKind) -> int:
    """How many live fingerprints of this side are to be made again."""
    return context.store.fingerprints.count_other(kind, SCHEME, PARAMETERS)


def remake_outdated(context: Context, kind: OwnerKind) -> int:
    """Send the next owners of outdated fingerprints through all steps from the fingerprint on; how many were sent.

    One that is on its way, or was set aside, is passed over until its turn comes again.
    """
    name = f"{_MARK}:{kind}"
    mark = context.store.marks.get(name)
    after = str(mark["after"]) if mark else ""
    owners = context.store.fingerprints.owners_of_other(kind, SCHEME, PARAMETERS, after=after, limit=OWNERS)
    records = records_of(context, kind)
    sent = [id for id in owners if records.restart(id, Step.FINGERPRINT, only_from={Step.DONE})]
    if sent:
        context.enqueue(kind, sent, Step.FINGERPRINT, BACKGROUND)
    following = owners[-1] if len(owners) == OWNERS else ""
    if following != after:
        context.store.marks.set(name, {"after": following})
    return len(sent)
