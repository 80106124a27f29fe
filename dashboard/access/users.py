"""The users and their roles, for the administrator."""

from collections.abc import Callable

from flask import Blueprint, abort, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from dashboard.frame.context import acting, services
from dashboard.frame.language import language, t
from dashboard.frame.permissions import needs
from services.acting import Acting
from services.people import tokens, users
from store.errors import BadInput, Conflict
from store.messages import Message
from store.records import Role
from store.rules.role_rights import RIGHTS, Right

blueprint = Blueprint("users", __name__, url_prefix="/users")


@blueprint.get("/")
@needs(Right.USERS)
def show() -> str:
    """The users, the table of rights, and all tokens."""
    return _page()


@blueprint.post("/")
@needs(Right.USERS)
def add() -> str | tuple[str, int]:
    """A new user; the password is shown once."""
    try:
        user, password = users.add(acting(), request.form.get("name", ""), _role())
    except (BadInput, Conflict) as error:
        return _page(refusal=error.message), 400
    return _page(given=(user.name, password))


@blueprint.post("/role")
@needs(Right.USERS)
def change_role() -> Response | tuple[str, int]:
    """Another role."""
    role = _role()
    return _do(lambda who, id: users.set_role(who, id, role), t("users.role_changed"))


@blueprint.post("/disable")
@needs(Right.USERS)
def disable() -> Response | tuple[str, int]:
    """No more sign-in, for now."""
    return _do(users.disable, t("users.disabled_now"))


@blueprint.post("/enable")
@needs(Right.USERS)
def enable() -> Response | tuple[str, int]:
    """Sign-in again."""
    return _do(users.enable, t("users.enabled_now"))


@blueprint.post("/reset")
@needs(Right.USERS)
def reset() -> str:
    """A new password, shown once."""
    user, password = users.reset_password(acting(), request.form.get("id", ""))
    return _page(given=(user.name, password))


@blueprint.post("/second-factor")
@needs(Right.USERS)
def drop_second_factor() -> Response | tuple[str, int]:
    """For somebody who lost the device and the recovery codes."""
    return _do(users.drop_second_factor, t("account.factor_off"))


@blueprint.post("/remove")
@needs(Right.USERS)
def remove() -> Response | tuple[str, int]:
    """Remove a user."""
    return _do(users.remove, t("users.removed"))


@blueprint.post("/tokens/revoke")
@needs(Right.USERS)
def revoke_token() -> Response:
    """Take anybody's token out of use."""
    token = tokens.revoke(acting(), request.form.get("id", ""))
    flash(t("tokens.revoked", name=token.name))
    return redirect(url_for("users.show"), 303)


def _do(change: Callable[[Acting, str], object], done: str) -> Response | tuple[str, int]:
    try:
        change(acting(), request.form.get("id", ""))
    except Conflict as error:
        return _page(refusal=error.message), 409
    flash(done)
    return redirect(url_for("users.show"), 303)


def _role() -> Role:
    try:
        return Role(request.form.get("role", ""))
    except ValueError:
        abort(400)


def _page(*, refusal: Message | None = None, given: tuple[str, str] | None = None) -> str:
    store, now = services().store, services().clock()
    return render_template(
        "access/users.html",
        users=store.users.all(),
        tokens=[(one, tokens.is_valid(one, now)) for one in store.tokens.all()],
        roles=list(Role),
        rights=[(right, [right in RIGHTS[role] for role in Role]) for right in Right],
        refusal=refusal and refusal.text(language()),
        given=given,
        now=now,
        form=request.form,
    )
