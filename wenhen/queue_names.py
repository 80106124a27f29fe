"""The queues, the tasks and the figures that senders and workers share."""

from store.records import OwnerKind, Step

CRAWL = "crawl"  # fetching: long, waits for the network
TEXT = "text"  # extraction and fingerprints: short, busy
MATCH = "match"  # look-up, alignment, cases
UPKEEP = "upkeep"  # sweep, schedule, rebuilds
WEBHOOKS = "webhooks"  # told to other machines, which may be slow: apart from crawls, which are long
EVIDENCE = "evidence"  # exhibits and long reports: a browser, authorities that may be slow, many pages
ALL = (CRAWL, TEXT, MATCH, UPKEEP, WEBHOOKS, EVIDENCE)

BROKER_VARIABLE = "WENHEN_BROKER_URL"  # set by the process that starts the workers
BEAT_VARIABLE = "WENHEN_BEAT"  # the same: which of these two the clock sends
BATCH = "batch"  # the task that does one step of many records
SENT = "sent"  # header of a message: when it was sent, in seconds since 1970
LONGEST_TASK_SECONDS = 12 * 3600
# A step that takes longer has met what it cannot do: its process is killed, and after some tries the record set aside.
LONGEST_STEP_SECONDS = 15 * 60
LONGEST_BATCH_SECONDS = 3600
LONGEST_DELIVERY_SECONDS = 300
LONGEST_EVIDENCE_SECONDS = 3600

_STEP_QUEUE = {
    Step.EXTRACT: TEXT,
    Step.FINGERPRINT: TEXT,
    Step.INDEX: TEXT,
    Step.REMOVE: MATCH,
    Step.LOOK_UP: MATCH,
    Step.ALIGN: MATCH,
}


def task_name(kind: OwnerKind, step: Step) -> str:
    """The task that does this step, e.g. ``page.extract``."""
    return f"{kind}.{step}"


def queue_of(step: Step) -> str:
    """The queue in which this step waits."""
    return _STEP_QUEUE[step]
