"""What waits for the present reader, told at the top of every screen."""

from flask import Flask

from dashboard.frame.context import acting, services


def asked_of_me() -> int:
    """On how many cases somebody asked them for a second opinion."""
    return services().store.cases.count(asked=acting().who)


def alerts_for_me() -> int:
    """How many of their alerts the reader has not seen."""
    return services().store.alerts.unseen(acting().who)


def install(app: Flask) -> None:
    """Give templates the counts."""
    app.add_template_global(asked_of_me, "asked_of_me")
    app.add_template_global(alerts_for_me, "alerts_for_me")
