"""Let people who lost their password choose a new one at a one-time address."""

from threading import Thread

from flask import Blueprint, abort, flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from dashboard.accounts.sign_in import request_origin
from dashboard.frame.context import services
from dashboard.frame.language import language, t
from dashboard.frame.security import limiter, open_to_all
from wenhen.accounts.password_links import (
    can_send_links,
    choose_password,
    count_password_mail,
    find_link_user,
    mail_password_link,
)
from wenhen.kit.errors import BadInput, Message, NotFound, TooManyTries

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
def ask() -> ResponseReturnValue:
    """Send a link by mail. The answer and its time are the same for whoever is not there."""
    product, identifier = services().product, request.form.get("asked", "")[:_MAX_ASKED_CHARACTERS]
    if not can_send_links(product):
        abort(404)
    try:
        count_password_mail(product, identifier, request_origin())
    except TooManyTries as error:
        return _render_forgot(error.message), 429, {"Retry-After": str(error.message.figures["seconds"])}
    Thread(target=mail_password_link, args=(product, identifier), daemon=True).start()
    flash(t("forgot.sent"))
    return redirect(url_for("sign_in.show"), 303)


@password_blueprint.get("/set/<string:secret>")
@open_to_all
@limiter.limit("60 per minute")
def choose(secret: str) -> ResponseReturnValue:
    """Show the form for a new password."""
    return _render_choice(secret)


@password_blueprint.post("/set/<string:secret>")
@open_to_all
@limiter.limit("20 per minute")
def take(secret: str) -> ResponseReturnValue:
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
    flash(t("forgot.done"))
    return redirect(url_for("sign_in.show"), 303)


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
