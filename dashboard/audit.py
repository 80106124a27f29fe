"""What the present user did, written down with the old and the new value."""

from dashboard.frame.context import services
from dashboard.frame.permissions import who
from store.audit_values import written


def record(action: str, subject: str, *, old: object = None, new: object = None) -> None:
    """Note what the present user did, after it was done.

    action: noun.verb (``case.decide``, ``site.add``), with words under ``audit.<action>`` in the translations.
    subject: kind:id (``case:12``). old, new: a string, or a record or mapping, of which only what differs is kept.
    """
    services().store.audit.add(services().clock(), who(), action, subject, *written(old, new))
