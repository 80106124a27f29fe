"""Rules of alerts: each person's own."""

import secrets
from collections.abc import Collection
from dataclasses import replace
from typing import Any, Final

from crawler.isolated.read_in_child import read
from services.acting import Acting
from services.alerts.apprise_letter import BOUNDS, KINDS
from services.audited import Changed, Line, audited, changed
from services.cases.case_filter import Filter
from services.kept_conditions import kept
from store.errors import BadInput, Forbidden
from store.messages import Language
from store.records import AlertEvent, AlertPace, AlertRule, Letter, User
from store.rules.role_rights import Right

NAME_LENGTH: Final = 100
CHANNEL_LENGTH: Final = 2_000
MOST: Final = 50  # rules of one person


def of(acting: Acting) -> list[AlertRule]:
    """Those of this person, by name."""
    return acting.product.store.alerts.rules(acting.who)


def of_people(acting: Acting, owner: User | None) -> list[AlertRule]:
    """Those of somebody whom they look after; None: everybody's. Raises `Forbidden`."""
    acting.require(Right.USERS)
    return acting.product.store.alerts.rules(owner.name if owner else None)


@audited("alert.add")
def add(
    acting: Acting,
    name: str,
    chosen: Filter,
    events: Collection[AlertEvent],
    *,
    pace: AlertPace = AlertPace.AT_ONCE,
    channel: str = "",
    language: Language = "zh",
    owner: User | None = None,
) -> Changed[AlertRule]:
    """A new rule of theirs, or of somebody else whom they may look after. BadInput for no name, no event or a channel
    that cannot be used; Forbidden for a channel without the right to take things out.
    """
    acting.require(Right.READ if owner is None else Right.USERS)
    user, user_id = (acting.who, acting.user_id) if owner is None else (owner.name, owner.id)
    product, id, name = acting.product, secrets.token_hex(6), _named(name)
    if len(product.store.alerts.rules(user)) >= MOST:
        raise BadInput("alerts.too_many", most=MOST)
    now = product.now()
    rule = AlertRule(
        id=id,
        user=user,
        user_id=user_id,
        name=name,
        **_of_which(acting, user, chosen),
        events=_told(events),
        pace=pace,
        language=language,
        created_at=now,
        told_until=now,
        **_sent_to(acting, id, channel.strip()),
    )
    product.store.alerts.put_rule(rule)
    return changed(rule, Line(f"alert:{id}", new={"name": name, "kind": rule.kind}))


@audited("alert.change")
def change(
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
) -> Changed[AlertRule]:
    """Change what is given; an empty channel leaves the bell alone. Raises `NotFound`, `Forbidden`, and `BadInput` as
    `add` does.
    """
    old = _own(acting, id)
    new: dict[str, Any] = {"pace": pace, "language": language}
    new |= {} if name is None else {"name": _named(name)}
    new |= {} if chosen is None else _of_which(acting, old.user, chosen)
    new |= {} if events is None else {"events": _told(events)}
    new = {field: value for field, value in new.items() if value is not None}
    new |= {} if channel is None else _sent_to(acting, id, channel.strip())
    new |= {} if paused is None else {"paused_at": acting.product.now() if paused else None}
    rule = replace(old, **new)
    acting.product.store.alerts.put_rule(rule)
    told = {field: value for field, value in new.items() if field not in ("channel", "where")}
    return changed(rule, Line(f"alert:{id}", {field: getattr(old, field) for field in told}, told))


def _named(name: str) -> str:
    if not (name := " ".join(name.split())[:NAME_LENGTH]):
        raise BadInput("alerts.incomplete")
    return name


def _told(events: Collection[AlertEvent]) -> tuple[AlertEvent, ...]:
    if not events:
        raise BadInput("alerts.incomplete")
    return tuple(event for event in AlertEvent if event in events)


def _of_which(acting: Acting, user: str, chosen: Filter) -> dict[str, Any]:
    """The filter as a rule keeps it; "me" in it is the rule's owner."""
    return {"query": chosen.query(), "where": kept(chosen.conditions(replace(acting, who=user)))}


def _sent_to(acting: Acting, id: str, channel: str) -> dict[str, Any]:
    """The channel as a rule keeps it, sealed."""
    if not channel:
        return {"channel": None, "kind": None, "unencrypted": False}
    acting.require(Right.EXPORT)
    by_tls = _check(channel)
    sealed, kind = acting.product.seal.seal(channel, whose(id)), channel.partition(":")[0].lower()
    return {"channel": sealed, "kind": kind, "unencrypted": not by_tls}


@audited("alert.remove")
def remove(acting: Acting, id: str) -> Changed[None]:
    """With its alerts and letters. Raises `NotFound`, `Forbidden`."""
    rule = _own(acting, id)
    acting.product.store.alerts.remove_rule(id)
    return changed(None, Line(f"alert:{id}", old=rule.name))


def own(acting: Acting, id: str) -> AlertRule:
    """A rule that they may change. Raises `NotFound`, `Forbidden`."""
    return _own(acting, id)


def test(acting: Acting, id: str) -> Letter:
    """Send a letter that tells nothing, to see whether it arrives. Raises `NotFound`, `Forbidden`."""
    rule, now = _own(acting, id), acting.product.now()
    if rule.channel is None:
        raise BadInput("alerts.no_channel")
    letter = Letter(id=f"{rule.id}:test:{secrets.token_hex(4)}", rule_id=rule.id, made_at=now, due=now)
    acting.product.store.alerts.put_letter(letter)
    return letter


def see(acting: Acting) -> None:
    """What stands under this person's bell is seen; nobody else's is, so that no line is written."""
    acting.product.store.alerts.see(acting.who, acting.product.now())


def letters(acting: Acting, id: str) -> list[Letter]:
    """The newest letters of a rule. Raises `NotFound`, `Forbidden`."""
    return acting.product.store.alerts.letters(_own(acting, id).id)


def whose(id: str) -> str:
    """To whom a rule's channel belongs, as it is sealed."""
    return f"alert:{id}"


def _own(acting: Acting, id: str) -> AlertRule:
    """A rule that is theirs, or that of people whom they look after."""
    rule = acting.product.store.alerts.rule(id)
    if rule.user != acting.who and not acting.may(Right.USERS):
        raise Forbidden("alerts.not_yours")
    return rule


def _check(channel: str) -> bool:
    """Whether what is sent there goes by TLS. Raises `BadInput`."""
    kind = channel.partition("://")[0].lower()
    if kind not in KINDS or len(channel) > CHANNEL_LENGTH or not channel.isprintable():
        raise BadInput("alerts.bad_channel", kinds=", ".join(KINDS))
    by_tls: bool | None = read("services.alerts.apprise_letter:usable", channel, bounds=BOUNDS)
    if by_tls is None:
        raise BadInput("alerts.bad_channel", kinds=", ".join(KINDS))
    return by_tls
