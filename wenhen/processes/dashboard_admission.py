"""Who gets into a dashboard, settled before it is served: no stranger unasked, and somebody who can sign in."""

from services.people.users import first_administrator
from store.errors import BadInput, SetupError
from store.rules.web.loopback import LOOPBACK
from wenhen.settings import DashboardSettings
from wenhen.wiring import App


def make_first_administrator(app: App) -> str | None:
    """Make one where there is no user, with the password of the settings or one of our own; the latter, to be shown.

    Raises `SetupError` for a password that is too easy to guess.
    """
    given = app.settings.dashboard.password
    try:
        made = first_administrator(app, given.get_secret_value() if given else None)
    except BadInput as error:
        raise SetupError("people.first_password", reason=error.message) from None
    return None if given else made


def check(settings: DashboardSettings) -> None:
    """Raise `SetupError` where strangers could reach a dashboard that asks nobody to sign in."""
    if settings.host not in LOOPBACK and not settings.sign_in:
        raise SetupError("server.open_to_all", host=settings.host)
