"""What commands change, written into the same audit log as what people do on the dashboard, in the same words."""

from store.audit_values import written
from wenhen.cli.shared.opening import caller
from wenhen.wiring import App


def note(app: App, action: str, subject: str, *, old: object = None, new: object = None) -> None:
    """Note what the command did, after it was done; see `dashboard.audit.record`."""
    app.store.audit.add(app.now(), caller(), action, subject, *written(old, new))
