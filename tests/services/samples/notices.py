"""Notices, and those whom they go to."""

from dataclasses import replace
from typing import Any

from imapclient import IMAPClient
from pydantic import SecretStr

from services.acting import Acting
from services.cases import decisions
from services.notices import (
    approval,
    bundle,
    cases_follow,
    delisting_look_up,
    platforms,
    send_by_mail,
    sent_and_answered,
    write_and_edit,
)
from services.notices.replies import decisions_on_replies, fetch_mails
from services.notices.word import word_templates
from services.notices.word.default_templates import default_template
from services.notices.word.word_templates import WordKind
from store.records import AnswerKind, CaseStatus, Notice, Platform, Reply, SentBy
from tests.services.samples.cases import case
from tests.support.acting import by
from tests.support.holders import ready_holder
from tests.support.local_site import served
from tests.support.servers.mailbox import PASSWORD, USER, mailbox
from tests.support.servers.mails import put_mail
from tests.support.use_cases import Samples


def notice(acting: Acting) -> str:
    """The number of one that may be sent."""
    number = case(acting)
    ready_holder(acting.product.store, now=acting.product.now())
    decisions.decide(acting, [number], CaseStatus.CONFIRMED)
    return write_and_edit.write(acting, number)[0].id


def platform(acting: Acting) -> str:
    return platforms.put(acting, Platform(id="own", name="自定", days=5)).id


def approve(acting: Acting) -> Notice:
    id = notice(by(acting.product, "顾"))
    return approval.approve(acting, id)


def template(acting: Acting) -> None:
    word_templates.put(acting, WordKind.NOTICE, default_template("notice"))


def by_mail(acting: Acting) -> Notice:
    settings: Any = acting.product.settings
    nowhere = settings.notice.model_copy(update={"smtp": "127.0.0.1:9", "sender": "law@hean.example"})
    product = replace(acting.product, settings=settings.model_copy(update={"notice": nowhere}))
    return send_by_mail.mail(replace(acting, product=product), notice(acting), "ip@copies.example")


def sent(acting: Acting) -> str:
    return sent_and_answered.note_sent(acting, notice(acting), SentBy.POST).id


def read(acting: Acting) -> Notice:
    id = sent(acting)
    sent_and_answered.answer(acting, id, AnswerKind.OTHER, "不予删除")
    return decisions_on_replies.read(acting, id, 0, AnswerKind.REFUSED)


def fetched(acting: Acting) -> fetch_mails.Fetched:
    settings: Any = acting.product.settings
    with mailbox() as place, IMAPClient(*place.split(":"), ssl=False) as client:
        client.login(USER, PASSWORD)
        client.append("INBOX", b"Subject: ?\r\n\r\n")
        told = {"imap": place, "imap_tls": "none", "imap_user": USER, "imap_password": SecretStr(PASSWORD)}
        product = replace(
            acting.product, settings=settings.model_copy(update={"notice": settings.notice.model_copy(update=told)})
        )
        return fetch_mails.fetch(replace(acting, product=product))


class Anything(dict[str, tuple[str, bytes]]):
    """A search engine that finds nothing, whatever is asked."""

    def get(self, *_: object) -> tuple[str, bytes]:
        return "application/json", b'{"results": []}'


def assigned(acting: Acting) -> Reply:
    return decisions_on_replies.assign(acting, put_mail(acting.product.store), sent(acting))


def put_aside(acting: Acting) -> Reply:
    return decisions_on_replies.set_aside(acting, put_mail(acting.product.store))


def looked_up(acting: Acting) -> Notice:
    number = case(acting)
    ready_holder(acting.product.store, now=acting.product.now())
    decisions.decide(acting, [number], CaseStatus.CONFIRMED)
    [to_engine] = write_and_edit.write(acting, number, "bing")
    settings: Any = acting.product.settings
    with served(Anything()) as address:
        asked = settings.discover.model_copy(update={"url": address, "delay": 0.0})
        product = replace(acting.product, settings=settings.model_copy(update={"discover": asked}))
        return delisting_look_up.look_up(replace(acting, product=product), to_engine.id)


def followed(acting: Acting) -> None:
    cases_follow.follow_late(acting, acting.product.store.notices.get(sent(acting)))


SAMPLES: Samples = {
    cases_follow.follow_late: followed,
    delisting_look_up.look_up: looked_up,
    fetch_mails.fetch: fetched,
    decisions_on_replies.assign: assigned,
    decisions_on_replies.set_aside: put_aside,
    decisions_on_replies.read: read,
    send_by_mail.mail: by_mail,
    bundle.hand_out: lambda acting: bundle.hand_out(acting, notice(acting), "b.zip", lambda _: b"PK"),
    word_templates.put: template,
    word_templates.remove: lambda acting: word_templates.remove(acting, WordKind.NOTICE),
    write_and_edit.write: notice,
    write_and_edit.edit: lambda acting: write_and_edit.edit(acting, notice(acting), text="改过", days=9),
    approval.approve: approve,
    write_and_edit.remove: lambda acting: write_and_edit.remove(acting, notice(acting)),
    sent_and_answered.note_sent: lambda acting: sent_and_answered.note_sent(acting, notice(acting), SentBy.POST),
    sent_and_answered.answer: lambda acting: sent_and_answered.answer(
        acting, notice(acting), AnswerKind.OTHER, "已收到"
    ),
    platforms.put: platform,
    platforms.remove: lambda acting: platforms.remove(acting, platform(acting)),
}
