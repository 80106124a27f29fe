"""Manage users, roles and tokens on the screen of the administrator."""

from collections.abc import Callable

from flask import Blueprint, Response, render_template, request
from flask.typing import ResponseReturnValue

from dashboard.frame.context import current_actor, language, services, shows_refusal, t
from dashboard.frame.requests import form_choice, redirect_to
from dashboard.frame.security import needs
from wenhen.accounts.sessions import is_token_valid, revoke_api_token
from wenhen.accounts.single_sign_on import connect_user
from wenhen.accounts.users import (
    create_user,
    delete_user,
    disable_user,
    enable_user,
    hold_user,
    reset_second_factor,
    reset_user_password,
    set_user_role,
)
from wenhen.cases.service import count_open_cases
from wenhen.context.use_cases import Acting
from wenhen.kit.errors import Conflict, Message
from wenhen.kit.rights import RIGHTS, Right, Role

users_blueprint = Blueprint("users", __name__, url_prefix="/users")


@users_blueprint.get("/")
@needs(Right.USERS)
def show() -> str:
    """Show the users, the table of rights, and all tokens."""
    return _render_users()


def _render_users(refusal: Message | None = None, *, given: tuple[str, str] | None = None) -> str:
    store, now = services().store, services().clock()
    users = store.users.all()
    return render_template(
        "access/users.html",
        users=users,
        left_cases={user.id: count_open_cases(services().product, user.name) for user in users if user.disabled_at},
        tokens=[(token, is_token_valid(token, now)) for token in store.tokens.all()],
        roles=list(Role),
        rights=[(right, [right in RIGHTS[role] for role in Role]) for right in Right],
        refusal=refusal and refusal.text(language()),
        given=given,
        now=now,
        form=request.form,
    )


@users_blueprint.post("/")
@needs(Right.USERS)
@shows_refusal(_render_users, Conflict)
def add() -> str:
    """Create a user, and show the password once."""
    user, password = create_user(current_actor(), request.form.get("name", ""), form_choice("role", Role))
    return _render_users(given=(user.name, password))


@users_blueprint.post("/role")
@needs(Right.USERS)
def change_role() -> ResponseReturnValue:
    """Change the role of a user."""
    role = form_choice("role", Role)
    return _change_user(lambda who, id: set_user_role(who, id, role), t("users.role_changed"))


@users_blueprint.post("/holders")
@needs(Right.USERS)
def hold() -> ResponseReturnValue:
    """Hold a user to the rights holders of the lines, or to none."""
    names = request.form.get("holders", "").splitlines()
    return _change_user(lambda who, id: hold_user(who, id, names), t("users.held_now"))


@users_blueprint.post("/disable")
@needs(Right.USERS)
def disable() -> ResponseReturnValue:
    """Disable the sign-in of a user."""
    return _change_user(disable_user, t("users.disabled_now"))


@users_blueprint.post("/enable")
@needs(Right.USERS)
def enable() -> ResponseReturnValue:
    """Enable the sign-in of a user."""
    return _change_user(enable_user, t("users.enabled_now"))


@users_blueprint.post("/disconnect")
@needs(Right.USERS)
def disconnect() -> ResponseReturnValue:
    """Disconnect a user from the provider of the sign-in."""
    return _change_user(lambda who, id: connect_user(who, id, None), t("users.disconnected"))


@users_blueprint.post("/reset")
@needs(Right.USERS)
def reset() -> str:
    """Reset the password of a user, and show the new one once."""
    user, password = reset_user_password(current_actor(), request.form.get("id", ""))
    return _render_users(given=(user.name, password))


@users_blueprint.post("/second-factor")
@needs(Right.USERS)
def drop_second_factor() -> ResponseReturnValue:
    """Turn off the second factor of a user who lost the device and the recovery codes."""
    return _change_user(reset_second_factor, t("account.factor_off"))


@users_blueprint.post("/remove")
@needs(Right.USERS)
def remove() -> ResponseReturnValue:
    """Remove a user."""
    return _change_user(delete_user, t("users.removed"))


@users_blueprint.post("/tokens/revoke")
@needs(Right.USERS)
def revoke_token() -> Response:
    """Revoke a token of any user."""
    token = revoke_api_token(current_actor(), request.form.get("id", ""))
    return redirect_to("users.show", t("tokens.revoked", name=token.name))


@shows_refusal(_render_users, Conflict, conflict=409)
def _change_user(change: Callable[[Acting, str], object], done: str) -> Response:
    change(current_actor(), request.form.get("id", ""))
    return redirect_to("users.show", done)
