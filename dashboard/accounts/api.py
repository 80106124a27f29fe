"""Serve the API of users, tokens and the saved filters of the token's user."""

from flask import g
from marshmallow import Schema, fields, validate

from dashboard.cases.api import CaseFilter
from dashboard.frame.api import OPTIONAL, ApiBlueprint, IdQuery, JsonObject, choice_field, record_schema, text_field
from dashboard.frame.context import current_actor, services
from dashboard.frame.security import may
from wenhen.accounts.model import Token, User
from wenhen.accounts.sessions import MAX_TOKEN_DAYS, MAX_TOKEN_NAME_CHARACTERS, make_api_token, revoke_api_token
from wenhen.accounts.single_sign_on import connect_user
from wenhen.accounts.users import (
    MAX_USER_NAME_CHARACTERS,
    create_user,
    delete_user,
    disable_user,
    enable_user,
    hold_user,
    reset_user_password,
    set_user_role,
)
from wenhen.cases.filters import (
    MAX_FILTER_NAME_CHARACTERS,
    Filter,
    Fold,
    delete_filter,
    find_saved_filters,
    save_filter,
)
from wenhen.cases.model import CaseOrder, SavedFilter
from wenhen.kit.rights import Right, Role

people_blp = ApiBlueprint("people", "Users, and tokens")

_SECRET_FIELDS = ("password", "totp_secret", "totp_pending", "totp_step", "recovery")


_SECOND_FACTOR_FIELD = fields.Function(
    lambda user: user.totp_secret is not None, required=True, metadata={"type": "boolean"}
)
UserSchema = record_schema(User, leave_out=_SECRET_FIELDS, also={"second_factor": _SECOND_FACTOR_FIELD})
TokenSchema = record_schema(Token, leave_out=("digest",))


class UserIn(Schema):
    """A new user."""

    name = text_field(MAX_USER_NAME_CHARACTERS, least=1, required=True)
    role = choice_field(Role, required=True)


class UserChange(Schema):
    """The fields of a user to change."""

    role = choice_field(Role)
    disabled = fields.Boolean(truthy={True}, falsy={False})
    subject = text_field(500, allow_none=True)
    holders = fields.List(
        text_field(200, least=1), metadata={"description": "rights holders that they are held to; empty: they see all"}
    )


class Given(Schema):
    """A generated password, shown once. The user has to change it at the first sign-in."""

    user = fields.Nested(UserSchema, required=True)
    password = fields.String(required=True)


class TokenIn(Schema):
    """A new token. It has at most the rights of the user that creates it."""

    name = text_field(MAX_TOKEN_NAME_CHARACTERS, least=1, required=True)
    scopes = fields.List(choice_field(Right), required=True, validate=validate.Length(1, len(Right)))
    days = fields.Integer(strict=True, **OPTIONAL, validate=validate.Range(1, MAX_TOKEN_DAYS))


class Made(Schema):
    """A new token and its text. The text is shown once."""

    token = fields.Nested(TokenSchema, required=True)
    text = fields.String(required=True)


@people_blp.get("/users")
@people_blp.response(200, UserSchema(many=True))
@people_blp.scope(Right.USERS)
def users() -> list[User]:
    """All users."""
    return services().store.users.all()


@people_blp.post("/users")
@people_blp.arguments(UserIn)
@people_blp.response(201, Given)
@people_blp.scope(Right.USERS)
def add_user(given: JsonObject) -> JsonObject:
    """A new user."""
    user, password = create_user(current_actor(), given["name"], given["role"])
    return {"user": user, "password": password}


@people_blp.patch("/users/one")
@people_blp.arguments(IdQuery, location="query")
@people_blp.arguments(UserChange)
@people_blp.response(200, UserSchema)
@people_blp.scope(Right.USERS)
def change_user(query: dict[str, str], given: JsonObject) -> User:
    """Another role; no sign-in, or sign-in again; who they are at the provider, or null; whose records they see."""
    id = query["id"]
    if "role" in given:
        set_user_role(current_actor(), id, given["role"])
    if "disabled" in given:
        (disable_user if given["disabled"] else enable_user)(current_actor(), id)
    if "subject" in given:
        connect_user(current_actor(), id, given["subject"] or None)
    if "holders" in given:
        hold_user(current_actor(), id, given["holders"])
    return services().store.users.get(id)


@people_blp.post("/users/one/password")
@people_blp.arguments(IdQuery, location="query")
@people_blp.response(200, Given)
@people_blp.scope(Right.USERS)
def reset_password(query: dict[str, str]) -> JsonObject:
    """A new password; sessions end."""
    user, password = reset_user_password(current_actor(), query["id"])
    return {"user": user, "password": password}


@people_blp.delete("/users/one")
@people_blp.arguments(IdQuery, location="query")
@people_blp.response(204)
@people_blp.scope(Right.USERS)
def remove_user(query: dict[str, str]) -> None:
    """Remove a user, with sessions and tokens."""
    delete_user(current_actor(), query["id"])


@people_blp.get("/tokens")
@people_blp.response(200, TokenSchema(many=True))
@people_blp.scope(Right.ACCOUNT)
def tokens() -> list[Token]:
    """One's own tokens; with the right `users` everybody's."""
    return services().store.tokens.all(user_id=None if may(Right.USERS) else g.account.id)


@people_blp.post("/tokens")
@people_blp.arguments(TokenIn)
@people_blp.response(201, Made)
@people_blp.scope(Right.ACCOUNT)
def make_token(given: JsonObject) -> JsonObject:
    """A new token of one's own."""
    token, text = make_api_token(current_actor(), g.account, given["name"], given["scopes"], given["days"])
    return {"token": token, "text": text}


@people_blp.delete("/tokens/<string:id>")
@people_blp.response(204)
@people_blp.scope(Right.ACCOUNT)
def revoke_token(id: str) -> None:
    """Take a token out of use: one's own, or with the right `users` anybody's."""
    revoke_api_token(current_actor(), id)


filters_blp = ApiBlueprint("filters", "The saved filters of the token's user")


class NameQuery(Schema):
    """The name of a saved filter. It may contain any character, so it is an argument instead of a path segment."""

    name = text_field(MAX_FILTER_NAME_CHARACTERS, least=1, required=True)


class FilterIn(CaseFilter):
    """The conditions, the order and the grouping of a saved filter."""

    order = choice_field(CaseOrder)
    fold = choice_field(Fold)


@filters_blp.get("/filters")
@filters_blp.response(200, record_schema(SavedFilter)(many=True))
@filters_blp.scope(Right.READ)
def find() -> list[SavedFilter]:
    """By name; `query` is the filter as the address of the suspects carries it."""
    return find_saved_filters(current_actor())


@filters_blp.put("/filters/one")
@filters_blp.arguments(NameQuery, location="query")
@filters_blp.arguments(FilterIn)
@filters_blp.response(200, record_schema(SavedFilter))
@filters_blp.scope(Right.READ)
def put(query: dict[str, str], given: JsonObject) -> SavedFilter:
    """Keep a filter in place of the one of that name."""
    return save_filter(current_actor(), query["name"], Filter(**given))


@filters_blp.delete("/filters/<string:id>")
@filters_blp.response(204)
@filters_blp.scope(Right.READ)
def remove(id: str) -> None:
    """Drop one."""
    delete_filter(current_actor(), id)
