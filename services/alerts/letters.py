"""Alerts as letters: made when their turn comes, sent until they are taken."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Final

from crawler.isolated.read_in_child import read
from services.alerts.apprise_letter import BOUNDS, LetterCall
from services.alerts.rules_that_tell import stands
from services.context import Product
from store.errors import NotFound, SetupError, Unreadable
from store.failures import failure
from store.messages import Language, Message
from store.records import Alert, AlertPace, AlertRule, Letter
from store.rules.alert_pace import last_turn
from store.rules.backoff import DELIVERY

_LISTED: Final = 40  # alerts of one letter that are named; the others are counted
_ENCLOSED: Final = 5_000  # of one letter
_UNTIL_ENCLOSED: Final = timedelta(seconds=30)  # a letter is made before it is filled
_LEASE: Final = timedelta(minutes=3)
_OF_ONE_TASK: Final = 40
_TOLD: Final = 200  # characters of a failure


def make_letters(product: Product, rules: Sequence[AlertRule]) -> None:
    """A letter of each rule whose turn has come and that has something to tell."""
    now, store = product.now(), product.store.alerts
    for rule in rules:
        turn = last_turn(rule.pace, now)
        due = rule.pace is AlertPace.AT_ONCE or turn > rule.told_until
        if rule.channel is None or not due or not store.unsent(rule.id) or not store.tell_until(rule, turn):
            continue
        # Cut short before it is filled, it is dropped when it is sent, and what it was to tell waits for the next.
        letter = Letter(id=f"{rule.id}:{turn.isoformat()}", rule_id=rule.id, made_at=now, due=now + _UNTIL_ENCLOSED)
        store.put_letter(letter)
        store.enclose(rule.id, letter.id, _ENCLOSED)
        store.put_letter(replace(letter, due=now))


def send_due(product: Product) -> None:
    """Send what is due; what is not taken is due again after a growing pause."""
    store = product.store.alerts
    for _ in range(_OF_ONE_TASK):
        now = product.now()
        letter = store.claim(now, now + _LEASE)
        if letter is None:
            return
        try:
            rule = store.rule(letter.rule_id)
        except NotFound:  # removed meanwhile
            store.put_letter(replace(letter, due=None))
            continue
        store.put_letter(_sent(product, rule, letter))


def _sent(product: Product, rule: AlertRule, letter: Letter) -> Letter:
    """The letter after this try."""
    alerts = product.store.alerts.enclosed(letter.id)
    is_test = letter.id.startswith(f"{rule.id}:test:")
    if rule.channel is None or (not alerts and not is_test):
        return replace(letter, due=None)
    if not stands(product, rule):
        return replace(letter, due=product.now() + DELIVERY.longest)
    title, body = in_words(rule, alerts)
    private = product.settings.dashboard.private_webhooks
    problem: Message | None
    try:
        channel = product.seal.opened(rule.channel, f"alert:{rule.id}")
        problem = read("services.alerts.apprise_letter:send", LetterCall(channel, title, body, private), bounds=BOUNDS)
    except SetupError as error:
        problem = error.message
    except Unreadable as error:
        problem = failure(error, _TOLD)
    now = product.now()
    if problem is None:
        return replace(letter, due=None, problem=None, taken_at=now)
    return replace(letter, due=now + DELIVERY.after(letter.tries), problem=problem)


def in_words(rule: AlertRule, alerts: Sequence[Alert]) -> tuple[str, str]:
    """Title and body of a letter, in the rule's language."""
    language: Language = "en" if rule.language == "en" else "zh"

    def said(code: str, **figures: str | int) -> str:
        return Message(code, figures).text(language)

    if not alerts:
        return said("alerts.title", name=rule.name, count=0), said("alerts.test")
    counts = Counter(one.event for one in alerts)
    lines = [said(f"alerts.count_{event}", count=counts[event]) for event in rule.events if counts[event]]
    lines.append("")
    lines += (
        said(f"alerts.of_{one.event}", number=one.case_number, title=one.work_title[:100], host=one.page_host)
        for one in alerts[:_LISTED]
    )
    if len(alerts) > _LISTED:
        lines.append(said("alerts.more", count=len(alerts) - _LISTED))
    return said("alerts.title", name=rule.name, count=len(alerts)), "\n".join(lines)
