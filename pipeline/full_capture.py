"""What a case rests on: an answer that held the page, never one that only said that nothing had changed."""

from store.ports import Store
from store.records import Capture
from store.rules.web.page_after_capture import NOT_MODIFIED, in_full

_SOUGHT = 1_000  # captures


def full_capture(store: Store, page_id: str, capture: Capture) -> Capture:
    """The capture, or the newest one before it that the server answered in full with the same content."""
    if capture.status != NOT_MODIFIED:
        return capture
    return in_full(store.pages.captures(page_id, limit=_SOUGHT), capture)
