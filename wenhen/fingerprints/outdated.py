"""Find fingerprints of an earlier scheme, and queue their texts to be fingerprinted again.

They are in the index, but a look-up with current features does not find them.
"""

from typing import Final

from fingerprinter.features.model import FEATURE_PARAMETERS, FEATURE_SCHEME
from wenhen.fingerprints.model import Fingerprint
from wenhen.kit.progress import OwnerKind, Step
from wenhen.product.context import Context
from wenhen.product.queue import BACKGROUND_SHARE
from wenhen.steps.runner import step_records

OWNERS_PER_BATCH: Final = 200  # owners per batch; new texts go first
_OUTDATED_MARK: Final = "outdated"


def is_current_form(fingerprint: Fingerprint) -> bool:
    """Return whether the current code would make a fingerprint of this form."""
    return fingerprint.scheme == FEATURE_SCHEME and list(fingerprint.parameters.items()) == list(
        FEATURE_PARAMETERS.items()
    )


def count_outdated(context: Context, kind: OwnerKind) -> int:
    """Count the live fingerprints of this kind that must be made again."""
    return context.store.fingerprints.count_other(kind, FEATURE_SCHEME, FEATURE_PARAMETERS)


def remake_outdated(context: Context, kind: OwnerKind) -> int:
    """Restart the next owners of outdated fingerprints at the fingerprint step.

    Owners that are being processed or were set aside are skipped until the next round.

    Returns the number of owners that were restarted.
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
