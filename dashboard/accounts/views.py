"""Show a user's own account, the documentation of the API, and the screens of a lost password.

The account has the password, the second factor, sessions, tokens and feeds.
"""

import re
from threading import Thread
from typing import Final

from flask import Blueprint, Response, abort, render_template, request, url_for
from flask.typing import ResponseReturnValue

from dashboard.accounts.sign_in import current_session_id, request_origin, signed_in_user
from dashboard.feeds.views import CALENDAR_RIGHT, CASES_RIGHT
from dashboard.frame.context import current_actor, current_seal, language, services, shows_refusal, t
from dashboard.frame.requests import redirect_to
from dashboard.frame.security import limiter, needs, open_to_all
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
from wenhen.accounts.users import (
    can_send_links,
    change_own_password,
    choose_password,
    count_password_mail,
    end_own_session,
    end_own_sessions,
    find_link_user,
    mail_password_link,
    set_own_mail,
)
from wenhen.kit.errors import BadInput, Message, NotFound, TooManyTries
from wenhen.kit.rights import Right

# A part of each browser's user agent. The first match wins: most browsers also name those they derive from.
BROWSERS: Final = {
    "wechat": r"MicroMessenger",
    "dingtalk": r"DingTalk",
    "feishu": r"Lark|Feishu",
    "qq": r"M?QQBrowser",
    "quark": r"Quark",
    "uc": r"UCBrowser|UBrowser",
    "baidu": r"(?i:baiduboxapp|bidubrowser|baidubrowser)",
    "qihoo": r"360SE|360EE|QihooBrowser|QHBrowser",
    "sogou": r"SogouMobileBrowser|MetaSr",
    "huawei": r"HuaweiBrowser",
    "xiaomi": r"MiuiBrowser",
    "oppo": r"HeyTapBrowser|OppoBrowser",
    "vivo": r"VivoBrowser",
    "samsung": r"SamsungBrowser",
    "edge": r"Edg|EdgA|EdgiOS|Edge",
    "opera": r"OPR|Opera",
    "firefox": r"Firefox|FxiOS",
    "chrome": r"Chrome|CriOS|Chromium|HeadlessChrome",
    "safari": r"Version(?=/[\d.]+.* Safari/)",
}
SYSTEMS: Final = {
    "harmony": r"OpenHarmony|HarmonyOS",
    "android": r"Android",
    "ios": r"iPhone|iPad|iPod",
    "windows": r"Windows",
    "macos": r"Macintosh|Mac OS X",
    "chromeos": r"CrOS",
    "linux": r"Linux|X11",
}
_VERSION_PATTERN: Final = r"(?:[/ ](\d{1,4}))?"  # the first number of the version


def browser_in_words(agent: str) -> str:
    """Name the browser and its system by the user agent. Call an unknown one another browser."""
    match = _first_match(BROWSERS, agent)
    named, version = (t(f"browser.{match[0]}"), match[1]) if match else (t("browser.other"), "")
    browser = f"{named} {version}" if version else named
    system = _first_match(SYSTEMS, agent)
    return t("account.browser_on", browser=browser, system=t(f"browser_system.{system[0]}")) if system else browser


def _first_match(table: dict[str, str], agent: str) -> tuple[str, str] | None:
    """Return the first entry whose pattern matches, with the version that follows the match."""
    for name, holds in table.items():
        if match := re.search(rf"(?<![^\W\d_])(?:{holds}){_VERSION_PATTERN}(?![^\W\d_])", agent):
            return name, match[1] or ""
    return None


account_blueprint = Blueprint("account", __name__, url_prefix="/account")

TOKEN_LIFETIME_DAYS: Final = (30, 90, 365)


@account_blueprint.get("/")
@needs(Right.ACCOUNT)
def show() -> str:
    """Show the user's account."""
    return _render_account()


@account_blueprint.post("/password")
@needs(Right.ACCOUNT)
@shows_refusal(lambda refusal: _render_account(password=refusal), TooManyTries)
def password() -> Response:
    """Change the password, and end all other sessions."""
    form, user = request.form, _current_user()
    if form.get("new", "") != form.get("again", ""):
        raise BadInput("people.passwords_differ")
    change_own_password(current_actor(), form.get("old", ""), form.get("new", ""), session=current_session_id())
    return redirect_to("overview.show" if user.must_change else "account.show", t("account.password_changed"))


@account_blueprint.post("/mail")
@needs(Right.ACCOUNT)
@shows_refusal(lambda refusal: _render_account(mail=refusal), TooManyTries)
def mail() -> Response:
    """Set the mail address that a link for a new password is sent to. It requires the password."""
    set_own_mail(current_actor(), request.form.get("password", ""), request.form.get("mail", "").strip())
    return redirect_to("account.show", t("account.mail_saved"), _anchor="mail-title")


@account_blueprint.post("/second-factor")
@needs(Right.ACCOUNT)
@shows_refusal(lambda refusal: _render_account(factor=refusal), TooManyTries)
def begin_second_factor() -> Response:
    """Create a secret for an authenticator app.

    It requires the password, and the current code to replace an existing factor.
    """
    form = request.form
    start_second_factor(current_actor(), current_seal(), form.get("password", ""), form.get("code", ""))
    return redirect_to("account.show", _anchor="factor")


@account_blueprint.get("/second-factor.svg")
@needs(Right.ACCOUNT)
def picture() -> Response:
    """Return the secret as a QR code."""
    return Response(totp_qr_code(current_seal(), _current_user()), mimetype="image/svg+xml")


@account_blueprint.post("/second-factor/on")
@needs(Right.ACCOUNT)
@shows_refusal(lambda refusal: _render_account(factor=refusal), TooManyTries)
def confirm_second_factor() -> str:
    """Turn the second factor on by a first valid code, and show the recovery codes once."""
    return _render_account(codes=turn_on_second_factor(current_actor(), current_seal(), request.form.get("code", "")))


@account_blueprint.post("/second-factor/off")
@needs(Right.ACCOUNT)
@shows_refusal(lambda refusal: _render_account(factor=refusal), TooManyTries)
def drop_second_factor() -> Response:
    """Turn the second factor off. It requires the password and a code."""
    form = request.form
    turn_off_second_factor(current_actor(), current_seal(), form.get("password", ""), form.get("code", ""))
    return redirect_to("account.show", t("account.factor_off"))


@account_blueprint.post("/sessions/end")
@needs(Right.ACCOUNT)
def end_sessions() -> Response:
    """End all other sessions of the user."""
    count = end_own_sessions(current_actor(), but=current_session_id())
    return redirect_to("account.show", t("account.sessions_ended", count=count))


@account_blueprint.post("/sessions/end-one")
@needs(Right.ACCOUNT)
def end_session() -> Response:
    """End one session of the user."""
    end_own_session(current_actor(), request.form.get("id", ""))
    return redirect_to("account.show", t("account.session_ended"), _anchor="sessions")


@account_blueprint.post("/tokens")
@needs(Right.ACCOUNT)
@shows_refusal(lambda refusal: _render_account(token_refusal=refusal))
def make_token() -> str:
    """Create a token for a program, and show its text once."""
    form = request.form
    try:
        scopes = {Right(scope_name) for scope_name in form.getlist("scope")}
        days = int(form["days"]) if form.get("days") else None
    except ValueError as error:
        raise BadInput("tokens.scopes") from error
    _, text = make_api_token(current_actor(), _current_user(), form.get("name", ""), scopes, days)
    return _render_account(token=text)


@account_blueprint.post("/feeds")
@needs(Right.ACCOUNT)
@shows_refusal(lambda refusal: _render_account(feed_refusal=refusal))
def make_feed() -> str:
    """Create a token for feeds alone, and show its addresses once."""
    _, text = make_api_token(current_actor(), _current_user(), request.form.get("name", ""), [Right.FEED], None)
    return _render_account(feed=text)


@account_blueprint.post("/tokens/revoke")
@needs(Right.ACCOUNT)
def revoke_token() -> Response:
    """Revoke a token of the user."""
    token = revoke_api_token(current_actor(), request.form.get("id", ""))
    return redirect_to("account.show", t("tokens.revoked", name=token.name))


def _feed_addresses(user: User, token: str) -> dict[str, str]:
    """Return the addresses of the feeds that the user may read, by kind."""
    views = {"cases": CASES_RIGHT, "calendar": CALENDAR_RIGHT}
    return {
        name: url_for(f"feeds.{name}", token=token, lang=language(), _external=True)
        for name, right in views.items()
        if right in user.rights
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
        rights=[right for right in Right if right in user.rights and right is not Right.FEED],
        days=TOKEN_LIFETIME_DAYS,
    )


password_blueprint = Blueprint("password", __name__, url_prefix="/sign-in")
_MAX_ASKED_CHARACTERS = 300  # characters of a name or mail address


@password_blueprint.get("/forgot")
@open_to_all
def forgot() -> str:
    """Show the form for a link by mail, or whom to ask where no mail can be sent."""
    return _render_forgot()


@password_blueprint.post("/forgot")
@open_to_all
@limiter.limit("10 per minute")
def ask_for_link() -> ResponseReturnValue:
    """Send a link by mail. The answer and its time are the same for whoever is not there."""
    product, identifier = services().product, request.form.get("asked", "")[:_MAX_ASKED_CHARACTERS]
    if not can_send_links(product):
        abort(404)
    try:
        count_password_mail(product, identifier, request_origin())
    except TooManyTries as error:
        return _render_forgot(error.message), 429, {"Retry-After": str(error.message.figures["seconds"])}
    Thread(target=mail_password_link, args=(product, identifier), daemon=True).start()
    return redirect_to("sign_in.show", t("forgot.sent"))


@password_blueprint.get("/set/<string:secret>")
@open_to_all
@limiter.limit("60 per minute")
def show_choice(secret: str) -> ResponseReturnValue:
    """Show the form for a new password."""
    return _render_choice(secret)


@password_blueprint.post("/set/<string:secret>")
@open_to_all
@limiter.limit("20 per minute")
def take_password(secret: str) -> ResponseReturnValue:
    """Set the new password, and let the person sign in."""
    form = request.form
    if form.get("new", "") != form.get("again", ""):
        return _render_choice(secret, Message("people.passwords_differ"))
    try:
        choose_password(services().product, secret, form.get("new", ""))
    except BadInput as error:
        return _render_choice(secret, error.message)
    except NotFound as error:
        return _render_over(error)
    return redirect_to("sign_in.show", t("forgot.done"))


def _render_forgot(refusal: Message | None = None) -> str:
    can = can_send_links(services().product)
    return render_template("access/forgot.html", can=can, refusal=refusal and refusal.text(language()))


def _render_choice(secret: str, refusal: Message | None = None) -> ResponseReturnValue:
    try:
        user = find_link_user(services().product, secret)
    except NotFound as error:
        return _render_over(error)
    reason = refusal and refusal.text(language())
    return render_template("access/choose.html", name=user.name, refusal=reason), 400 if refusal else 200


def _render_over(error: NotFound) -> ResponseReturnValue:
    return render_template("access/choose.html", name=None, refusal=error.message.text(language())), 404


api_docs_blueprint = Blueprint("api_docs", __name__, url_prefix="/account/api")

_TOKEN_LIFETIME_DAYS: Final = 1  # lifetime of a trial token


@api_docs_blueprint.get("/")
@needs(Right.READ)
def show_api_docs() -> str:
    """Show the API description. The reader enters an existing token or creates one."""
    return _render_api_docs()


@api_docs_blueprint.post("/")
@needs(Right.ACCOUNT)
def make_trial_token() -> str:
    """Create a token that expires tomorrow, and show the API description with it.

    The token has the right to read, or all rights of the user.
    """
    user = signed_in_user()
    assert user  # only signed-in users have the right to an account
    wanted = current_actor().rights if request.form.get("scopes") == "all" else {Right.READ} & current_actor().rights
    _, text = make_api_token(current_actor(), user, t("api_docs.token_name"), wanted, _TOKEN_LIFETIME_DAYS)
    return _render_api_docs(token=text)


def _render_api_docs(token: str | None = None) -> str:
    return render_template("access/api_docs.html", token=token, may_make=signed_in_user() is not None)
