"""Sign-in by name and password, then by a second factor where there is one; asked before every page."""

from datetime import datetime, timedelta
from typing import Final
from urllib.parse import urlsplit, urlunsplit

from flask import Blueprint, Flask, current_app, flash, g, redirect, render_template, request, session, url_for
from flask.typing import ResponseReturnValue
from werkzeug.wrappers import Response

from dashboard.access import sessions
from dashboard.frame.context import seal, services
from dashboard.frame.language import language, t
from dashboard.frame.permissions import PROBES, is_open, open_to_all
from services.people import sign_in
from services.people.second_factor import is_lacking
from services.people.users import known
from store.errors import TooManyTries
from store.records import Role, User
from store.rules.role_rights import RIGHTS, Right
from store.rules.web.loopback import LOOPBACK

blueprint = Blueprint("sign_in", __name__, url_prefix="/sign-in")

HALF: Final = "half"  # in the cookie: whose password was right, when, and where to go
_HALF_LASTS: Final = timedelta(minutes=5)
_NAME_LENGTH: Final = 80
_STILL_OPEN: Final = frozenset({"account.show", "account.password", "sign_in.out"})  # with a password to be changed
_TO_SET_UP: Final = _STILL_OPEN | {  # with a second factor to be set up
    *("account.begin_second_factor", "account.confirm_second_factor", "account.picture")
}


def install(app: Flask, *, asked: bool) -> None:
    """Ask everybody to sign in; or, not `asked`, take whoever comes by a loopback name for the administrator.

    By a loopback name only: a hostile page could otherwise reach us by pointing its own name at 127.0.0.1.
    """
    app.before_request(_ask if asked else _take_for_local)
    app.register_blueprint(blueprint)
    app.context_processor(lambda: {"signed_in_as": g.get("user")})


def _take_for_local() -> ResponseReturnValue | None:
    g.user, g.rights = "local", RIGHTS[Role.ADMINISTRATOR] - {Right.ACCOUNT}
    if urlsplit(f"//{request.host}").hostname in LOOPBACK or request.endpoint in PROBES:
        return None
    return render_template("error.html", status=400, detail=None), 400


def _ask() -> ResponseReturnValue | None:
    if is_open() or request.path.startswith("/api/"):  # the API asks for a token
        return None
    user = sessions.signed_in()
    if user is None:
        if request.method == "POST":
            flash(t("sign_in.not_saved"), "refused")
        return redirect(url_for("sign_in.show", next=_there()), 303)
    g.user, g.rights, g.account = user.name, RIGHTS[user.role], user
    if user.must_change and request.endpoint not in _STILL_OPEN:
        return redirect(url_for("account.show"), 303)
    if is_lacking(services().product, user) and request.endpoint not in _TO_SET_UP:
        return redirect(url_for("account.show", _anchor="factor"), 303)
    return None


def _there() -> str | None:
    """The page to come back to: what was asked for, or where the form stood that was sent."""
    if request.method == "GET":
        return request.full_path.rstrip("?")
    page = urlsplit(request.referrer or "")
    shown = page.netloc == request.host and current_app.url_map.bind("").test(page.path, "GET")
    return urlunsplit(("", "", page.path, page.query, "")) if shown else None


@blueprint.get("/")
@open_to_all
def show() -> ResponseReturnValue:
    """The form; whoever is signed in is led on."""
    return redirect(_next(), 303) if sessions.signed_in() else _page()


@blueprint.post("/")
@open_to_all
def take() -> ResponseReturnValue:
    """Name and password."""
    name, password = request.form.get("name", "")[:_NAME_LENGTH], request.form.get("password", "")
    try:
        user = sign_in.check_password(services().product, name, password, sessions.browser())
    except TooManyTries as error:
        return _wait(error, _page(error.message.text(language()), name))
    if user is None:  # the same words whether the name or the password is wrong: nobody learns which names there are
        return _page(t("sign_in.wrong"), name), 401
    if user.totp_secret is not None:
        session.clear()
        session[HALF] = {"user": user.id, "at": services().clock().isoformat(), "next": _next()}
        return redirect(url_for("sign_in.code"), 303)
    return _begin(user, _next())


@blueprint.get("/code")
@open_to_all
def code() -> ResponseReturnValue:
    """The form for the second factor."""
    return render_template("access/code.html", refusal=None) if _half() else redirect(url_for("sign_in.show"), 303)


@blueprint.post("/code")
@open_to_all
def take_code() -> ResponseReturnValue:
    """The code of the moment, or one for recovery."""
    user, product = _half(), services().product
    if user is None:
        return redirect(url_for("sign_in.show"), 303)
    try:
        right = sign_in.check_code(product, seal(), user, request.form.get("code", ""), sessions.browser())
    except TooManyTries as error:
        return _wait(error, render_template("access/code.html", refusal=error.message.text(language())))
    if not right:
        return render_template("access/code.html", refusal=t("sign_in.wrong_code")), 401
    return _begin(user, session[HALF]["next"])


@blueprint.post("/out")
@open_to_all
def out() -> Response:
    """Sign out."""
    sessions.end()
    flash(t("sign_in.is_out"))
    answer = redirect(url_for("sign_in.show"), 303)
    answer.headers["Clear-Site-Data"] = '"cache", "storage"'  # nothing stays for who sits there next
    return answer


def _begin(user: User, there: str) -> Response:
    sessions.begin(user)
    return redirect(there, 303)


def _half() -> User | None:
    """Whose password was right, not long ago."""
    half = session.get(HALF)
    if half is None or services().clock() - datetime.fromisoformat(half["at"]) > _HALF_LASTS:
        return None
    user = known(services().store, half["user"])
    return user if user is not None and user.disabled_at is None else None


def _wait(error: TooManyTries, page: str) -> ResponseReturnValue:
    return page, 429, {"Retry-After": str(error.message.figures["seconds"])}


def _page(refusal: str | None = None, name: str = "") -> str:
    nobody = not services().store.users.all()
    return render_template("access/sign_in.html", refusal=refusal, name=name, next=_next(), nobody=nobody)


def _next() -> str:
    """The page that was asked for, on this site only."""
    there = request.values.get("next", "")
    try:
        parts = urlsplit(there)
    except ValueError:  # such as //[
        return url_for("overview.show")
    own = there.startswith("/") and not there.startswith(("//", "/\\")) and not parts.scheme and not parts.netloc
    return there if own and there.isprintable() else url_for("overview.show")
