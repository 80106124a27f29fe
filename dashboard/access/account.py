"""One's own account: password, second factor, sessions and tokens."""

from typing import Final

from flask import Blueprint, Response, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from dashboard.access import sessions
from dashboard.access.browser_in_words import browser_in_words
from dashboard.frame.context import acting, seal, services
from dashboard.frame.language import language, t
from dashboard.frame.permissions import needs
from services.people import account, second_factor, tokens
from store.errors import BadInput, TooManyTries, WenhenError
from store.messages import Message
from store.records import User
from store.rules.role_rights import RIGHTS, Right

blueprint = Blueprint("account", __name__, url_prefix="/account")

Page = str | tuple[str, int] | AnyResponse
DAYS: Final = (30, 90, 365)


@blueprint.get("/")
@needs(Right.ACCOUNT)
def show() -> str:
    """The whole account."""
    return _page()


@blueprint.post("/password")
@needs(Right.ACCOUNT)
def password() -> Page:
    """Change the password; every other session ends."""
    form, user = request.form, _user()
    if form.get("new", "") != form.get("again", ""):
        return _page(password=Message("people.passwords_differ")), 400
    try:
        account.change_password(acting(), form.get("old", ""), form.get("new", ""), session=sessions.present())
    except (BadInput, TooManyTries) as error:
        return _page(password=error.message), _status(error)
    flash(t("account.password_changed"))
    return redirect(url_for("overview.show" if user.must_change else "account.show"), 303)


@blueprint.post("/second-factor")
@needs(Right.ACCOUNT)
def begin_second_factor() -> Page:
    """A new secret to be put into an authenticator, for who gives the password, and a code of the present one."""
    form = request.form
    try:
        second_factor.begin(acting(), seal(), form.get("password", ""), form.get("code", ""))
    except (BadInput, TooManyTries) as error:
        return _page(factor=error.message), _status(error)
    return redirect(url_for("account.show", _anchor="factor"), 303)


@blueprint.get("/second-factor.svg")
@needs(Right.ACCOUNT)
def picture() -> Response:
    """The secret as a QR code."""
    return Response(second_factor.picture(seal(), _user()), mimetype="image/svg+xml")


@blueprint.post("/second-factor/on")
@needs(Right.ACCOUNT)
def confirm_second_factor() -> Page:
    """Turn it on by a first right code; the recovery codes are shown once."""
    try:
        codes = second_factor.confirm(acting(), seal(), request.form.get("code", ""))
    except (BadInput, TooManyTries) as error:
        return _page(factor=error.message), _status(error)
    return _page(codes=codes)


@blueprint.post("/second-factor/off")
@needs(Right.ACCOUNT)
def drop_second_factor() -> Page:
    """Turn it off, by the password and a code."""
    form = request.form
    try:
        second_factor.drop(acting(), seal(), form.get("password", ""), form.get("code", ""))
    except (BadInput, TooManyTries) as error:
        return _page(factor=error.message), _status(error)
    flash(t("account.factor_off"))
    return redirect(url_for("account.show"), 303)


@blueprint.post("/sessions/end")
@needs(Right.ACCOUNT)
def end_sessions() -> AnyResponse:
    """Sign out everywhere else."""
    flash(t("account.sessions_ended", count=account.end_sessions(acting(), but=sessions.present())))
    return redirect(url_for("account.show"), 303)


@blueprint.post("/sessions/end-one")
@needs(Right.ACCOUNT)
def end_session() -> AnyResponse:
    """Sign one browser out."""
    account.end_session(acting(), request.form.get("id", ""))
    flash(t("account.session_ended"))
    return redirect(url_for("account.show", _anchor="sessions"), 303)


@blueprint.post("/tokens")
@needs(Right.ACCOUNT)
def make_token() -> Page:
    """A token for a program; its text is shown once."""
    form = request.form
    try:
        scopes = {Right(one) for one in form.getlist("scope")}
        days = int(form["days"]) if form.get("days") else None
    except ValueError:
        return _page(token_refusal=Message("tokens.scopes")), 400
    try:
        _, text = tokens.make(acting(), _user(), form.get("name", ""), scopes, days)
    except BadInput as error:
        return _page(token_refusal=error.message), 400
    return _page(token=text)


@blueprint.post("/tokens/revoke")
@needs(Right.ACCOUNT)
def revoke_token() -> AnyResponse:
    """Take one of one's own tokens out of use."""
    token = tokens.revoke(acting(), request.form.get("id", ""))
    flash(t("tokens.revoked", name=token.name))
    return redirect(url_for("account.show"), 303)


def _status(error: WenhenError) -> int:
    return 429 if isinstance(error, TooManyTries) else 400


def _user() -> User:
    user = sessions.signed_in()
    assert user  # the right to an account comes with one
    return user


def _page(
    *,
    password: Message | None = None,
    factor: Message | None = None,
    codes: list[str] | None = None,
    token: str | None = None,
    token_refusal: Message | None = None,
) -> str:
    store, now = services().store, services().clock()
    user = store.users.get(_user().id)
    refusals = {"password": password, "factor": factor, "token": token_refusal}
    return render_template(
        "access/account.html",
        account=user,
        refusals={name: one and one.text(language()) for name, one in refusals.items()},
        codes=codes,
        pending=second_factor.pending(seal(), user),
        lacking=second_factor.is_lacking(services().product, user),
        token=token,
        sessions=store.sessions.of(user.id),
        present=sessions.present(),
        in_words=browser_in_words,
        tokens=[(one, tokens.is_valid(one, now)) for one in store.tokens.all(user_id=user.id)],
        rights=[right for right in Right if right in RIGHTS[user.role]],
        days=DAYS,
    )
