"""A notice: written about all copies of a site and its mirrors, in its receiver's shape, agreed to, sent, answered."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

import pytest

from tests.support.acting import by
from tests.support.holders import paper, ready_holder, sent
from tests.support.seed import NOW, WORK_TEXT, Seeder
from wenhen.cases.decisions import decide_cases, undo_decision
from wenhen.cases.model import CaseStatus, Lawsuit
from wenhen.holders.model import PaperKind
from wenhen.holders.service import rename_holder
from wenhen.kit.clock import china_day
from wenhen.kit.errors import BadInput, Conflict, Forbidden
from wenhen.kit.rights import Right
from wenhen.notices import content, drafting
from wenhen.notices.content import find_outdated_figures
from wenhen.notices.drafting import approve_notice, edit_notice, get_unsent_notice, remove_notice, write_notices
from wenhen.notices.due_tasks import ToDo, group_tasks, list_tasks
from wenhen.notices.model import AnswerKind, Notice, NoticeLaw, Platform
from wenhen.notices.platforms import find_platform, get_platform, reset_platform, set_platform
from wenhen.notices.sending import find_case_notices, record_answer
from wenhen.runtime.wiring import App


def statuses(product: App) -> list[str]:
    return [str(case.status) for _, case in sorted(product.store.cases.many([1, 2, 3]).items())]


def test_a_site_and_its_mirrors_get_one_letter_that_says_what_article_14_asks_for(confirmed: App) -> None:
    [notice] = write_notices(by(confirmed), 3)
    assert (notice.id, notice.case_numbers, notice.law) == ("2026-0001", (1, 2, 3), NoticeLaw.CHINA)
    assert notice.hosts == ("copies.example", "m.copies.example")
    for words in (
        "编号：2026-0001",
        "致：copies.example 的网络服务提供者",
        "姓名（名称）：河岸文艺社",
        "证件号码：91110105MA00000000",
        "地址：北京市朝阳区 1 号",
        "代理人：渡口律师事务所",
        "1. 《修船的老人》，作者 沈之遥，首次发表 2025-11-02，证明：国作登字-2025-A-0001\n\n三、",
        "1. https://copies.example/1\n   案件 #1，",
        "3. https://m.copies.example/1\n",
        "authority 2025-A-0001",
        "权利人对本通知书的真实性负责",
        "日期：2026-03-06",
    ):
        assert words in notice.text, words
    with pytest.raises(BadInput, match="Nothing is left"):
        write_notices(by(confirmed), 1)


def test_a_letter_of_the_dmca_has_its_six_elements(confirmed: App) -> None:
    [notice] = write_notices(by(confirmed), 1, "google")
    elements = ("Signed:", "“修船的老人”", "copies.example/2", "010-1234567", "good faith belief", "penalty of perjury")
    assert "proof of it: 国作登字-2025-A-0001" in notice.text
    assert all(one in notice.text for one in elements)
    assert (notice.to, notice.days) == ("Google", 14)


def test_a_receiver_that_somebody_chose_is_addressed_by_its_name_and_a_site_without_one_in_the_letters_language(
    confirmed: App,
) -> None:
    set_platform(by(confirmed), Platform(id="cdn", name="Wide CDN, Inc.", law=NoticeLaw.DMCA))
    [notice] = write_notices(by(confirmed), 1, "cdn")
    assert "To: the designated agent of Wide CDN, Inc.\n" in notice.text
    remove_notice(by(confirmed), notice.id)
    set_platform(by(confirmed), replace(get_platform(confirmed, "plain"), law=NoticeLaw.DMCA))
    [notice] = write_notices(by(confirmed), 1)
    assert "To: the designated agent of the service provider of copies.example\n" in notice.text


def test_a_letter_never_rounds_a_share_up_to_the_whole(confirmed: App) -> None:
    nearly = replace(confirmed.store.cases.get("1").match, share_of_work=0.9996)
    confirmed.store.cases.open_or_update(replace(confirmed.store.cases.get("1"), match=nearly))
    [notice] = write_notices(by(confirmed), 1)
    assert ("占作品 99.9%，" in notice.text, "100" in notice.text) == (True, False)


def test_a_holder_who_acts_alone_signs_a_letter_of_the_dmca(confirmed: App) -> None:
    confirmed.store.holders.put(replace(confirmed.store.holders.get("河岸文艺社"), acts_itself=True))
    [notice] = write_notices(by(confirmed), 1, "google")
    assert "Signed: 河岸文艺社\n" in notice.text


def test_no_notice_holds_more_links_than_its_receiver_takes(confirmed: App) -> None:
    set_platform(by(confirmed), Platform(id="narrow", name="窄", hosts=("copies.example",), links=2, days=3))
    written = write_notices(by(confirmed), 1)
    assert [(one.id, one.case_numbers) for one in written] == [("2026-0001", (1, 2)), ("2026-0002", (3,))]


def test_a_notice_finds_its_holder_s_copies_behind_those_of_others_and_what_one_letter_cannot_bear_has_the_next(
    confirmed: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    seed = Seeder(confirmed.store)
    seed.work("other", owner="另一家")
    for number in range(4, 9):
        seed.case(f"https://copies.example/{number}", work_id="other")
    decide_cases(by(confirmed), range(4, 9), CaseStatus.CONFIRMED)
    monkeypatch.setattr(content, "_SUBJECT_BATCH_SIZE", 2)
    monkeypatch.setattr(content, "MAX_COPIES_PER_NOTICE", 2)
    written = write_notices(by(confirmed), 1)
    assert [one.case_numbers for one in written] == [(1, 2), (3,)]
    with pytest.raises(BadInput, match="Nothing is left"):
        write_notices(by(confirmed), 1)


def test_what_was_sent_moves_its_cases_and_stays_as_it_was(confirmed: App) -> None:
    [notice] = write_notices(by(confirmed), 1)
    edited = edit_notice(by(confirmed), notice.id, text="改写过的函", days=10)
    gone = sent(confirmed, edited)
    assert (gone.text, gone.deadline) == ("改写过的函\n", NOW + timedelta(days=10))
    assert statuses(confirmed) == ["notice_sent"] * 3
    case = confirmed.store.cases.get("2")
    assert (case.deadline, case.reason) == (NOW + timedelta(days=10), "2026-0001")
    with pytest.raises(Conflict, match="was sent"):
        edit_notice(by(confirmed), notice.id, text="再改", days=7)
    with pytest.raises(Conflict, match="was sent"):
        remove_notice(by(confirmed), notice.id)
    file = ("反通知.pdf", b"%PDF")
    kept = record_answer(by(confirmed), notice.id, AnswerKind.COUNTER_NOTICE, "称已获授权", file=file)
    assert [(one.kind, one.text, one.file_name) for one in kept.answers] == [
        (AnswerKind.COUNTER_NOTICE, "称已获授权", "反通知.pdf")
    ]


def test_a_notice_that_is_sent_just_as_somebody_throws_it_away_stays(
    confirmed: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    [notice] = write_notices(by(confirmed), 1)

    def sent_after(product: App, id: str) -> Notice:
        monkeypatch.setattr(drafting, "get_unsent_notice", get_unsent_notice)  # sending asks for it as well
        found = get_unsent_notice(product, id)
        sent(product, found)
        return found

    monkeypatch.setattr(drafting, "get_unsent_notice", sent_after)
    with pytest.raises(Conflict, match="meanwhile"):
        remove_notice(by(confirmed), notice.id)
    assert confirmed.store.notices.get(notice.id).sent_at == NOW


def test_a_holder_without_papers_writes_and_does_not_send(confirmed: App) -> None:
    ready_holder(confirmed.store, papers=())
    [notice] = write_notices(by(confirmed), 1)
    with pytest.raises(BadInput, match="power of attorney"):
        sent(confirmed, notice)
    assert statuses(confirmed) == ["confirmed"] * 3


def test_where_two_persons_are_asked_for_one_alone_sends_nothing(confirmed: App) -> None:
    settings = confirmed.settings
    notice_settings = settings.notice.model_copy(update={"two_persons": True})
    strict = replace(confirmed, settings=settings.model_copy(update={"notice": notice_settings}))
    [notice] = write_notices(by(strict), 1)
    with pytest.raises(BadInput, match="second person"):
        sent(strict, notice)
    with pytest.raises(BadInput, match="Two persons"):
        decide_cases(by(strict), [1], CaseStatus.NOTICE_SENT)
    with pytest.raises(BadInput, match="Another than"):
        approve_notice(by(strict), notice.id)
    approve_notice(by(strict, "沈"), notice.id)
    edit_notice(by(strict), notice.id, text="又改了", days=7)
    with pytest.raises(BadInput, match="second person"):
        sent(strict, notice)
    approve_notice(by(strict, "沈"), notice.id)
    sent(strict, notice)
    assert statuses(strict) == ["notice_sent"] * 3


def test_a_platform_is_set_with_the_day_it_was_checked_and_put_back(product: App) -> None:
    acting = by(replace(product, now=lambda: NOW))
    known = get_platform(product, "weibo")
    assert (known.checked_at, find_platform(product, "m.weibo.cn").id) == (None, "weibo")
    assert find_platform(product, "notweibo.cn").id == "plain"
    assert find_platform(product, "mp.weixin.qq.com").id == "wechat"
    set_platform(acting, replace(known, links=5, mail="ip@weibo.example"), checked=True)
    assert (now := get_platform(product, "weibo")).links == 5
    assert now.checked_at == NOW
    reset_platform(acting, "weibo")
    assert get_platform(product, "weibo") == known
    with pytest.raises(BadInput, match="is no host"):
        set_platform(acting, replace(known, hosts=("a/b",)))
    with pytest.raises(Forbidden, match="platforms"):
        set_platform(by(product, rights={Right.PROCEED}), known)


def test_a_counter_notice_starts_a_clock_of_fifteen_days_and_what_is_due_stands_in_one_list(confirmed: App) -> None:
    acting = by(confirmed)
    [notice] = write_notices(acting, 1)
    assert [one.what for one in list_tasks(confirmed)] == [ToDo.SEND]
    sent(confirmed, notice)
    with pytest.raises(BadInput, match="reason"):
        decide_cases(acting, [1], CaseStatus.COUNTERED)
    decide_cases(acting, [1], CaseStatus.COUNTERED, note="称已获授权")
    confirmed.store.cases.mark_absent([confirmed.store.cases.get("3").id], NOW)
    ready_holder(confirmed.store, papers=(paper(PaperKind.AUTHORITY, days=10),))
    assert [(one.what, one.by and (one.by - NOW).days, one.case) for one in list_tasks(confirmed)] == [
        (ToDo.REMOVED, None, 3),
        (ToDo.ANSWER_DUE, 7, 2),
        (ToDo.ANSWER_DUE, 7, 3),
        (ToDo.PAPER, 9, None),
        (ToDo.COUNTER_DUE, 15, 1),
    ]
    alike = [replace(task, host="a.example") for task in list_tasks(confirmed)]
    assert [(one.first.what, [task.case for task in one.tasks]) for one in group_tasks(alike)] == [
        (ToDo.REMOVED, [3]),
        (ToDo.ANSWER_DUE, [2, 3]),
        (ToDo.PAPER, [None]),
        (ToDo.COUNTER_DUE, [1]),
    ]
    decide_cases(acting, [1], CaseStatus.ESCALATED)
    lawsuit = Lawsuit(court="滨海市临港区人民法院", number="（2026）沪 0199 民初 12 号", filed_at=NOW)
    for wrong in (None, replace(lawsuit, number=" "), replace(lawsuit, filed_at=NOW + timedelta(days=2))):
        with pytest.raises(BadInput, match="court"):
            decide_cases(acting, [1], CaseStatus.COURT, lawsuit=wrong)
    with pytest.raises(BadInput, match="no other decision"):
        decide_cases(acting, [1], CaseStatus.CLOSED, note="撤诉", lawsuit=lawsuit)
    filed = decide_cases(acting, [1], CaseStatus.COURT, lawsuit=lawsuit)
    assert confirmed.store.cases.get("1").reason == f"{lawsuit.court} · {lawsuit.number} · {china_day(NOW)}"
    undo_decision(acting, filed.batch)
    assert confirmed.store.cases.get("1").lawsuit is None
    decide_cases(acting, [1], CaseStatus.COURT, note="简易程序", lawsuit=lawsuit)
    assert ToDo.COUNTER_DUE not in [one.what for one in list_tasks(confirmed)]
    decide_cases(acting, [1], CaseStatus.SETTLED, note="赔偿 3,000 元")
    decide_cases(acting, [1], CaseStatus.CLOSED, note="款已到账")
    case = confirmed.store.cases.get("1")
    assert [str(move.status) for move in case.history][2:] == ["countered", "escalated", "court", "settled", "closed"]
    assert case.lawsuit == lawsuit


def test_each_search_engine_delists_on_its_own_and_moves_no_case(confirmed: App) -> None:
    acting = by(confirmed)
    [notice] = write_notices(acting, 1)
    sent(confirmed, notice)
    decide_cases(acting, [1, 2, 3], CaseStatus.ESCALATED)
    [baidu], [bing] = (write_notices(acting, 1, engine) for engine in ("baidu-search", "bing"))
    assert [one.to for one in (baidu, bing)] == ["百度搜索", "必应 Bing"]
    for one in (baidu, bing):
        sent(confirmed, one)
    assert confirmed.store.cases.get("1").status is CaseStatus.ESCALATED, "the copy is where it was"
    record_answer(acting, baidu.id, AnswerKind.RECEIVED, "已受理")
    due = [(one.what, one.notice, one.by) for one in list_tasks(confirmed) if one.what is ToDo.DELIST_DUE]
    assert due == [
        (ToDo.DELIST_DUE, baidu.id, NOW + timedelta(days=7)),
        (ToDo.DELIST_DUE, bing.id, NOW + timedelta(days=14)),
    ]
    record_answer(acting, baidu.id, AnswerKind.REMOVED, "已断开链接")
    assert [one.notice for one in list_tasks(confirmed) if one.what is ToDo.DELIST_DUE] == [bing.id]


def test_no_copy_is_written_about_twice_to_one_receiver_however_many_notices_name_it(confirmed: App) -> None:
    [first] = write_notices(by(confirmed), 1, "bing")
    crowd(confirmed, first, platform="google")
    with pytest.raises(BadInput, match="Nothing is left"):
        write_notices(by(confirmed), 1, "bing")


def test_a_search_engine_s_term_stays_on_the_list_however_many_notices_were_sent_since(confirmed: App) -> None:
    [notice] = write_notices(by(confirmed), 1, "bing")
    sent(confirmed, notice)
    crowd(confirmed, confirmed.store.notices.get(notice.id), platform="plain")
    assert [one.notice for one in list_tasks(confirmed) if one.what is ToDo.DELIST_DUE] == [notice.id]


def crowd(product: App, notice: Notice, *, platform: str) -> None:
    """Two hundred later notices like this one to another receiver."""
    for number in range(200):
        later = notice.written_at + timedelta(minutes=number + 1)
        product.store.notices.add(replace(notice, id=f"later-{number}", platform=platform, written_at=later))


def test_who_writes_at_the_same_moment_writes_no_second_letter(confirmed: App) -> None:
    def ask(_: int) -> str:
        try:
            return " ".join(one.id for one in write_notices(by(confirmed), 1))
        except (BadInput, Conflict) as error:
            return error.message.code

    with ThreadPoolExecutor(6) as threads:
        answers = set(threads.map(ask, range(6)))
    [written] = confirmed.store.notices.recent()
    assert written.id in answers
    assert answers <= {written.id, "notices.being_written", "notices.in_draft"}
    with pytest.raises(BadInput, match="Nothing is left"):
        write_notices(by(confirmed), 1)


def test_the_text_follows_the_term_of_a_draft_and_the_name_of_its_holder(confirmed: App) -> None:
    [notice] = write_notices(by(confirmed), 1)
    assert "在 7 日内书面答复" in notice.text
    edited = edit_notice(by(confirmed), notice.id, text=notice.text, days=10)
    assert "在 10 日内书面答复" in edited.text
    assert " 7 日内" not in edited.text
    old = confirmed.store.holders.get(notice.holder)
    rename_holder(by(confirmed), old.id, replace(old, id="河岸文化有限公司"))
    [draft] = confirmed.store.notices.recent(holder="河岸文化有限公司")
    assert "\n姓名（名称）：河岸文化有限公司\n" in draft.text
    assert "权利人（签章）：河岸文化有限公司\n" in draft.text
    assert confirmed.store.notices.recent(holder=old.id) == []
    assert sent(confirmed, draft).holder == "河岸文化有限公司"


def test_a_letter_names_a_host_as_people_write_it_and_as_it_is_looked_up(confirmed: App) -> None:
    Seeder(confirmed.store).case("https://xn--1jq370b.example/1")
    decide_cases(by(confirmed), [4], CaseStatus.CONFIRMED)
    [notice] = write_notices(by(confirmed), 4)
    assert "致：书库.example (xn--1jq370b.example) 的网络服务提供者" in notice.text


def test_the_figures_that_a_notice_was_sent_with_stay_beside_those_of_a_newer_version(confirmed: App) -> None:
    [notice] = write_notices(by(confirmed), 1)
    sent(confirmed, notice)
    case = confirmed.store.cases.get("1")
    notices = find_case_notices(confirmed, 1)
    assert find_outdated_figures(case, notices) == [], "nothing has changed"
    seed = Seeder(confirmed.store)
    seed.work(text=WORK_TEXT + "新写的一章，比原来的还长。" * 40, proof="国作登字-2025-A-0001")
    case = seed.case("https://copies.example/1", share=0.4, passages=case.match.passages[:1])
    assert case.number == 1
    [outdated] = find_outdated_figures(case, find_case_notices(confirmed, 1))
    assert (outdated.notice, outdated.sent_at) == ("2026-0001", NOW)
    then, now = outdated.then, outdated.now
    assert (then.work_version, then.share_of_page, then.share_of_work, then.passages) == (1, 0.832, 0.685, 2)
    assert (now.work_version, now.share_of_page, now.share_of_work, now.passages) == (2, 0.4, 0.685, 1)
    assert confirmed.store.notices.get("2026-0001").text == notice.text
    assert find_outdated_figures(confirmed.store.cases.get("2"), notices) == [], "the other cases are as they were"


def test_a_notice_of_an_earlier_release_claims_no_figures(confirmed: App) -> None:
    [notice] = write_notices(by(confirmed), 1)
    gone = sent(confirmed, notice)
    named = tuple(replace(one, figures=None) for one in gone.named)
    confirmed.store.notices.change(gone, replace(gone, named=named))
    case = Seeder(confirmed.store).case("https://copies.example/1", share=0.4)
    assert find_outdated_figures(case, find_case_notices(confirmed, 1)) == []
