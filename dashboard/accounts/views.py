"""Show a user's own account: password, second factor, sessions and tokens."""

from typing import Final

from flask import Blueprint, Response, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from dashboard.accounts.browser_names import browser_in_words
from dashboard.accounts.sign_in import current_session_id, signed_in_user
from dashboard.feeds.views import CALENDAR_RIGHT, CASES_RIGHT
from dashboard.frame.context import current_actor, current_seal, services
from dashboard.frame.language import language, t
from dashboard.frame.security import needs
from wenhen.accounts.model import User
from wenhen.accounts.sessions import is_feed_token, is_token_valid, make_api_token, revoke_api_token
from wenhen.accounts.sign_in import (
    is_second_factor_missing,
    pending_totp_secret,
    start_second_factor,
    totp_qr_code,
    turn_off_second_factor,
    turn_on_second_factor,
)
from wenhen.accounts.users import change_own_password, end_own_session, end_own_sessions, set_own_mail
from wenhen.kit.errors import BadInput, Message, TooManyTries, WenhenError
from wenhen.kit.rights import RIGHTS, Right

account_blueprint = Blueprint("account", __name__, url_prefix="/account")

PageResponse = str | tuple[str, int] | AnyResponse
TOKEN_LIFETIME_DAYS: Final = (30, 90, 365)


@account_blueprint.get("/")
@needs(Right.ACCOUNT)
def show() -> str:
    """Show the user's account."""
    return _render_account()


@account_blueprint.post("/password")
@needs(Right.ACCOUNT)
def password() -> PageResponse:
    """Change the password, and end all other sessions."""
    form, user = request.form, _current_user()
    if form.get("new", "") != form.get("again", ""):
        return _render_account(password=Message("people.passwords_differ")), 400
    try:
        change_own_password(current_actor(), form.get("old", ""), form.get("new", ""), session=current_session_id())
    except (BadInput, TooManyTries) as error:
        return _render_account(password=error.message), _error_status(error)
    flash(t("account.password_changed"))
    return redirect(url_for("overview.show" if user.must_change else "account.show"), 303)


@account_blueprint.post("/mail")
@needs(Right.ACCOUNT)
def mail() -> PageResponse:
    """Set the mail address that a link for a new password is sent to. It requires the password."""
    try:
        set_own_mail(current_actor(), request.form.get("password", ""), request.form.get("mail", "").strip())
    except (BadInput, TooManyTries) as error:
        return _render_account(mail=error.message), _error_status(error)
    flash(t("account.mail_saved"))
    return redirect(url_for("account.show", _anchor="mail-title"), 303)


@account_blueprint.post("/second-factor")
@needs(Right.ACCOUNT)
def begin_second_factor() -> PageResponse:
    """Create a secret for an authenticator app.

    It requires the password, and the current code to replace an existing factor.
    """
    form = request.form
    try:
        start_second_factor(current_actor(), current_seal(), form.get("password", ""), form.get("code", ""))
    except (BadInput, TooManyTries) as error:
        return _render_account(factor=error.message), _error_status(error)
    return redirect(url_for("account.show", _anchor="factor"), 303)


@account_blueprint.get("/second-factor.svg")
@needs(Right.ACCOUNT)
def picture() -> Response:
    """Return the secret as a QR code."""
    return Response(totp_qr_code(current_seal(), _current_user()), mimetype="image/svg+xml")


@account_blueprint.post("/second-factor/on")
@needs(Right.ACCOUNT)
def confirm_second_factor() -> PageResponse:
    """Turn the second factor on by a first valid code, and show the recovery codes once."""
    try:
        codes = turn_on_second_factor(current_actor(), current_seal(), request.form.get("code", ""))
    except (BadInput, TooManyTries) as error:
        return _render_account(factor=error.message), _error_status(error)
    return _render_account(codes=codes)


@account_blueprint.post("/second-factor/off")
@needs(Right.ACCOUNT)
def drop_second_factor() -> PageResponse:
    """Turn the second factor off. It requires the password and a code."""
    form = request.form
    try:
        turn_off_second_factor(current_actor(), current_seal(), form.get("password", ""), form.get("code", ""))
    except (BadInput, TooManyTries) as error:
        return _render_account(factor=error.message), _error_status(error)
    flash(t("account.factor_off"))
    return redirect(url_for("account.show"), 303)


@account_blueprint.post("/sessions/end")
@needs(Right.ACCOUNT)
def end_sessions() -> AnyResponse:
    """End all other sessions of the user."""
    flash(t("account.sessions_ended", count=end_own_sessions(current_actor(), but=current_session_id())))
    return redirect(url_for("account.show"), 303)


@account_blueprint.post("/sessions/end-one")
@needs(Right.ACCOUNT)
def end_session() -> AnyResponse:
    """End one session of the user."""
    end_own_session(current_actor(), request.form.get("id", ""))
    flash(t("account.session_ended"))
    return redirect(url_for("account.show", _anchor="sessions"), 303)


@account_blueprint.post("/tokens")
@needs(Right.ACCOUNT)
def make_token() -> PageResponse:
    """Create a token for a program, and show its text once."""
    form = request.form
    try:
        scopes = {Right(scope_name) for scope_name in form.getlist("scope")}
        days = int(form["days"]) if form.get("days") else None
    except ValueError:
        return _render_account(token_refusal=Message("tokens.scopes")), 400
    try:
        _, text = make_api_token(current_actor(), _current_user(), form.get("name", ""), scopes, days)
    except BadInput as error:
        return _render_account(token_refusal=error.message), 400
    return _render_account(token=text)


@account_blueprint.post("/feeds")
@needs(Right.ACCOUNT)
def make_feed() -> PageResponse:
    """Create a token for feeds alone, and show its addresses once."""
    try:
        _, text = make_api_token(current_actor(), _current_user(), request.form.get("name", ""), [Right.FEED], None)
    except BadInput as error:
        return _render_account(feed_refusal=error.message), 400
    return _render_account(feed=text)


@account_blueprint.post("/tokens/revoke")
@needs(Right.ACCOUNT)
def revoke_token() -> AnyResponse:
    """Revoke a token of the user."""
    token = revoke_api_token(current_actor(), request.form.get("id", ""))
    flash(t("tokens.revoked", name=token.name))
    return redirect(url_for("account.show"), 303)


def _error_status(error: WenhenError) -> int:
    return 429 if isinstance(error, TooManyTries) else 400


def _feed_addresses(user: User, token: str) -> dict[str, str]:
    """Return the addresses of the feeds that the user may read, by kind."""
    views = {"cases": CASES_RIGHT, "calendar": CALENDAR_RIGHT}
    return {
        name: url_for(f"feeds.{name}", token=token, lang=language(), _external=True)
        for name, right in views.items()
        if right in RIGHTS[user.role]
    }


def _current_user() -> User:
    user = signed_in_user()
    assert user  # only signed-in users have the right to an account
    return user


def _render_account(
    *,
    password: Message | None = None,
    mail: Message | None = None,
    factor: Message | None = None,
    codes: list[str] | None = None,
    token: str | None = None,
    token_refusal: Message | None = None,
    feed: str | None = None,
    feed_refusal: Message | None = None,
) -> str:
    store, now = services().store, services().clock()
    user = store.users.get(_current_user().id)
    tokens = [(token, is_token_valid(token, now)) for token in store.tokens.all(user_id=user.id)]
    refusals = {"password": password, "mail": mail, "factor": factor, "token": token_refusal, "feed": feed_refusal}
    return render_template(
        "access/account.html",
        account=user,
        refusals={name: refusal and refusal.text(language()) for name, refusal in refusals.items()},
        codes=codes,
        pending=pending_totp_secret(current_seal(), user),
        lacking=is_second_factor_missing(services().product, user),
        token=token,
        sessions=store.sessions.of(user.id),
        present=current_session_id(),
        in_words=browser_in_words,
        tokens=[pair for pair in tokens if not is_feed_token(pair[0])],
        feeds=[pair for pair in tokens if is_feed_token(pair[0])],
        feed_addresses=_feed_addresses(user, feed) if feed else {},
        rights=[right for right in Right if right in RIGHTS[user.role] and right is not Right.FEED],
        days=TOKEN_LIFETIME_DAYS,
    )
