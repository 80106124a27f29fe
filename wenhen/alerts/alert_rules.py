"""Add, change and test alert rules."""

import secrets
from collections.abc import Collection
from dataclasses import replace
from typing import Any, Final

from crawler.sandbox.pool import read_in_child
from wenhen.accounts.model import User
from wenhen.alerts.apprise_delivery import CHANNEL_KINDS, SEND_BOUNDS
from wenhen.alerts.model import AlertEvent, AlertPace, AlertRule, Letter
from wenhen.cases.filters import Filter, serialize_conditions
from wenhen.kit.errors import BadInput, Forbidden, Language
from wenhen.kit.rights import Right
from wenhen.product.use_cases import Acting, AuditLine, ChangeResult, audited, change_result

MAX_RULE_NAME_CHARACTERS: Final = 100
MAX_CHANNEL_CHARACTERS: Final = 2_000
MAX_RULES_PER_USER: Final = 50  # rules of one person


def own_alert_rules(acting: Acting) -> list[AlertRule]:
    """Those of this person, by name."""
    return acting.product.store.alerts.rules(acting.who)


def alert_rules_of_people(acting: Acting, owner: User | None) -> list[AlertRule]:
    """Those of somebody whom they look after; None: everybody's. Raises `Forbidden`."""
    acting.require(Right.USERS)
    return acting.product.store.alerts.rules(owner.name if owner else None)


@audited("alert.add")
def create_alert_rule(
    acting: Acting,
    name: str,
    chosen: Filter,
    events: Collection[AlertEvent],
    *,
    pace: AlertPace = AlertPace.AT_ONCE,
    channel: str = "",
    language: Language = "zh",
    owner: User | None = None,
) -> ChangeResult[AlertRule]:
    """A new rule of theirs, or of somebody else whom they may look after. BadInput for no name, no event or a channel
    that cannot be used; Forbidden for a channel without the right to take things out.
    """
    acting.require(Right.READ if owner is None else Right.USERS)
    user, user_id = (acting.who, acting.user_id) if owner is None else (owner.name, owner.id)
    product, id, name = acting.product, secrets.token_hex(6), _check_rule_name(name)
    if len(product.store.alerts.rules(user)) >= MAX_RULES_PER_USER:
        raise BadInput("alerts.too_many", most=MAX_RULES_PER_USER)
    now = product.now()
    rule = AlertRule(
        id=id,
        user=user,
        user_id=user_id,
        name=name,
        **_filter_fields(acting, user, chosen),
        events=_check_rule_events(events),
        pace=pace,
        language=language,
        created_at=now,
        told_until=now,
        **_channel_fields(acting, id, channel.strip()),
    )
    product.store.alerts.put_rule(rule)
    return change_result(rule, AuditLine(f"alert:{id}", new={"name": name, "kind": rule.kind}))


@audited("alert.change")
def update_alert_rule(
    acting: Acting,
    id: str,
    *,
    name: str | None = None,
    chosen: Filter | None = None,
    events: Collection[AlertEvent] | None = None,
    pace: AlertPace | None = None,
    channel: str | None = None,
    language: Language | None = None,
    paused: bool | None = None,
) -> ChangeResult[AlertRule]:
    """Change what is given; an empty channel leaves the bell alone. Raises `NotFound`, `Forbidden`, and `BadInput` as
    `create_alert_rule` does.
    """
    old = _require_rule(acting, id)
    new: dict[str, Any] = {"pace": pace, "language": language}
    new |= {} if name is None else {"name": _check_rule_name(name)}
    new |= {} if chosen is None else _filter_fields(acting, old.user, chosen)
    new |= {} if events is None else {"events": _check_rule_events(events)}
    new = {field: value for field, value in new.items() if value is not None}
    new |= {} if channel is None else _channel_fields(acting, id, channel.strip())
    new |= {} if paused is None else {"paused_at": acting.product.now() if paused else None}
    rule = replace(old, **new)
    acting.product.store.alerts.put_rule(rule)
    told = {field: value for field, value in new.items() if field not in ("channel", "where")}
    return change_result(rule, AuditLine(f"alert:{id}", {field: getattr(old, field) for field in told}, told))


def _check_rule_name(name: str) -> str:
    if not (name := " ".join(name.split())[:MAX_RULE_NAME_CHARACTERS]):
        raise BadInput("alerts.incomplete")
    return name


def _check_rule_events(events: Collection[AlertEvent]) -> tuple[AlertEvent, ...]:
    if not events:
        raise BadInput("alerts.incomplete")
    return tuple(event for event in AlertEvent if event in events)


def _filter_fields(acting: Acting, user: str, chosen: Filter) -> dict[str, Any]:
    """The filter as a rule keeps it; "me" in it is the rule's owner."""
    return {"query": chosen.query(), "where": serialize_conditions(chosen.conditions(replace(acting, who=user)))}


def _channel_fields(acting: Acting, id: str, channel: str) -> dict[str, Any]:
    """The channel as a rule keeps it, sealed."""
    if not channel:
        return {"channel": None, "kind": None, "unencrypted": False}
    acting.require(Right.EXPORT)
    by_tls = _check_channel(channel)
    sealed, kind = acting.product.seal.seal(channel, channel_owner(id)), channel.partition(":")[0].lower()
    return {"channel": sealed, "kind": kind, "unencrypted": not by_tls}


@audited("alert.remove")
def delete_alert_rule(acting: Acting, id: str) -> ChangeResult[None]:
    """With its alerts and letters. Raises `NotFound`, `Forbidden`."""
    rule = _require_rule(acting, id)
    acting.product.store.alerts.remove_rule(id)
    return change_result(None, AuditLine(f"alert:{id}", old=rule.name))


def require_alert_rule(acting: Acting, id: str) -> AlertRule:
    """A rule that they may change. Raises `NotFound`, `Forbidden`."""
    return _require_rule(acting, id)


def send_test_letter(acting: Acting, id: str) -> Letter:
    """Send a letter that tells nothing, to see whether it arrives. Raises `NotFound`, `Forbidden`."""
    rule, now = _require_rule(acting, id), acting.product.now()
    if rule.channel is None:
        raise BadInput("alerts.no_channel")
    letter = Letter(id=f"{rule.id}:test:{secrets.token_hex(4)}", rule_id=rule.id, made_at=now, due=now)
    acting.product.store.alerts.put_letter(letter)
    return letter


def mark_alerts_seen(acting: Acting) -> None:
    """What stands under this person's bell is seen; nobody else's is, so that no line is written."""
    acting.product.store.alerts.see(acting.who, acting.product.now())


def rule_letters(acting: Acting, id: str) -> list[Letter]:
    """The newest letters of a rule. Raises `NotFound`, `Forbidden`."""
    return acting.product.store.alerts.letters(_require_rule(acting, id).id)


def channel_owner(id: str) -> str:
    """To whom a rule's channel belongs, as it is sealed."""
    return f"alert:{id}"


def _require_rule(acting: Acting, id: str) -> AlertRule:
    """A rule that is theirs, or that of people whom they look after."""
    rule = acting.product.store.alerts.rule(id)
    if rule.user != acting.who and not acting.may(Right.USERS):
        raise Forbidden("alerts.not_yours")
    return rule


def _check_channel(channel: str) -> bool:
    """Whether what is sent there goes by TLS. Raises `BadInput`."""
    kind = channel.partition("://")[0].lower()
    if kind not in CHANNEL_KINDS or len(channel) > MAX_CHANNEL_CHARACTERS or not channel.isprintable():
        raise BadInput("alerts.bad_channel", kinds=", ".join(CHANNEL_KINDS))
    by_tls: bool | None = read_in_child(
        "wenhen.alerts.apprise_delivery:is_channel_encrypted", channel, bounds=SEND_BOUNDS
    )
    if by_tls is None:
        raise BadInput("alerts.bad_channel", kinds=", ".join(CHANNEL_KINDS))
    return by_tls
