"""Find fingerprints of an earlier scheme, and send their texts to be fingerprinted again.

They stand in the index, yet a text that is looked up by today's features does not find them.
"""

from typing import Final

from fingerprinter.features.model import FEATURE_PARAMETERS, FEATURE_SCHEME
from wenhen.fingerprints.model import Fingerprint
from wenhen.kit.progress import OwnerKind, Step
from wenhen.product.context import Context
from wenhen.product.queue import BACKGROUND_SHARE
from wenhen.steps.runner import step_records

OWNERS_PER_BATCH: Final = 200  # at a time: what comes in meanwhile goes first
_OUTDATED_MARK: Final = "outdated"


def is_current_form(fingerprint: Fingerprint) -> bool:
    """Whether today's code would give the text such a fingerprint."""
    return fingerprint.scheme == FEATURE_SCHEME and list(fingerprint.parameters.items()) == list(
        FEATURE_PARAMETERS.items()
    )


def count_outdated(context: Context, kind: OwnerKind) -> int:
    """How many live fingerprints of this side are to be made again."""
    return context.store.fingerprints.count_other(kind, FEATURE_SCHEME, FEATURE_PARAMETERS)


def remake_outdated(context: Context, kind: OwnerKind) -> int:
    """Send the next owners of outdated fingerprints through all steps from the fingerprint on; how many were sent.

    One that is on its way, or was set aside, is passed over until its turn comes again.
    """
    name = f"{_OUTDATED_MARK}:{kind}"
    mark = context.store.marks.get(name)
    after = str(mark["after"]) if mark else ""
    owners = context.store.fingerprints.owners_of_other(
        kind, FEATURE_SCHEME, FEATURE_PARAMETERS, after=after, limit=OWNERS_PER_BATCH
    )
    records = step_records(context, kind)
    sent = [id for id in owners if records.restart(id, Step.FINGERPRINT, only_from={Step.DONE})]
    if sent:
        context.enqueue(kind, sent, Step.FINGERPRINT, BACKGROUND_SHARE)
    following = owners[-1] if len(owners) == OWNERS_PER_BATCH else ""
    if following != after:
        context.store.marks.set(name, {"after": following})
    return len(sent)
