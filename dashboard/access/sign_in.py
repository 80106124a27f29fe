"""Sign-in by name and password, then by a second factor where there is one; asked before every page."""

from datetime import datetime, timedelta
from typing import Final
from urllib.parse import urlsplit

from flask import Blueprint, Flask, flash, g, redirect, render_template, request, session, url_for
from flask.typing import ResponseReturnValue
from werkzeug.wrappers import Response

from dashboard.access import second_factor, sessions
from dashboard.frame.context import services
from dashboard.frame.language import t
from dashboard.frame.limits import GUESSES, limiter
from dashboard.frame.permissions import is_open, open_to_all
from services.people import passwords
from services.people.people import known
from services.people.rights import RIGHTS, Right
from store.records import Role, User

blueprint = Blueprint("sign_in", __name__, url_prefix="/sign-in")

FAILURES: Final = 10  # wrong passwords or codes in a row ...
LOCK: Final = timedelta(minutes=15)  # ... and the name has to wait for so long
LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
HALF: Final = "half"  # in the cookie: whose password was right, when, and where to go
_HALF_LASTS: Final = timedelta(minutes=5)
_NAME_LENGTH: Final = 80
_STILL_OPEN: Final = frozenset({"account.show", "account.password", "sign_in.out"})  # with a password to be changed

_guessing = limiter.shared_limit(GUESSES, scope="guesses", deduct_when=lambda response: response.status_code == 401)


def install(app: Flask, *, asked: bool) -> None:
    """Ask everybody to sign in; or, not `asked`, take whoever comes by a loopback name for the administrator.

    By a loopback name only: a hostile page could otherwise reach us by pointing its own name at 127.0.0.1.
    """
    app.before_request(_ask if asked else _take_for_local)
    app.register_blueprint(blueprint)
    app.context_processor(lambda: {"signed_in_as": g.get("user")})


def _take_for_local() -> ResponseReturnValue | None:
    g.user, g.rights = "local", RIGHTS[Role.ADMINISTRATOR] - {Right.ACCOUNT}
    if urlsplit(f"//{request.host}").hostname in LOOPBACK or request.endpoint == "healthz":
        return None
    return render_template("error.html", status=400, detail=None), 400


def _ask() -> ResponseReturnValue | None:
    if is_open() or request.path.startswith("/api/"):  # the API asks for a token
        return None
    user = sessions.signed_in()
    if user is None:
        there = request.full_path.rstrip("?") if request.method == "GET" else None
        return redirect(url_for("sign_in.show", next=there), 303)
    g.user, g.rights = user.name, RIGHTS[user.role]
    if user.must_change and request.endpoint not in _STILL_OPEN:
        return redirect(url_for("account.show"), 303)
    return None


@blueprint.get("/")
@open_to_all
def show() -> ResponseReturnValue:
    """The form; whoever is signed in is led on."""
    return redirect(_next(), 303) if sessions.signed_in() else _page()


@blueprint.post("/")
@open_to_all
@_guessing
def take() -> ResponseReturnValue:
    """Name and password."""
    store, now = services().store, services().clock()
    name, password = request.form.get("name", "")[:_NAME_LENGTH], request.form.get("password", "")
    user = known(store, name)
    if user is None or user.disabled_at is not None:
        passwords.verify_nobody(password)
        return _refuse(name)
    if _locked(user, now):
        passwords.verify_nobody(password)
        return _refuse(name)
    if not passwords.verify(user.password, password):
        store.users.failed(user.id, most=FAILURES, until=now + LOCK)
        return _refuse(user.name)
    if passwords.is_outdated(user.password):
        store.users.change(user.id, {"password": passwords.hashed(password)})
    if user.totp_secret is not None:
        session.clear()
        session[HALF] = {"user": user.id, "at": now.isoformat(), "next": _next()}
        return redirect(url_for("sign_in.code"), 303)
    return _begin(user, _next())


@blueprint.get("/code")
@open_to_all
def code() -> ResponseReturnValue:
    """The form for the second factor."""
    return render_template("code.html", refusal=None) if _half() else redirect(url_for("sign_in.show"), 303)


@blueprint.post("/code")
@open_to_all
@_guessing
def take_code() -> ResponseReturnValue:
    """The code of the moment, or one for recovery."""
    user, store, now = _half(), services().store, services().clock()
    if user is None or _locked(user, now):
        return redirect(url_for("sign_in.show"), 303)
    if not second_factor.accepts(store, user, request.form.get("code", ""), now):
        store.users.failed(user.id, most=FAILURES, until=now + LOCK)
        _note("session.refuse", user.name)
        return render_template("code.html", refusal=t("sign_in.wrong_code")), 401
    return _begin(user, session[HALF]["next"])


@blueprint.post("/out")
@open_to_all
def out() -> Response:
    """Sign out."""
    user = sessions.signed_in()
    if user is not None:
        _note("session.end", user.name)
    sessions.end()
    flash(t("sign_in.is_out"))
    return redirect(url_for("sign_in.show"), 303)


def _begin(user: User, there: str) -> Response:
    store, now = services().store, services().clock()
    store.users.change(user.id, {"failures": 0, "locked_until": None, "signed_in_at": now})
    sessions.begin(user)
    _note("session.begin", user.name)
    return redirect(there, 303)


def _half() -> User | None:
    """Whose password was right, not long ago."""
    half = session.get(HALF)
    if half is None or services().clock() - datetime.fromisoformat(half["at"]) > _HALF_LASTS:
        return None
    user = known(services().store, half["user"])
    return user if user is not None and user.disabled_at is None else None


def _locked(user: User, now: datetime) -> bool:
    return user.locked_until is not None and now < user.locked_until


def _refuse(name: str) -> ResponseReturnValue:
    """The same words whether the name, the password or the moment is wrong: nobody learns which names there are."""
    _note("session.refuse", name)
    return _page(t("sign_in.wrong", minutes=int(LOCK.total_seconds()) // 60), name), 401


def _page(refusal: str | None = None, name: str = "") -> str:
    nobody = not services().store.users.all()
    return render_template("sign_in.html", refusal=refusal, name=name, next=_next(), nobody=nobody)


def _next() -> str:
    """The page that was asked for, on this site only."""
    there = request.values.get("next", "")
    parts = urlsplit(there)
    own = there.startswith("/") and not there.startswith(("//", "/\\")) and not parts.scheme and not parts.netloc
    return there if own and there.isprintable() else url_for("overview.show")


def _note(action: str, name: str) -> None:
    services().store.audit.add(services().clock(), name or "?", action, f"user:{name}", new=request.remote_addr or "?")
