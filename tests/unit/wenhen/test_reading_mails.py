"""A mail is read for what it says and what it answers, however it is written; reports say how a letter fared."""

from base64 import b64encode

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.servers.mails import REPORT
from wenhen.notices.mail_parser import AddressReport, parse_mail
from wenhen.notices.model import DeliveryState


def test_a_delivery_report_names_the_letter_that_it_is_about_and_the_reason() -> None:
    read = parse_mail(REPORT)
    assert read.refers == ("<a1@hean.example>",)
    assert read.told == (
        AddressReport(DeliveryState.FAILED, "ip@copies.example 5.1.1 550 5.1.1 no such user"),
        AddressReport(DeliveryState.DELIVERED, "other@copies.example 2.0.0"),
    )
    assert (read.subject, read.automatic, read.text) == ("投递失败", True, "no such user")


def test_what_says_gb2312_is_read_as_the_larger_set_and_html_as_its_lines() -> None:
    html = "<head><style>p {}</style><title>x</title></head><p>贵司<b>来函</b>已收悉，镕</p>已<i>删</i>除<br>此致"
    mail = (
        b"From: =?gb2312?B?" + b64encode("朱镕".encode("gb18030")) + b"?= <a@copies.example>\r\n"
        b"In-Reply-To: <a1@hean.example>\r\nReferences: <x@y.example> <a1@hean.example>\r\n"
        b"Date: Mon, 09 Mar 2026 10:00:00 +0800\r\n"
        b'Content-Type: text/html; charset="gb2312"\r\nContent-Transfer-Encoding: 8bit\r\n\r\n' + html.encode("gb18030")
    )
    read = parse_mail(mail)
    assert read.sender == "朱镕 <a@copies.example>"
    assert read.text.splitlines() == ["贵司来函已收悉，镕", "已删除", "此致"]
    assert read.refers == ("<a1@hean.example>", "<x@y.example>")
    assert read.sent_at is not None
    assert read.sent_at.isoformat() == "2026-03-09T10:00:00+08:00"
    assert not read.automatic


def test_who_only_encloses_a_letter_does_not_answer_it() -> None:
    enclosed = REPORT.replace(b"MAILER-DAEMON@", b"someone@").replace(b"message/delivery-status", b"text/plain")
    assert parse_mail(enclosed).refers == ()


@settings(max_examples=60, deadline=None)
@given(st.integers(0, len(REPORT) - 1), st.binary(max_size=12), st.integers(0, 40))
def test_whatever_stands_in_a_mail_it_is_read(at: int, put: bytes, cut: int) -> None:
    read = parse_mail(REPORT[:at] + put + REPORT[at + cut :])
    for words in (read.sender, read.subject, read.text, *(one.said for one in read.told)):
        words.encode()
        assert "\0" not in words
