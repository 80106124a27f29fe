"""A site's dossier says what its pages say of it, what was taken, and how it met notices."""

from dataclasses import replace
from datetime import timedelta

import pytest

from crawler.extraction.model import ContactKind
from matcher.model import Change, Level, Passage
from tests.support.acting import by
from tests.support.seed import NOW, PASSAGES, Seeder, watched
from wenhen.cases.comments_and_amounts import add_amount
from wenhen.cases.model import AmountKind, CaseDecision, CaseStatus
from wenhen.dossiers.service import load_site_record, make_dossier
from wenhen.kit.errors import NotFound
from wenhen.runtime.wiring import App

FOOT = "<footer>主办单位：河口网络科技有限公司 粤ICP备00000001号</footer>"
LENGTH = sum(one.work_end - one.work_start for one in PASSAGES)


def decide(product: App, number: int, status: CaseStatus, days: float) -> None:
    at = NOW + timedelta(days=days)
    product.store.cases.decide_many(
        [number],
        CaseDecision(status=status, by="沈", at=at, notice_at=at if status is CaseStatus.NOTICE_SENT else None),
        only_from=list(CaseStatus),
        batch=f"{number} {status}",
    )


def test_what_pages_say_is_told_with_the_page_where_it_stands_and_the_servers_they_came_from(product: App) -> None:
    seed = Seeder(product.store)
    seed.work()
    seed.case(beside=FOOT)
    seed.case("https://copies.example/about.html", beside=FOOT + "<p>邮箱 law@copies.example</p>")
    seed.case("https://elsewhere.example/", beside="<p>电话：010-00000000</p>")
    product.store.sites.put(watched("抄书网"))
    found = make_dossier(product, "copies")
    assert [(one.kind, one.value, one.pages) for one in found.stated] == [
        (ContactKind.OPERATOR, "河口网络科技有限公司", 2),
        (ContactKind.ICP, "粤ICP备00000001号", 2),
        (ContactKind.MAIL, "law@copies.example", 1),
    ]
    assert {one.url for one in found.stated} == {"https://copies.example/about.html"}  # it is read before the others
    [server] = found.servers
    assert (server.address, server.pages, server.last_seen) == ("198.51.100.7", 2, NOW - timedelta(hours=3))


def test_what_was_taken_counts_copies_alone_and_those_that_a_person_confirmed_apart(product: App) -> None:
    seed = Seeder(product.store)
    seed.work()
    seed.work("lamp", title="七秒")
    first = seed.case()
    seed.case("https://copies.example/2", work_id="lamp", opened_at=NOW - timedelta(days=9))
    dismissed = seed.case("https://copies.example/3")
    product.store.sites.put(watched("抄书网"))
    decide(product, first.number, CaseStatus.CONFIRMED, 0)
    decide(product, dismissed.number, CaseStatus.DISMISSED, 0)
    found = make_dossier(product, "copies")
    taken = found.taken
    assert (taken.copies, taken.confirmed, len(taken.works), taken.confirmed_works) == (2, 1, 2, 1)
    assert (taken.characters, taken.confirmed_characters) == (2 * LENGTH, LENGTH)
    assert taken.first_seen == NOW - timedelta(days=9)
    assert found.library == 2
    assert (found.pay, found.confirmed_pay) == (2 * LENGTH * 0.08, LENGTH * 0.08)
    assert (found.criminal_works.found, found.criminal_works.named, found.criminal_works.share) == (1, 500, 1 / 500)


def test_the_amounts_of_its_cases_are_summed_by_currency(product: App) -> None:
    seed = Seeder(product.store)
    seed.work()
    for url in ("https://copies.example/1", "https://copies.example/2", "https://elsewhere.example/3"):
        add_amount(by(product), seed.case(url).number, AmountKind.CLAIMED, "1000.25")
    product.store.sites.put(watched("抄书网"))
    [money] = make_dossier(product, "copies").money
    assert (money.currency, money.claimed, money.paid, money.month) == ("CNY", 2000.5, 0, None)


def test_what_a_page_strews_into_a_copy_is_not_counted_as_taken(product: App) -> None:
    seed = Seeder(product.store)
    seed.work()
    strewn = Passage(
        page_start=0, page_end=60, work_start=0, work_end=40, similarity=1.0, change=Change.LIGHT, work_gaps=((10, 15),)
    )
    first = seed.case(passages=(strewn,))
    product.store.sites.put(watched("抄书网"))
    decide(product, first.number, CaseStatus.CONFIRMED, 0)
    found = make_dossier(product, "copies")
    assert (found.taken.characters, found.confirmed_pay) == (35, 2.8)


def test_who_goes_on_after_a_notice_is_a_repeat_offender_and_the_days_to_removal_are_told(product: App) -> None:
    seed = Seeder(product.store)
    seed.work()
    first, second = seed.case(), seed.case("https://copies.example/2")
    product.store.sites.put(watched("抄书网"))
    product.store.mirrors.join("m.copies.example", "copies.example", pages=9, moment=NOW)
    assert make_dossier(product, "copies").mirrors == ("m.copies.example",)
    assert not make_dossier(product, "copies").repeats
    for number, days in ((first.number, 2), (second.number, 6)):
        decide(product, number, CaseStatus.NOTICE_SENT, 0.5)
        decide(product, number, CaseStatus.REMOVED, 0.5 + days)
    product.store.cases.mark_absent([first.id, second.id], NOW + timedelta(days=7))
    told = make_dossier(product, "copies")
    assert (told.taken.noticed, told.taken.removed, told.taken.first_notice) == (2, 2, NOW + timedelta(days=0.5))
    assert (told.taken.days_fastest, told.taken.days_mean, told.taken.days_slowest) == (2, 4, 6)
    assert not told.repeats
    seed.case("https://copies.example/4", opened_at=NOW + timedelta(days=9), level=Level.VERBATIM)
    again = make_dossier(product, "copies")
    assert (again.after_notice, again.repeats) == (1, True)
    of_mirror = seed.case("https://m.copies.example/5", opened_at=NOW + timedelta(days=9))
    record = load_site_record(product, product.store.cases.get(str(of_mirror.number)))
    assert set(record.hosts) == {"copies.example", "m.copies.example"}
    assert (record.copies, record.confirmed, record.after_notice, record.repeats) == (4, 2, 2, True)


def test_a_site_of_which_nothing_is_known_has_an_empty_dossier_and_none_that_is_not_watched(product: App) -> None:
    product.store.sites.put(replace(watched("抄书网"), hosts=("empty.example",)))
    found = make_dossier(product, "copies")
    assert (found.pages_read, found.stated, found.servers, found.taken.works) == (0, (), (), ())
    assert (found.pay, found.repeats, found.taken.first_notice, found.taken.days_mean) == (0, False, None, None)
    with pytest.raises(NotFound):
        make_dossier(product, "nobody")
