"""What a platform did about each address of a notice is read from its file, whatever the file looks like."""

import csv
import io

import pytest

from tests.support.acting import by
from tests.support.holders import ready_holder
from tests.support.seed import NOW, Seeder, move_case
from wenhen.cases.model import CaseStatus
from wenhen.kit.errors import BadInput, Forbidden
from wenhen.kit.rights import Right
from wenhen.notices.drafting import write_notices
from wenhen.notices.model import AnswerKind, SentBy
from wenhen.notices.replies import MAX_STATE_ROWS, read_address_states
from wenhen.notices.sending import record_sent_notice
from wenhen.reports.notice_files import AddressFile, write_addresses
from wenhen.runtime.wiring import App

PAGES = (
    "https://copies.example/1",
    "https://copies.example/2?a=1&b=2",
    "https://copies.example/江",
    "https://copies.example/4",
)


@pytest.fixture
def notice(product: App) -> str:
    """The number of a sent notice about four pages, the first of which copies two works."""
    seed = Seeder(product.store)
    seed.work()
    seed.work("lamp", "雾里的灯塔每隔七秒亮一次。" * 30, title="=七秒")
    for page in PAGES:
        seed.case(page)
    seed.case(PAGES[0], work_id="lamp", passages=())
    for number in "12345":
        move_case(product.store, number, CaseStatus.CONFIRMED, by="沈", reason=None, at=NOW)
    ready_holder(product.store)
    [written] = write_notices(by(product), 1)
    record_sent_notice(by(product), written.id, SentBy.FORM)
    return written.id


def statuses(product: App) -> list[str]:
    return [str(product.store.cases.get(number).status) for number in "12345"]


def test_the_list_names_each_page_once_as_lines_or_as_a_table_that_no_spreadsheet_calculates(
    product: App, notice: str
) -> None:
    name, content = write_addresses(product, notice, AddressFile.TXT)
    assert (name, content.decode().splitlines()) == (f"{notice}-plain.txt", list(PAGES))
    name, content = write_addresses(product, notice, AddressFile.CSV)
    head, first, *others = csv.reader(io.StringIO(content.decode()))
    assert head == ["number", "address", "cases", "works", "originals"]
    assert first[:3] == ["1", PAGES[0], "#1 #5"]
    assert first[3].endswith("=七秒")
    assert [row[1] for row in others] == list(PAGES[1:])


@pytest.mark.parametrize(
    "content",
    [
        "链接,处理结果\nhttps://copies.example/1,已删除\nhttps://copies.example/2?a=1&b=2,驳回\n"
        "https://copies.example/江,审核中\n".encode(),
        "链接,处理结果\r\nhttps://copies.example/1,已删除\r\nhttps://copies.example/2?a=1&b=2,驳回\r\n"
        "https://copies.example/江,审核中\r\n".encode("gb18030"),
        b"\xef\xbb\xbfStatus\tURL\nRemoved\thttp://copies.example/1#top\nNot removed\thttps://copies.example/2?a=1&b=2\n"
        b"IN REVIEW\thttps://copies.example/%e6%b1%9f\n",
        "https://copies.example/1 taken down\nhttps://copies.example/2?a=1&b=2 rejected\n"
        "https://copies.example/江 pending".encode(),
    ],
)
def test_columns_charsets_schemes_and_languages_may_differ(product: App, notice: str, content: bytes) -> None:
    result = read_address_states(by(product), notice, content)
    assert result.kinds == {AnswerKind.REMOVED: 1, AnswerKind.REFUSED: 1, AnswerKind.RECEIVED: 1}
    assert not result.refused
    assert result.moved == (1, 2, 5), "the first page holds copies of two works"
    assert statuses(product) == ["removed", "refused", "notice_sent", "notice_sent", "removed"]
    states = product.store.notices.get(notice).address_states
    assert [(state.address, state.kind) for state in states] == [
        (PAGES[0], AnswerKind.REMOVED),
        (PAGES[1], AnswerKind.REFUSED),
        (PAGES[2], AnswerKind.RECEIVED),
    ]


def test_remarks_may_stand_anywhere_and_a_row_with_two_states_is_refused(product: App, notice: str) -> None:
    rows = f"1,已删除,{PAGES[0]},2026-03-09,客服 07\n2,{PAGES[1]},驳回,已删除\n3,HTTPS://copies.example/4,通过"
    result = read_address_states(by(product), notice, rows.encode())
    assert result.kinds == {AnswerKind.REMOVED: 1}
    assert [(refused.row, refused.reason.code) for refused in result.refused] == [
        (2, "notices.unknown_state"),
        (3, "notices.unknown_state"),
    ]


def test_a_row_that_cannot_be_read_is_refused_with_its_number_and_the_rest_is_stored(product: App, notice: str) -> None:
    rows = (
        f"{PAGES[0]},已处理\nhttps://other.example/,已删除\n{PAGES[1]},未删除\n{PAGES[3]},\n{PAGES[2]},已删除\n备注,无"
    )
    result = read_address_states(by(product), notice, rows.encode())
    assert [(refused.row, refused.reason.code) for refused in result.refused] == [
        (1, "notices.unknown_state"),
        (2, "notices.other_address"),
        (3, "notices.unknown_state"),
        (4, "notices.unknown_state"),
    ]
    assert result.moved == (3,)
    explained = read_address_states(
        by(product), notice, rows.encode(), words={"已处理": AnswerKind.REMOVED}, move=False
    )
    assert (explained.kinds, explained.moved) == ({AnswerKind.REMOVED: 2}, ())


def test_a_later_file_replaces_what_it_names_and_leaves_the_rest(product: App, notice: str) -> None:
    read_address_states(by(product), notice, f"{PAGES[0]},处理中\n{PAGES[1]},处理中".encode())
    read_address_states(by(product), notice, f"{PAGES[1]},已删除".encode())
    states = product.store.notices.get(notice).address_states
    assert [state.kind for state in states] == [AnswerKind.RECEIVED, AnswerKind.REMOVED]


def test_what_holds_no_state_is_refused_as_a_whole(product: App, notice: str) -> None:
    for content, code in (
        (b"", "notices.no_states"),
        ("标题,结果\n文章,已删除".encode(), "notices.no_states"),
        (b"x\n" * (MAX_STATE_ROWS + 1), "notices.many_states"),
        (b"PK\x03\x04" + bytes(range(128, 256)) * 40, "csv.not_text"),
    ):
        with pytest.raises(BadInput) as refused:
            read_address_states(by(product), notice, content)
        assert refused.value.message.code == code
    assert product.store.notices.get(notice).address_states == ()


def test_a_notice_that_was_not_sent_and_a_person_without_the_right_get_nothing(product: App, notice: str) -> None:
    with pytest.raises(Forbidden):
        read_address_states(by(product, rights=frozenset({Right.READ})), notice, b"")
    move_case(product.store, "4", CaseStatus.REFUSED, by="沈", reason="x", at=NOW)
    [second] = write_notices(by(product), 4)
    with pytest.raises(BadInput) as refused:
        read_address_states(by(product), second.id, f"{PAGES[3]},已删除".encode())
    assert refused.value.message.code == "notices.states_unsent"
