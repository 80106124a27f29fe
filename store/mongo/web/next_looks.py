"""When a page is looked at again, as its document keeps it; the rule is `store.rules.web.when_to_look_again`."""

from datetime import datetime

from store.mongo.engine.codec import Document, milliseconds
from store.rules.web.when_to_look_again import DAY, LATEST, SAME, SOONEST, Look

MILLISECONDS_AN_HOUR = 3_600_000


def kept(look: Look) -> Document:
    """What is kept of a page's next look."""
    return {"interval_hours": look.interval_hours, "look_at": milliseconds(look.look_at)}


def later_look(at: datetime) -> Document:
    """`next_look` of a page that was the same at this time, as expressions for an update in place."""
    hours: Document = {"$multiply": [{"$ifNull": ["$interval_hours", DAY]}, SAME]}
    hours = {"$min": [{"$max": [hours, SOONEST]}, LATEST]}
    return {
        "interval_hours": hours,
        "look_at": {"$add": [milliseconds(at), {"$multiply": [hours, MILLISECONDS_AN_HOUR]}]},
    }
