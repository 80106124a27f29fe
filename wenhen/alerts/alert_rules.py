"""Create, change, delete and test alert rules, and send to plain mail addresses."""

import re
import secrets
from collections.abc import Collection
from dataclasses import replace
from email.utils import parseaddr
from typing import Any, Final
from urllib.parse import quote, urlencode

from crawler.sandbox.pool import read_in_child
from wenhen.accounts.model import User
from wenhen.alerts.apprise_delivery import CHANNEL_KINDS
from wenhen.alerts.model import AlertEvent, AlertPace, AlertRule, Letter
from wenhen.cases.filters import Filter, serialize_conditions
from wenhen.context.mail_delivery import has_mail_server
from wenhen.context.use_cases import Acting, AuditLine, ChangeResult, audited, change_result
from wenhen.kit.errors import BadInput, Forbidden, Language, SetupError
from wenhen.kit.rights import Right
from wenhen.kit.size_and_time_limits import CHAT_BOUNDS
from wenhen.settings.notices_and_reports import NoticeSettings

MAIL_KIND: Final = "mail"  # kind of a rule whose channel is a plain mail address
_MAIL_ADDRESS: Final = re.compile(r"[^\s@:/?#&<>,;\"]{1,64}@[^\s@:/?#&<>,;\"]{1,253}")


def is_mail_address(channel: str) -> bool:
    """Return whether a channel is a plain mail address, such as `name@example.org`."""
    return _MAIL_ADDRESS.fullmatch(channel) is not None


def make_mail_channel(address: str, settings: NoticeSettings) -> str:
    """Return the Apprise channel that sends mail to this address through the mail server of notices.

    It is made when a letter is sent, so that a changed server or password needs no change of the rule.

    Raises `SetupError` if the settings name no mail server.
    """
    if not has_mail_server(settings):
        raise SetupError("alerts.no_mail_server")
    host, _, port = settings.smtp.rpartition(":")
    password = settings.smtp_password.get_secret_value() if settings.smtp_password else ""
    login = f"{quote(settings.smtp_user, safe='')}:{quote(password, safe='')}@" if settings.smtp_user else ""
    name, sender = parseaddr(settings.sender)
    options = {"smtp": host, "to": address, "from": sender} | ({"name": name} if name else {})
    scheme, mode = ("mailtos", "starttls") if settings.smtp_tls else ("mailto", "insecure")
    return f"{scheme}://{login}{host}:{port}?{urlencode(options | {'mode': mode})}"


MAX_RULE_NAME_CHARACTERS: Final = 100
MAX_CHANNEL_CHARACTERS: Final = 2_000
MAX_RULES_PER_USER: Final = 50  # rules per user


def own_alert_rules(acting: Acting) -> list[AlertRule]:
    """Return the rules of this user, sorted by name."""
    return acting.product.store.alerts.rules(acting.who)


def alert_rules_of_people(acting: Acting, owner: User | None) -> list[AlertRule]:
    """Return the rules of a user, or of all users. Raises `Forbidden` without the right `USERS`."""
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
    """Create a rule for oneself, or with the right `USERS` for another user.

    Raises `BadInput` without name or event, for an invalid channel or too many rules. Raises `Forbidden` for a channel
    without the right `EXPORT`.
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
    """Change the given fields of a rule. An empty channel removes the channel.

    Raises `NotFound`, `Forbidden`, and `BadInput` as `create_alert_rule` does.
    """
    old = require_alert_rule(acting, id)
    new: dict[str, Any] = {"pace": pace, "language": language}
    new |= {} if name is None else {"name": _check_rule_name(name)}
    new |= {} if chosen is None else _filter_fields(acting, old.user, chosen)
    new |= {} if events is None else {"events": _check_rule_events(events)}
    new = {field: value for field, value in new.items() if value is not None}
    new |= {} if channel is None else _channel_fields(acting, id, channel.strip())
    new |= {} if paused is None else {"paused_at": acting.product.now() if paused else None}
    rule = replace(old, **new)
    acting.product.store.alerts.put_rule(rule)
    audited = {field: value for field, value in new.items() if field not in ("channel", "where")}
    return change_result(rule, AuditLine(f"alert:{id}", {field: getattr(old, field) for field in audited}, audited))


def _check_rule_name(name: str) -> str:
    if not (name := " ".join(name.split())[:MAX_RULE_NAME_CHARACTERS]):
        raise BadInput("alerts.incomplete")
    return name


def _check_rule_events(events: Collection[AlertEvent]) -> tuple[AlertEvent, ...]:
    if not events:
        raise BadInput("alerts.incomplete")
    return tuple(event for event in AlertEvent if event in events)


def _filter_fields(acting: Acting, user: str, chosen: Filter) -> dict[str, Any]:
    """Return the stored form of a filter. "me" stands for the owner of the rule."""
    return {"query": chosen.query(), "where": serialize_conditions(chosen.conditions(replace(acting, who=user)))}


def _channel_fields(acting: Acting, id: str, channel: str) -> dict[str, Any]:
    """Return the stored form of a channel, sealed."""
    if not channel:
        return {"channel": None, "kind": None, "unencrypted": False}
    acting.require(Right.EXPORT)
    if is_mail_address(channel):
        notice = acting.product.settings.notice
        if not has_mail_server(notice):
            raise BadInput("alerts.no_mail_server")
        kind, by_tls = MAIL_KIND, notice.smtp_tls
    else:
        kind, by_tls = channel.partition(":")[0].lower(), _check_channel(channel)
    sealed = acting.product.seal.seal(channel, channel_owner(id))
    return {"channel": sealed, "kind": kind, "unencrypted": not by_tls}


@audited("alert.remove")
def delete_alert_rule(acting: Acting, id: str) -> ChangeResult[None]:
    """Delete a rule with its alerts and letters. Raises `NotFound`, `Forbidden`.

    Raises `BadInput` for the rule that each person has.
    """
    rule = require_alert_rule(acting, id)
    if rule.own:
        raise BadInput("alerts.own_stays")
    acting.product.store.alerts.remove_rule(id)
    return change_result(None, AuditLine(f"alert:{id}", old=rule.name))


def send_test_letter(acting: Acting, id: str) -> Letter:
    """Queue a test letter to check a channel. Raises `NotFound`, `Forbidden`, and `BadInput` without a channel."""
    rule, now = require_alert_rule(acting, id), acting.product.now()
    if rule.channel is None and not rule.own:
        raise BadInput("alerts.no_channel")
    letter = Letter(id=f"{rule.id}:test:{secrets.token_hex(4)}", rule_id=rule.id, made_at=now, due=now)
    acting.product.store.alerts.put_letter(letter)
    return letter


def mark_alerts_seen(acting: Acting) -> None:
    """Mark the notifications of this user as seen. This affects no other user, so it has no audit line."""
    acting.product.store.alerts.see(acting.who, acting.product.now())


def rule_letters(acting: Acting, id: str) -> list[Letter]:
    """Return the newest letters of a rule. Raises `NotFound`, `Forbidden`."""
    return acting.product.store.alerts.letters(require_alert_rule(acting, id).id)


def channel_owner(id: str) -> str:
    """Return the owner name under which the channel of a rule is sealed."""
    return f"alert:{id}"


def require_alert_rule(acting: Acting, id: str) -> AlertRule:
    """Return a rule that is the user's own, or any rule with the right `USERS`. Raises `NotFound`, `Forbidden`."""
    rule = acting.product.store.alerts.rule(id)
    if rule.user != acting.who and not acting.may(Right.USERS):
        raise Forbidden("alerts.not_yours")
    return rule


def _check_channel(channel: str) -> bool:
    """Return whether the channel uses TLS. Raises `BadInput`."""
    kind = channel.partition("://")[0].lower()
    if kind not in CHANNEL_KINDS or len(channel) > MAX_CHANNEL_CHARACTERS or not channel.isprintable():
        raise BadInput("alerts.bad_channel", kinds=", ".join(CHANNEL_KINDS))
    by_tls: bool | None = read_in_child(
        "wenhen.alerts.apprise_delivery:is_channel_encrypted", channel, bounds=CHAT_BOUNDS
    )
    if by_tls is None:
        raise BadInput("alerts.bad_channel", kinds=", ".join(CHANNEL_KINDS))
    return by_tls
