"""Notices, and those whom they go to."""

from dataclasses import replace
from typing import Any

from imapclient import IMAPClient
from pydantic import SecretStr

from tests.services.samples.cases import case
from tests.support.acting import by
from tests.support.holders import ready_holder
from tests.support.local_site import served
from tests.support.servers.mailbox import PASSWORD, USER, mailbox
from tests.support.servers.mails import put_mail
from tests.support.use_cases import Samples
from wenhen.cases.decisions import decide_cases
from wenhen.cases.model import CaseStatus
from wenhen.context.use_cases import Acting
from wenhen.notices.delisting import check_delisting
from wenhen.notices.drafting import approve_notice, edit_notice, remove_notice, write_notices
from wenhen.notices.mailbox import Fetched, fetch_reply_mails
from wenhen.notices.model import AnswerKind, Notice, Platform, Reply, SentBy
from wenhen.notices.platforms import reset_platform, set_platform
from wenhen.notices.replies import StatesRead, assign_reply, classify_answer, dismiss_reply, read_address_states
from wenhen.notices.sending import mail_notice, propagate_late, record_answer, record_sent_notice
from wenhen.notices.word_rendering import default_template
from wenhen.notices.word_templates import WordKind, reset_template, set_template
from wenhen.reports.notice_files import export_bundle


def notice(acting: Acting) -> str:
    """The number of one that may be sent."""
    number = case(acting)
    ready_holder(acting.product.store, now=acting.product.now())
    decide_cases(acting, [number], CaseStatus.CONFIRMED)
    return write_notices(acting, number)[0].id


def platform(acting: Acting) -> str:
    return set_platform(acting, Platform(id="own", name="自定", days=5)).id


def approve(acting: Acting) -> Notice:
    id = notice(by(acting.product, "顾"))
    return approve_notice(acting, id)


def template(acting: Acting) -> None:
    set_template(acting, WordKind.NOTICE, default_template("notice"))


def by_mail(acting: Acting) -> Notice:
    settings: Any = acting.product.settings
    nowhere = settings.notice.model_copy(update={"smtp": "127.0.0.1:9", "sender": "law@hean.example"})
    product = replace(acting.product, settings=settings.model_copy(update={"notice": nowhere}))
    return mail_notice(replace(acting, product=product), notice(acting), "ip@copies.example")


def sent(acting: Acting) -> str:
    return record_sent_notice(acting, notice(acting), SentBy.POST).id


def read(acting: Acting) -> Notice:
    id = sent(acting)
    record_answer(acting, id, AnswerKind.OTHER, "不予删除")
    return classify_answer(acting, id, 0, AnswerKind.REFUSED)


def states_read(acting: Acting) -> StatesRead:
    id = sent(acting)
    [case] = acting.product.store.cases.many(acting.product.store.notices.get(id).case_numbers).values()
    return read_address_states(acting, id, f"{case.page_url},已删除".encode())


def fetched(acting: Acting) -> Fetched:
    settings: Any = acting.product.settings
    with mailbox() as place, IMAPClient(*place.split(":"), ssl=False) as client:
        client.login(USER, PASSWORD)
        client.append("INBOX", b"Subject: ?\r\n\r\n")
        told = {"imap": place, "imap_tls": "none", "imap_user": USER, "imap_password": SecretStr(PASSWORD)}
        product = replace(
            acting.product, settings=settings.model_copy(update={"notice": settings.notice.model_copy(update=told)})
        )
        return fetch_reply_mails(replace(acting, product=product))


class Anything(dict[str, tuple[str, bytes]]):
    """A search engine that finds nothing, whatever is asked."""

    def get(self, *_: object) -> tuple[str, bytes]:
        return "application/json", b'{"results": []}'


def assigned(acting: Acting) -> Reply:
    return assign_reply(acting, put_mail(acting.product.store), sent(acting))


def put_aside(acting: Acting) -> Reply:
    return dismiss_reply(acting, put_mail(acting.product.store))


def looked_up(acting: Acting) -> Notice:
    number = case(acting)
    ready_holder(acting.product.store, now=acting.product.now())
    decide_cases(acting, [number], CaseStatus.CONFIRMED)
    [to_engine] = write_notices(acting, number, "bing")
    settings: Any = acting.product.settings
    with served(Anything()) as address:
        asked = settings.discover.model_copy(update={"url": address, "delay": 0.0})
        product = replace(acting.product, settings=settings.model_copy(update={"discover": asked}))
        return check_delisting(replace(acting, product=product), to_engine.id)


def followed(acting: Acting) -> None:
    propagate_late(acting, acting.product.store.notices.get(sent(acting)))


SAMPLES: Samples = {
    propagate_late: followed,
    check_delisting: looked_up,
    fetch_reply_mails: fetched,
    assign_reply: assigned,
    dismiss_reply: put_aside,
    classify_answer: read,
    read_address_states: states_read,
    mail_notice: by_mail,
    export_bundle: lambda acting: export_bundle(acting, notice(acting), "b.zip", lambda _: b"PK"),
    set_template: template,
    reset_template: lambda acting: reset_template(acting, WordKind.NOTICE),
    write_notices: notice,
    edit_notice: lambda acting: edit_notice(acting, notice(acting), text="改过", days=9),
    approve_notice: approve,
    remove_notice: lambda acting: remove_notice(acting, notice(acting)),
    record_sent_notice: lambda acting: record_sent_notice(acting, notice(acting), SentBy.POST),
    record_answer: lambda acting: record_answer(acting, notice(acting), AnswerKind.OTHER, "已收到"),
    set_platform: platform,
    reset_platform: lambda acting: reset_platform(acting, platform(acting)),
}
