"""Rules of alerts: each person's own."""

import secrets
from collections.abc import Collection
from dataclasses import replace
from typing import Final

from crawler.isolated.child import read
from services.acting import Acting
from services.alerts.call import BOUNDS, KINDS
from services.audited import Changed, Line, audited, changed
from services.cases.case_filter import Filter
from services.kept_conditions import kept
from store.errors import BadInput, Forbidden
from store.messages import Language
from store.records import AlertEvent, AlertPace, AlertRule, Letter
from store.rules.rights import Right

NAME_LENGTH: Final = 100
CHANNEL_LENGTH: Final = 2_000
MOST: Final = 50  # rules of one person


def of(acting: Acting) -> list[AlertRule]:
    """Those of this person, by name."""
    return acting.product.store.alerts.rules(acting.who)


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
) -> Changed[AlertRule]:
    """A new rule. BadInput for no name, no event or a channel that cannot be used; Forbidden for a channel without the
    right to take things out.
    """
    acting.require(Right.READ)
    name, channel = " ".join(name.split())[:NAME_LENGTH], channel.strip()
    _refuse_wrong(acting, name, events, channel)
    product, id = acting.product, secrets.token_hex(6)
    now = product.now()
    rule = AlertRule(
        id=id,
        user=acting.who,
        user_id=acting.user_id,
        name=name,
        query=chosen.query(),
        where=kept(chosen.conditions(acting)),
        events=tuple(event for event in AlertEvent if event in events),
        pace=pace,
        language=language,
        created_at=now,
        told_until=now,
        channel=product.seal.seal(channel, whose(id)) if channel else None,
        kind=channel.partition(":")[0].lower() or None,
    )
    product.store.alerts.put_rule(rule)
    return changed(rule, Line(f"alert:{id}", new={"name": name, "kind": rule.kind}))


def _refuse_wrong(acting: Acting, name: str, events: Collection[AlertEvent], channel: str) -> None:
    if not name or not events:
        raise BadInput("alerts.incomplete")
    if len(acting.product.store.alerts.rules(acting.who)) >= MOST:
        raise BadInput("alerts.too_many", most=MOST)
    if channel:
        acting.require(Right.EXPORT)
        _check(channel)


@audited("alert.change")
def set_paused(acting: Acting, id: str, paused: bool) -> Changed[AlertRule]:
    """Tell nothing, or go on. Raises `NotFound`, `Forbidden`."""
    rule = replace(_own(acting, id), paused_at=acting.product.now() if paused else None)
    acting.product.store.alerts.put_rule(rule)
    return changed(rule, Line(f"alert:{id}", new="paused" if paused else "running"))


@audited("alert.remove")
def remove(acting: Acting, id: str) -> Changed[None]:
    """With its alerts and letters. Raises `NotFound`, `Forbidden`."""
    rule = _own(acting, id)
    acting.product.store.alerts.remove_rule(id)
    return changed(None, Line(f"alert:{id}", old=rule.name))


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
    rule = acting.product.store.alerts.rule(id)
    if rule.user != acting.who:
        raise Forbidden("alerts.not_yours")
    return rule


def _check(channel: str) -> None:
    kind = channel.partition("://")[0].lower()
    if kind not in KINDS or len(channel) > CHANNEL_LENGTH or not channel.isprintable():
        raise BadInput("alerts.bad_channel", kinds=", ".join(KINDS))
    if not read("services.alerts.call:usable", channel, bounds=BOUNDS):
        raise BadInput("alerts.bad_channel", kinds=", ".join(KINDS))
