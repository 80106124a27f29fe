"""Deadlines and new cases at secret addresses, for calendars and feed readers."""

from datetime import date, timedelta

import pytest
from flask.testing import FlaskClient
from icalendar import Calendar
from lxml import etree
from selectolax.lexbor import LexborHTMLParser

from dashboard.feeds.views import ATOM
from tests.support.people import acting_on, add_token, add_user, signed_in
from tests.support.screens import MakeApp, post
from tests.support.seed import NOW, Seeder, move_case
from wenhen.accounts.sessions import revoke_api_token
from wenhen.accounts.users import disable_user, set_user_role
from wenhen.cases.model import CaseDecision, CaseStatus
from wenhen.context.store_and_queue import Store
from wenhen.kit.rights import Right, Role

NAMES = {None: ATOM}
DUE = NOW + timedelta(days=7)


@pytest.fixture
def lawyer_feed(store: Store) -> str:
    """The text of a feed token of a lawyer."""
    return add_token(store, add_user(store, role=Role.LAWYER), {Right.FEED}, None)[1]


@pytest.fixture
def reader(make_app: MakeApp) -> FlaskClient:
    """A program without a session."""
    return make_app(sign_in=True).test_client()


def send_notice(store: Store, number: int) -> None:
    move_case(store, str(number), CaseStatus.CONFIRMED, by="a", reason=None, at=NOW)
    sent = CaseDecision(status=CaseStatus.NOTICE_SENT, by="a", at=NOW, deadline=DUE)
    store.cases.decide_many([number], sent, only_from=[CaseStatus.CONFIRMED], batch="2026")


def test_deadlines_come_as_all_day_events_that_a_calendar_reads(
    reader: FlaskClient, lawyer_feed: str, seed: Seeder, store: Store
) -> None:
    seed.work()
    case = seed.case(work_title="船; 老人, \\n 一\r\nEND:VCALENDAR")
    send_notice(store, case.number)
    answer = reader.get(f"/feeds/{lawyer_feed}.ics?lang=zh")
    assert answer.content_type == "text/calendar; charset=utf-8"
    (event,) = Calendar.from_ical(answer.data).events
    assert event.start == date(2026, 3, 13)  # in China, where NOW is the 6th already
    assert str(event["summary"]).startswith("通知到期：查看是否已处理 · 船; 老人, \\n 一\nEND:VCALENDAR")
    assert event["url"] == f"http://localhost/cases/{case.number}"
    assert all(len(line) <= 75 for line in answer.data.split(b"\r\n"))
    english = Calendar.from_ical(reader.get(f"/feeds/{lawyer_feed}.ics?lang=en").data)
    assert english["x-wr-calname"] == "Wenhen: deadlines"


def test_new_cases_come_as_atom_newest_first_with_markup_and_controls_as_text(
    reader: FlaskClient, lawyer_feed: str, seed: Seeder
) -> None:
    seed.work()
    first = seed.case()
    second = seed.case("https://copies.example/a/2.html?x=1&y=2", work_title="<b>船</b>\x00\ufffe")
    answer = reader.get(f"/feeds/{lawyer_feed}.atom")
    assert answer.content_type == "application/atom+xml; charset=utf-8"
    feed = etree.fromstring(answer.data)
    assert feed.findtext("title", namespaces=NAMES) == "文痕：新案件"
    entries = feed.findall("entry", NAMES)
    links = [f"http://localhost/cases/{case.number}" for case in (second, first)]
    assert [entry.findtext("id", namespaces=NAMES) for entry in entries] == links
    title = entries[0].findtext("title", namespaces=NAMES)
    assert title == f"#{second.number} <b>船</b>⟨U+0000⟩⟨U+FFFE⟩ · copies.example"
    assert "x=1&y=2" in str(entries[0].findtext("summary", namespaces=NAMES))
    assert entries[0].findtext("updated", namespaces=NAMES).endswith("Z")


@pytest.mark.parametrize("kind", ["ics", "atom"])
def test_a_feed_that_has_not_changed_is_not_sent_again(
    reader: FlaskClient, lawyer_feed: str, seed: Seeder, store: Store, kind: str
) -> None:
    seed.work()
    send_notice(store, seed.case().number)
    address = f"/feeds/{lawyer_feed}.{kind}"
    first = reader.get(address)
    assert first.headers["Cache-Control"] == "private, no-cache"
    known = {"If-None-Match": first.headers["ETag"]}
    again = reader.get(address, headers=known)
    assert (again.status_code, again.data) == (304, b"")
    assert reader.get(f"{address}?lang=en", headers=known).status_code == 200
    added = seed.case("https://copies.example/a/9.html")
    if kind == "ics":
        send_notice(store, added.number)
    assert reader.get(address, headers=known).status_code == 200


def test_a_feed_answers_only_a_valid_token_for_feeds_alone(reader: FlaskClient, store: Store) -> None:
    user = add_user(store, role=Role.LAWYER)
    token, text = add_token(store, user, {Right.FEED})
    broad = [add_token(store, user, scopes)[1] for scopes in ({Right.FEED, Right.READ}, {Right.READ}, None)]
    for wrong in (*broad, text[:-1] + ("a" if text[-1] != "a" else "b"), "x", "wenhen_0_%00", "…"):
        for kind in ("ics", "atom"):
            assert reader.get(f"/feeds/{wrong}.{kind}").status_code == 404
    assert reader.get("/api/v1/cases", headers={"Authorization": f"Bearer {text}"}).status_code == 403
    assert reader.get(f"/feeds/{text}.ics").status_code == 200
    set_user_role(acting_on(store), user.id, Role.OPERATOR)  # who sees cases, but no list of tasks
    assert [reader.get(f"/feeds/{text}.{kind}").status_code for kind in ("ics", "atom")] == [404, 200]
    disable_user(acting_on(store), user.id)
    assert reader.get(f"/feeds/{text}.atom").status_code == 404
    _, other = add_token(store, other_user := add_user(store, "other"), {Right.FEED})
    assert reader.get(f"/feeds/{other}.atom").status_code == 200
    (theirs,) = store.tokens.all(user_id=other_user.id)
    revoke_api_token(acting_on(store), theirs.id)
    assert reader.get(f"/feeds/{other}.atom").status_code == 404
    assert token.scopes == ("feed",)


def test_a_person_makes_and_revokes_feed_addresses_on_the_account_screen(make_app: MakeApp, store: Store) -> None:
    add_user(store, role=Role.LAWYER)
    client = signed_in(make_app(sign_in=True))
    page = post(client, "/account/feeds", form_at="/account/", name="手机").text
    address = LexborHTMLParser(page).css("code.secret")[0].text()
    assert address.endswith(".atom?lang=zh")
    assert ".ics?lang=zh" in page
    assert client.get(address).status_code == 200
    assert address not in client.get("/account/").text
    assert post(client, "/account/feeds", form_at="/account/", name=" ").status_code == 400
    (token,) = store.tokens.all()
    post(client, "/account/tokens/revoke", form_at="/account/", id=token.id)
    assert client.get(address).status_code == 404


def test_a_person_without_the_task_list_is_offered_the_cases_alone(make_app: MakeApp, store: Store) -> None:
    add_user(store)
    page = post(signed_in(make_app(sign_in=True)), "/account/feeds", form_at="/account/", name="手机").text
    assert ".atom?lang=zh" in page
    assert ".ics" not in page
