"""The queues, the tasks and the words that senders and workers share."""

from store.records import Step

CRAWL = "crawl"  # fetching: long, waits for the network
TEXT = "text"  # extraction and fingerprints: short, busy
MATCH = "match"  # look-up, alignment, cases
UPKEEP = "upkeep"  # sweep, schedule, rebuilds
WEBHOOKS = "webhooks"  # told to other machines, which may be slow: apart from crawls, which are long
EVIDENCE = "evidence"  # exhibits and long reports: a browser, authorities that may be slow, many pages
PICTURES = "pictures"  # reading what is written in pictures: seconds each
ALL = (CRAWL, TEXT, MATCH, UPKEEP, WEBHOOKS, EVIDENCE, PICTURES)

SOON, LATER = 0, 3  # of kombu's priorities on Redis, each a list of its own; 0 is the queue's own
LATER_LIST = "\x06\x16".join((CRAWL, str(LATER)))  # what the schedule asks for, behind what people do

BROKER_VARIABLE = "WENHEN_BROKER_URL"  # set by the process that starts the workers
BEAT_VARIABLE = "WENHEN_BEAT"  # the same: which of these two the clock sends
STEPS = (TEXT, MATCH, PICTURES)  # in which records wait by whose they are; messages only say that something waits
BATCH = "batch"  # the task that does what comes next of a queue of steps
SENT = "sent"  # header of a message: when it was sent, in seconds since 1970

_STEP_QUEUE = {
    Step.EXTRACT: TEXT,
    Step.READ_PICTURES: PICTURES,
    Step.FINGERPRINT: TEXT,
    Step.INDEX: TEXT,
    Step.REMOVE: MATCH,
    Step.LOOK_UP: MATCH,
    Step.ALIGN: MATCH,
}


def queue_of(step: Step) -> str:
    """The queue in which this step waits."""
    return _STEP_QUEUE[step]
