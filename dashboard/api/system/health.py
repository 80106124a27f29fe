"""The state of the system: whose token it is, what answers, what failed and is tried again."""

from typing import Any, Final

from flask import g
from marshmallow import Schema, fields

from dashboard.api.blueprint import blueprint, scope
from dashboard.api.schemas import choice, shown, words
from dashboard.frame.context import acting, services
from services.upkeep.retry_by_hand import SetAside, set_aside, try_again
from store.records import OwnerKind, Problem, Role
from store.rules.role_rights import Right

blp = blueprint("system", "Reports, the state of the system, what failed, the audit log")

_PROBLEMS: Final = 200


class ServerSchema(Schema):
    """A server, a disk, a queue or a worker."""

    well = fields.Boolean(required=True)
    detail = fields.String(required=True)


class Health(Schema):
    """By name."""

    servers = fields.Dict(keys=fields.String(), values=fields.Nested(ServerSchema), required=True)


class Failed(Schema):
    """Which record."""

    kind = choice(OwnerKind, required=True)
    id = words(1000, least=1, required=True)


class Me(Schema):
    """Whose token it is."""

    user = fields.String(required=True)
    role = choice(Role, required=True)
    rights = fields.List(choice(Right), required=True)


@blp.get("/me")
@blp.response(200, Me)
@scope(Right.READ, part="system")
def me() -> dict[str, Any]:
    """Whose token it is, and what it may do."""
    return {"user": g.user, "role": g.account.role, "rights": sorted(g.rights)}


@blp.get("/health")
@blp.response(200, Health)
@scope(Right.READ, part="system")
def health() -> dict[str, Any]:
    """What answers, and what is wrong with the rest."""
    found = services().health()
    return {"servers": {name: {"well": state.answers, "detail": state.detail} for name, state in found.items()}}


@blp.get("/failures")
@blp.response(200, shown(SetAside)(many=True))
@scope(Right.READ, part="system")
def failures() -> list[SetAside]:
    """Works and pages whose last try failed, at most 100 of each."""
    return set_aside(services().product)


@blp.post("/failures/again")
@blp.arguments(Failed)
@blp.response(202)
@scope(Right.OPERATE, part="system")
def again(given: dict[str, Any]) -> None:
    """Try one of them again."""
    try_again(acting(), given["kind"], given["id"])


@blp.get("/problems")
@blp.response(200, shown(Problem)(many=True))
@scope(Right.READ, part="system")
def problems() -> list[Problem]:
    """What was refused or set aside, with its reason; the 200 that came up last."""
    return services().store.problems.recent(limit=_PROBLEMS)
