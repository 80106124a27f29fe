"""Webhooks are an administrator's: added, rested and removed with a line in the log, and refused to others."""

import pytest

from tests.support.acting import by
from wenhen.kit.errors import BadInput, Forbidden
from wenhen.kit.rights import RIGHTS, Role
from wenhen.runtime.wiring import App
from wenhen.webhooks.model import Event
from wenhen.webhooks.service import (
    CASE_EVENTS,
    add_webhook,
    remove_webhook,
    resend_delivery,
    send_test_delivery,
    set_webhook_paused,
    webhook_owner,
)


def log(product: App) -> list[tuple[str, str | None, str | None]]:
    return [(one.action, one.old, one.new) for one in reversed(product.store.audit.find(limit=99))]


def test_what_is_done_with_a_webhook_stands_in_the_log_and_a_test_does_not(product: App) -> None:
    hook = add_webhook(by(product), " https://receiver.example/ ", [Event.CASE_CHANGED, Event.CASE_NEW])
    assert hook.secret not in str(product.store.webhooks.get(hook.id).secret)
    assert product.seal.open_sealed(product.store.webhooks.get(hook.id).secret, webhook_owner(hook.id)) == hook.secret
    assert set_webhook_paused(by(product), hook.id, True).paused_at is not None
    assert set_webhook_paused(by(product), hook.id, False).paused_at is None
    delivery = send_test_delivery(by(product), hook.id)
    assert resend_delivery(by(product), delivery.id).webhook_id == hook.id
    remove_webhook(by(product), hook.id)
    assert product.store.webhooks.all() == []
    assert log(product) == [
        ("webhook.add", None, "https://receiver.example/ case.new case.changed"),
        ("webhook.change", None, "paused"),
        ("webhook.change", None, "running"),
        ("webhook.again", None, delivery.id),
        ("webhook.remove", "https://receiver.example/", None),
    ]


@pytest.mark.parametrize("url", ["ftp://a.example/", "http://me:word@a.example/", "http://a.example:0/", "http://a b/"])
def test_an_address_that_cannot_be_called_is_refused(product: App, url: str) -> None:
    with pytest.raises(BadInput, match="begins with http"):
        add_webhook(by(product), url, CASE_EVENTS)
    with pytest.raises(BadInput, match="told of"):
        add_webhook(by(product), "https://a.example/", [])
    assert (product.store.webhooks.all(), log(product)) == ([], [])


def test_who_is_no_administrator_changes_none(product: App) -> None:
    hook = add_webhook(by(product), "https://receiver.example/", CASE_EVENTS)
    lawyer = by(product, "顾", RIGHTS[Role.LAWYER])
    with pytest.raises(Forbidden):
        remove_webhook(lawyer, hook.id)
    with pytest.raises(Forbidden):
        send_test_delivery(lawyer, hook.id)
    assert [one.id for one in product.store.webhooks.all()] == [hook.id]
