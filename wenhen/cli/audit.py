"""What commands change, written into the same audit log as what people do on the dashboard, in the same words."""

import getpass

from store.audit_values import written
from wenhen.wiring import App


def caller() -> str:
    """Who the audit log names for what a command did: `command:` and the user of the operating system."""
    try:
        return f"command:{getpass.getuser()}"
    except (OSError, KeyError):  # a container's user has no name
        return "command"


def note(app: App, action: str, subject: str, *, old: object = None, new: object = None) -> None:
    """Note what the command did, after it was done; see `dashboard.audit.record`."""
    app.store.audit.add(app.now(), caller(), action, subject, *written(old, new))
