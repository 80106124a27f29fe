"""What waits for the present reader, told at the top of every screen."""

from flask import Flask

from dashboard.frame.context import acting, services


def asked_of_me() -> int:
    """On how many cases somebody asked them for a second opinion."""
    return services().store.cases.count(asked=acting().who)


def install(app: Flask) -> None:
    """Give templates the count."""
    app.add_template_global(asked_of_me, "asked_of_me")
