"""Serve the API of the system: health, failures, problems and the audit log."""

from typing import Final

from flask import g
from marshmallow import Schema, fields

from dashboard.frame.api import (
    ApiBlueprint,
    JsonObject,
    ListQuery,
    choice_field,
    list_conditions,
    list_schema,
    moment_field,
    page_by_number,
    record_schema,
    text_field,
)
from dashboard.frame.context import current_actor, services
from wenhen.audit.model import AuditEntry
from wenhen.kit.progress import OwnerKind
from wenhen.kit.rights import Right, Role
from wenhen.operations.problems import FailedRecord, failed_records, retry_record
from wenhen.steps.problems import Problem

# The state of the system: the token's user, the health of servers, the failures and their retries.


system_blp = ApiBlueprint("system", "Reports, the state of the system, what failed, the audit log")

_MAX_PROBLEMS: Final = 200


class ServerSchema(Schema):
    """The state of a server, a disk, a queue or a worker."""

    well = fields.Boolean(required=True)
    detail = fields.String(required=True)


class Health(Schema):
    """The states of servers by name."""

    servers = fields.Dict(keys=fields.String(), values=fields.Nested(ServerSchema), required=True)


class Failed(Schema):
    """The record whose last step failed."""

    kind = choice_field(OwnerKind, required=True)
    id = text_field(1000, least=1, required=True)


class Me(Schema):
    """The user of a token."""

    user = fields.String(required=True)
    role = choice_field(Role, required=True)
    rights = fields.List(choice_field(Right), required=True)


@system_blp.get("/me")
@system_blp.response(200, Me)
@system_blp.scope(Right.READ)
def me() -> JsonObject:
    """Whose token it is, and what it may do."""
    return {"user": g.user, "role": g.account.role, "rights": sorted(g.rights)}


@system_blp.get("/health")
@system_blp.response(200, Health)
@system_blp.scope(Right.READ)
def health() -> JsonObject:
    """What answers, and what is wrong with the rest."""
    servers = services().health()
    return {"servers": {name: {"well": state.answers, "detail": state.detail} for name, state in servers.items()}}


@system_blp.get("/failures")
@system_blp.response(200, record_schema(FailedRecord)(many=True))
@system_blp.scope(Right.READ)
def failures() -> list[FailedRecord]:
    """Works and pages whose last try failed, at most 100 of each."""
    return failed_records(services().product)


@system_blp.post("/failures/again")
@system_blp.arguments(Failed)
@system_blp.response(202)
@system_blp.scope(Right.OPERATE)
def again(given: JsonObject) -> None:
    """Try one of them again."""
    retry_record(current_actor(), given["kind"], given["id"])


@system_blp.get("/problems")
@system_blp.response(200, record_schema(Problem)(many=True))
@system_blp.scope(Right.READ)
def problems() -> list[Problem]:
    """What was refused or set aside, with its reason; the 200 that came up last."""
    return services().store.problems.recent(limit=_MAX_PROBLEMS)


class AuditQuery(ListQuery):
    """The conditions of the audit entries to list."""

    who = text_field(100)
    action = text_field(60, metadata={"description": "e.g. case.decide"})
    subject = text_field(1100, metadata={"description": "e.g. case:12"})
    token = text_field(12, metadata={"description": "id of the token through which it was done"})
    sha256 = text_field(64, metadata={"description": "of a file that left the house"})
    since = moment_field()
    until = moment_field()


@system_blp.get("/audit")
@system_blp.arguments(AuditQuery, location="query")
@system_blp.response(200, list_schema(record_schema(AuditEntry)))
@system_blp.scope(Right.AUDIT)
def audit(query: JsonObject) -> JsonObject:
    """Who did what, the newest first."""
    log, where = services().store.audit, list_conditions(query)
    return page_by_number(
        query, lambda before, limit: log.find(before=before, limit=limit, **where), lambda entry: entry.number
    )
