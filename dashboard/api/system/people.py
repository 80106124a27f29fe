"""Users, and tokens."""

from typing import Any

from flask import g
from marshmallow import Schema, fields, validate

from dashboard.api.blueprint import blueprint, scope
from dashboard.api.schemas import choice, shown, words
from dashboard.api.works.works import IdQuery
from dashboard.frame.context import acting, services
from dashboard.frame.permissions import may
from services.people import tokens as token_cases
from services.people import users as user_cases
from store.records import Role, Token, User
from store.rules.role_rights import Right

blp = blueprint("people", "Users, and tokens")

_SECRETS = ("password", "totp_secret", "totp_pending", "totp_step", "recovery")


_FACTOR = fields.Function(lambda user: user.totp_secret is not None, required=True, metadata={"type": "boolean"})
UserSchema = shown(User, leave_out=_SECRETS, also={"second_factor": _FACTOR})
TokenSchema = shown(Token, leave_out=("digest",))


class UserIn(Schema):
    """A new user."""

    name = words(user_cases.NAME_LENGTH, least=1, required=True)
    role = choice(Role, required=True)


class UserChange(Schema):
    """What is to be changed."""

    role = choice(Role)
    disabled = fields.Boolean(truthy={True}, falsy={False})


class Given(Schema):
    """A password, shown once, that has to be changed at the first sign-in."""

    user = fields.Nested(UserSchema, required=True)
    password = fields.String(required=True)


class TokenIn(Schema):
    """A new token, with no more rights than the one that makes it."""

    name = words(token_cases.NAME_LENGTH, least=1, required=True)
    scopes = fields.List(choice(Right), required=True, validate=validate.Length(1, len(Right)))
    days = fields.Integer(
        strict=True, load_default=None, allow_none=True, validate=validate.Range(1, token_cases.LONGEST)
    )


class Made(Schema):
    """A token and its text, shown once."""

    token = fields.Nested(TokenSchema, required=True)
    text = fields.String(required=True)


@blp.get("/users")
@blp.response(200, UserSchema(many=True))
@scope(Right.USERS, part="people")
def users() -> list[User]:
    """All users."""
    return services().store.users.all()


@blp.post("/users")
@blp.arguments(UserIn)
@blp.response(201, Given)
@scope(Right.USERS, part="people")
def add_user(given: dict[str, Any]) -> dict[str, Any]:
    """A new user."""
    user, password = user_cases.add(acting(), given["name"], given["role"])
    return {"user": user, "password": password}


@blp.patch("/users/one")
@blp.arguments(IdQuery, location="query")
@blp.arguments(UserChange)
@blp.response(200, UserSchema)
@scope(Right.USERS, part="people")
def change_user(query: dict[str, str], given: dict[str, Any]) -> User:
    """Another role; no sign-in, or sign-in again."""
    id = query["id"]
    if "role" in given:
        user_cases.set_role(acting(), id, given["role"])
    if "disabled" in given:
        (user_cases.disable if given["disabled"] else user_cases.enable)(acting(), id)
    return services().store.users.get(id)


@blp.post("/users/one/password")
@blp.arguments(IdQuery, location="query")
@blp.response(200, Given)
@scope(Right.USERS, part="people")
def reset_password(query: dict[str, str]) -> dict[str, Any]:
    """A new password; sessions end."""
    user, password = user_cases.reset_password(acting(), query["id"])
    return {"user": user, "password": password}


@blp.delete("/users/one")
@blp.arguments(IdQuery, location="query")
@blp.response(204)
@scope(Right.USERS, part="people")
def remove_user(query: dict[str, str]) -> None:
    """Remove a user, with sessions and tokens."""
    user_cases.remove(acting(), query["id"])


@blp.get("/tokens")
@blp.response(200, TokenSchema(many=True))
@scope(Right.ACCOUNT, part="people")
def tokens() -> list[Token]:
    """One's own tokens; with the right `users` everybody's."""
    return services().store.tokens.all(user_id=None if may(Right.USERS) else g.account.id)


@blp.post("/tokens")
@blp.arguments(TokenIn)
@blp.response(201, Made)
@scope(Right.ACCOUNT, part="people")
def make_token(given: dict[str, Any]) -> dict[str, Any]:
    """A new token of one's own."""
    token, text = token_cases.make(acting(), g.account, given["name"], given["scopes"], given["days"])
    return {"token": token, "text": text}


@blp.delete("/tokens/<string:id>")
@blp.response(204)
@scope(Right.ACCOUNT, part="people")
def revoke_token(id: str) -> None:
    """Take a token out of use: one's own, or with the right `users` anybody's."""
    token_cases.revoke(acting(), id)
