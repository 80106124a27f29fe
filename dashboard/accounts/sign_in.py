"""Sign users in by password and second factor, and keep their browser sessions."""

import secrets
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Final
from urllib.parse import urljoin, urlsplit, urlunsplit

from flask import (
    Blueprint,
    Flask,
    Response,
    after_this_request,
    current_app,
    flash,
    g,
    jsonify,
    redirect,
    render_template,
    request,
    session,
    url_for,
)
from flask.sessions import SecureCookieSessionInterface
from flask.typing import ResponseReturnValue
from flask_login import LoginManager, UserMixin, current_user, login_user
from flask_wtf.csrf import generate_csrf
from itsdangerous import BadData, URLSafeTimedSerializer
from werkzeug.wrappers import Response as WerkzeugResponse

from dashboard.frame.context import current_seal, language, services, t
from dashboard.frame.security import PROBE_ENDPOINTS, cookie_name, is_open_to_all, open_to_all
from wenhen.accounts.model import User
from wenhen.accounts.sessions import Browser, SessionLengths, find_session_user, hash_session_secret
from wenhen.accounts.sign_in import (
    acting_as,
    check_code,
    check_password,
    is_second_factor_missing,
    sign_user_in,
    sign_user_out,
)
from wenhen.accounts.single_sign_on import Identity, admit_person, is_trusted_address, provider_sign_out_address
from wenhen.accounts.users import find_user
from wenhen.kit.errors import TooManyTries
from wenhen.kit.rights import RIGHTS, Right, Role
from wenhen.kit.web import LOOPBACK_HOSTS

# Signed-in user: one cookie holds the secret of a stored session, a second one identifies the browser.


_LENGTHS_KEY: Final = "WENHEN_SESSION_LENGTHS"
_BROWSER_COOKIE: Final = "wenhen-known"  # marks a browser in which a user has signed in
PROVED_BY_KEY: Final = "by"  # in the cookie: provider or proxy, if one of them signed the user in
PROVIDER: Final = "provider"
PROXY: Final = "proxy"
_BROWSER_COOKIE_SECONDS: Final = 180 * 24 * 3600  # seconds


class SessionUser(UserMixin):
    """A user with the current session. Flask-Login stores the session's secret in the cookie."""

    def __init__(self, user: User, secret: str) -> None:
        self.user, self.secret = user, secret

    def get_id(self) -> str:
        return self.secret


class _CookieSessions(SecureCookieSessionInterface):
    digest_method = staticmethod(sha256)

    def get_cookie_name(self, app: Flask) -> str:
        return cookie_name(super().get_cookie_name(app))

    def get_cookie_secure(self, app: Flask) -> bool:  # noqa: ARG002  Flask's signature
        """Mark the cookie as secure over HTTPS. Loopback has no HTTPS."""
        return request.is_secure


def install_sessions(app: Flask, lengths: SessionLengths) -> None:
    """Let Flask-Login load the user of the session cookie."""
    app.config[_LENGTHS_KEY] = lengths
    app.session_interface = _CookieSessions()
    manager = LoginManager(app)
    manager.session_protection = None  # the store ends a session, a changed address does not
    manager.user_loader(_load_session_user)


def begin_browser_session(user: User, by: str = "") -> None:
    """Sign the user in, with a new cookie that keeps nothing of the previous one. by: who proved them, if not we."""
    product = services().product
    secret = sign_user_in(acting_as(product, user), request_origin(), _session_lengths(), by)
    session.clear()
    login_user(SessionUser(user, secret))
    if by:
        session[PROVED_BY_KEY] = by
    _remember_browser(user)


def end_browser_session() -> None:
    """Sign the user out of the browser and of the store."""
    if current_user.is_authenticated:
        sign_user_out(acting_as(services().product, current_user.user), current_user.secret, request_origin())
    session.clear()
    g.pop("_login_user", None)


def signed_in_user() -> User | None:
    """Return the user of the current request's cookie."""
    return current_user.user if current_user.is_authenticated else None


def current_session_id() -> str | None:
    """Return the id of the current session."""
    return hash_session_secret(current_user.secret) if current_user.is_authenticated else None


def request_origin() -> Browser:
    """Return the address and the browser of the current request."""
    return Browser(request.remote_addr or "", request.user_agent.string, *_known_browser())


def _remember_browser(user: User) -> None:
    """Set a signed cookie which proves that this user has signed in from this browser.

    Guesses by strangers slow strangers down. The cookie exempts this browser from that delay.
    """
    value = _browser_signer().dumps([user.id, secrets.token_hex(8)])

    def remember(response: Response) -> Response:
        response.set_cookie(
            cookie_name(_BROWSER_COOKIE),
            value,
            max_age=_BROWSER_COOKIE_SECONDS,
            samesite="Strict",
            httponly=True,
            secure=request.is_secure,
        )
        return response

    after_this_request(remember)


def _known_browser() -> tuple[str, str] | tuple[()]:
    """Return the user id and the browser id of a cookie that we signed, else an empty tuple."""
    try:
        user_id, id = _browser_signer().loads(
            request.cookies.get(cookie_name(_BROWSER_COOKIE), ""), max_age=_BROWSER_COOKIE_SECONDS
        )
    except (BadData, ValueError, TypeError):
        return ()
    return user_id, id


def _browser_signer() -> URLSafeTimedSerializer:
    key = current_app.secret_key
    assert key  # create_app requires one
    return URLSafeTimedSerializer(key, salt="known browser", signer_kwargs={"digest_method": sha256})


def _load_session_user(secret: str) -> SessionUser | None:
    user = find_session_user(services().product, secret, _session_lengths())
    return None if user is None else SessionUser(user, secret)


def _session_lengths() -> SessionLengths:
    lengths: SessionLengths = current_app.config[_LENGTHS_KEY]
    return lengths


# Sign-in by name and password, then by a second factor if the user has one. Every page requires it.


sign_in_blueprint = Blueprint("sign_in", __name__, url_prefix="/sign-in")
session_blueprint = Blueprint("session", __name__, url_prefix="/session")

HALF_SIGNED_IN_KEY: Final = "half"  # in the cookie: user whose password was right, time, next page
_HALF_SIGNED_IN_LIFETIME: Final = timedelta(minutes=5)
_MAX_NAME_CHARACTERS: Final = 80
_OPEN_DURING_PASSWORD_CHANGE: Final = frozenset(
    {"account.show", "account.password", "sign_in.out"}
)  # allowed until the user has changed the password
_OPEN_DURING_FACTOR_SETUP: Final = _OPEN_DURING_PASSWORD_CHANGE | {  # allowed until the user has set up a second factor
    *("account.begin_second_factor", "account.confirm_second_factor", "account.picture")
}


def install_sign_in(app: Flask, *, asked: bool) -> None:
    """Require sign-in, or treat requests to a loopback host name as the administrator's if not `asked`.

    Other host names are refused without sign-in. Otherwise a hostile page could reach the dashboard by pointing its own
    name at 127.0.0.1.
    """
    app.before_request(_require_sign_in if asked else _sign_in_loopback)
    app.register_blueprint(sign_in_blueprint)
    app.register_blueprint(session_blueprint)
    app.context_processor(lambda: {"signed_in_as": g.get("user")})


def _sign_in_loopback() -> ResponseReturnValue | None:
    g.user, g.rights = "local", RIGHTS[Role.ADMINISTRATOR] - {Right.ACCOUNT}
    if urlsplit(f"//{request.host}").hostname in LOOPBACK_HOSTS or request.endpoint in PROBE_ENDPOINTS:
        return None
    return render_template("error.html", status=400, detail=None), 400


def _require_sign_in() -> ResponseReturnValue | None:
    if is_open_to_all() or request.path.startswith("/api/"):  # the API requires a token
        return None
    user = user_of_proxy(signed_in_user())
    if user is None:
        if request.accept_mimetypes.best == "application/json":  # a script, which asks for sign-in on its own page
            return jsonify(refusal=t("form.ended")), 401
        if request.method == "POST":
            flash(t("sign_in.not_saved"), "refused")
        return redirect(url_for("sign_in.show", next=_return_address()), 303)
    g.user, g.rights, g.account = user.name, user.rights, user
    if user.must_change and request.endpoint not in _OPEN_DURING_PASSWORD_CHANGE:
        return redirect(url_for("account.show"), 303)
    if _lacks_second_factor(user) and request.endpoint not in _OPEN_DURING_FACTOR_SETUP:
        return redirect(url_for("account.show", _anchor="factor"), 303)
    return None


def _lacks_second_factor(user: User) -> bool:
    asked_elsewhere = PROVED_BY_KEY in session and services().product.settings.signin.second_factor
    return not asked_elsewhere and is_second_factor_missing(services().product, user)


def user_of_proxy(user: User | None) -> User | None:
    """Return the user whom a trusted proxy names, who is signed in, or the user of the session.

    A session that a proxy began ends when the proxy no longer names that person.
    """
    by_proxy = session.get(PROVED_BY_KEY) == PROXY
    identity = proxy_identity()
    if identity is None:
        if by_proxy:
            end_browser_session()
        return None if by_proxy else user
    if user is not None and user.subject == identity.subject:
        return user
    if user is not None and not by_proxy:  # signed in by password: the emergency door
        return user
    admitted = admit_person(services().product, identity, request_origin())
    begin_browser_session(admitted, PROXY)
    return admitted


def proxy_identity() -> Identity | None:
    """Return the person whom the header of a trusted proxy names, or None.

    Only the address of the connection counts. What `X-Forwarded-For` says was put in its place, and is ignored.
    """
    settings = services().product.settings.signin
    if not settings.header:
        return None
    peer = request.environ.get("werkzeug.proxy_fix.orig", request.environ).get("REMOTE_ADDR") or ""
    if not is_trusted_address(settings, peer):
        return None
    name = _header_text(settings.header)
    if not name:
        return None
    groups = _header_text(settings.groups_header) if settings.groups_header else ""
    parted = tuple(group.strip() for group in groups.split(",") if group.strip())
    return Identity(subject=f"proxy {name}", name=name, groups=parted)


def _header_text(name: str) -> str:
    """Return a header as UTF-8, which WSGI hands over as Latin-1."""
    value = request.headers.get(name, "").strip()
    return value.encode("latin-1", "replace").decode("utf-8", "replace")


def _return_address() -> str | None:
    """Return the page to open after sign-in: the requested one, or the one with the submitted form."""
    if request.method == "GET":
        return request.full_path.rstrip("?")
    page = urlsplit(request.referrer or "")
    shown = page.netloc == request.host and current_app.url_map.bind("").test(page.path, "GET")
    return urlunsplit(("", "", page.path, page.query, "")) if shown else None


@sign_in_blueprint.get("/")
@open_to_all
def show() -> ResponseReturnValue:
    """Show the sign-in form, or redirect a user who is signed in already."""
    return redirect(next_address(), 303) if signed_in_user() else render_sign_in()


@sign_in_blueprint.post("/")
@open_to_all
def take() -> ResponseReturnValue:
    """Check the name and the password."""
    name, password = request.form.get("name", "")[:_MAX_NAME_CHARACTERS], request.form.get("password", "")
    try:
        user = check_password(services().product, name, password, request_origin())
    except TooManyTries as error:
        return _render_wait(error, render_sign_in(error.message.text(language()), name))
    if user is None:  # one answer for a wrong name and a wrong password: it must not reveal which names exist
        return render_sign_in(t("sign_in.wrong"), name), 401
    return go_on_signing_in(user, next_address())


@session_blueprint.get("/")
@open_to_all
def state() -> Response:
    """Return the user's name and a CSRF token for the scripts of an open page."""
    user = signed_in_user()
    return jsonify(person=user.name if user else None, token=generate_csrf() if user else None)


@sign_in_blueprint.get("/code")
@open_to_all
def code() -> ResponseReturnValue:
    """Show the form for the second factor."""
    return (
        render_template("access/code.html", refusal=None)
        if _half_signed_in_user()
        else redirect(url_for("sign_in.show"), 303)
    )


@sign_in_blueprint.post("/code")
@open_to_all
def take_code() -> ResponseReturnValue:
    """Check the current code or a recovery code."""
    user, product = _half_signed_in_user(), services().product
    if user is None:
        return redirect(url_for("sign_in.show"), 303)
    try:
        right = check_code(product, current_seal(), user, request.form.get("code", ""), request_origin())
    except TooManyTries as error:
        return _render_wait(error, render_template("access/code.html", refusal=error.message.text(language())))
    if not right:
        return render_template("access/code.html", refusal=t("sign_in.wrong_code")), 401
    half = session[HALF_SIGNED_IN_KEY]
    return _complete_sign_in(user, half["next"], half.get("by", ""))


@sign_in_blueprint.post("/out")
@open_to_all
def out() -> WerkzeugResponse:
    """Sign the user out."""
    settings, by = services().product.settings.signin, session.get(PROVED_BY_KEY)
    end_browser_session()
    flash(t("sign_in.is_out"))
    target = settings.sign_out if by == PROXY else ""
    if by == PROVIDER and settings.issuer:
        target = provider_sign_out_address(settings, outward_address("sign_in.show")) or ""
    answer = redirect(target or url_for("sign_in.show"), 303)
    answer.headers["Clear-Site-Data"] = '"cache", "storage"'  # the next user of the computer must find nothing
    return answer


def go_on_signing_in(user: User, target: str, by: str = "") -> WerkzeugResponse:
    """Ask for the second factor if the user has one and whoever proved them did not, else sign them in."""
    if user.totp_secret is None or (by and services().product.settings.signin.second_factor):
        return _complete_sign_in(user, target, by)
    session.clear()
    session[HALF_SIGNED_IN_KEY] = {"user": user.id, "at": services().clock().isoformat(), "next": target, "by": by}
    return redirect(url_for("sign_in.code"), 303)


def outward_address(endpoint: str) -> str:
    """Return the address of a view as other servers know it."""
    outward = services().product.settings.dashboard.address
    return (
        urljoin(outward.rstrip("/") + "/", url_for(endpoint).lstrip("/"))
        if outward
        else url_for(endpoint, _external=True)
    )


def _complete_sign_in(user: User, target: str, by: str = "") -> WerkzeugResponse:
    begin_browser_session(user, by)
    return redirect(target, 303)


def _half_signed_in_user() -> User | None:
    """Return the user whose password was right a short time ago."""
    half = session.get(HALF_SIGNED_IN_KEY)
    if half is None or services().clock() - datetime.fromisoformat(half["at"]) > _HALF_SIGNED_IN_LIFETIME:
        return None
    user = find_user(services().store, half["user"])
    return user if user is not None and user.disabled_at is None else None


def _render_wait(error: TooManyTries, page: str) -> ResponseReturnValue:
    return page, 429, {"Retry-After": str(error.message.figures["seconds"])}


def render_sign_in(refusal: str | None = None, name: str = "") -> str:
    """Show the form, with the way to the provider if there is one."""
    nobody = not services().store.users.all()
    signin = services().product.settings.signin
    provider = (signin.label or t("sign_in.the_provider")) if signin.issuer else None
    return render_template(
        "access/sign_in.html", refusal=refusal, name=name, next=next_address(), nobody=nobody, provider=provider
    )


def next_address() -> str:
    """Return the requested page if it is on this site, else the overview."""
    target = request.values.get("next", "")
    try:
        parts = urlsplit(target)
    except ValueError:  # such as //[
        return url_for("overview.show")
    own = target.startswith("/") and not target.startswith(("//", "/\\")) and not parts.scheme and not parts.netloc
    return target if own and target.isprintable() else url_for("overview.show")
