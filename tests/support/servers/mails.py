"""Mails as mail servers write them, and one that came."""

from tests.support.seed import NOW
from wenhen.context.store_and_queue import Store
from wenhen.notices.model import Reply

REPORT = b"""\
From: MAILER-DAEMON@mx.copies.example
Subject: =?utf-8?B?5oqV6YCS5aSx6LSl?=
Auto-Submitted: auto-replied
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status; boundary=b

--b
Content-Type: text/plain

no such user
--b
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.copies.example

Original-Recipient: rfc822; ip@copies.example
Final-Recipient: rfc822; ip@copies.example
Action: Failed
Status: 5.1.1
Diagnostic-Code: smtp; 550 5.1.1
  no such user

Final-Recipient: rfc822; other@copies.example
Action: delivered
Status: 2.0.0
--b
Content-Type: text/rfc822-headers

Message-ID: <a1@hean.example>
Subject: 2026-0001
--b--
"""


def put_mail(store: Store) -> str:
    """The id of one that belongs to no notice."""
    id = store.blobs.put(REPORT)
    store.replies.put(
        Reply(id=id, at=NOW, fetched_at=NOW, sent_at=None, sender="ip@copies.example", subject="", text="", size=1)
    )
    return id
