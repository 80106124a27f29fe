"""What is excluded of a case is taken off its figures, of as many cases as was asked for, and can be taken back."""

import json
from collections.abc import Collection
from dataclasses import replace

import pytest

from matcher.alignment.aligned_span import Side, copied_share, count_text
from tests.support.acting import by
from tests.support.seed import MIDDLE, OPENING, PAGE_TEXT, PASSAGES, WORK_TEXT, Seeder, move_case, watched
from wenhen.cases.model import Case, CaseStatus
from wenhen.exclusions.model import Excluded, ExclusionScope
from wenhen.exclusions.service import (
    exclude_from_cases,
    find_case_exclusions,
    may_exclude,
    propose_exclusions,
    reuse_exclusion,
    withdraw_exclusion,
)
from wenhen.kit.errors import BadInput, Conflict, Forbidden, NotFound
from wenhen.kit.rights import Right
from wenhen.runtime.wiring import App

REVIEWER = frozenset(Right) - {Right.PROCEED}
FIRST = (PASSAGES[0].page_start, PASSAGES[0].page_end)
CHANGED = (PASSAGES[1].page_start, PASSAGES[1].page_end)
WHY = "转载双方都引自同一篇旧文"


@pytest.fixture
def three(product: App) -> App:
    """Three cases of one work: two on one watched site, the third elsewhere."""
    seed = Seeder(product.store)
    seed.work()
    product.store.sites.put(watched("抄书网"))
    for url in ("https://copies.example/1", "https://copies.example/2", "https://elsewhere.example/3"):
        seed.case(url)
    return product


def the_case(product: App, number: int = 1) -> Case:
    return product.store.cases.get(str(number))


def shares(product: App) -> list[int]:
    """How many passages each of the cases has."""
    return [len(the_case(product, number).match.passages) for number in (1, 2, 3)]


def test_a_passage_goes_from_its_case_alone_and_comes_back_as_it_was(three: App) -> None:
    before = the_case(three)
    done = exclude_from_cases(by(three), 1, Excluded.PASSAGE, stretch=FIRST, why=WHY)
    after = the_case(three)
    assert done.cases == 1
    [left] = after.match.passages
    assert replace(left, page_characters=None, work_characters=None) == PASSAGES[1]
    assert after.match.share_of_page == copied_share(PASSAGES[1:], Side.PAGE, count_text(PAGE_TEXT))
    assert after.match.share_of_work == copied_share(PASSAGES[1:], Side.WORK, count_text(WORK_TEXT))
    assert after.match.weight < before.match.weight
    assert after.found == before.match
    assert shares(three) == [1, 2, 2]
    assert [one.text for one in find_case_exclusions(three, after)] == [OPENING]
    assert withdraw_exclusion(by(three), done.exclusion.id).cases == 1
    assert (the_case(three).match, the_case(three).found) == (before.match, None)
    assert find_case_exclusions(three, after) == []


def test_for_all_of_the_work_a_passage_is_known_by_the_words_of_the_work(three: App) -> None:
    seed = Seeder(three.store)
    seed.case("https://fourth.example/4", text="甲" + MIDDLE, passages=())
    done = exclude_from_cases(by(three), 1, Excluded.PASSAGE, scope=ExclusionScope.WORK, stretch=CHANGED, why=WHY)
    assert shares(three) == [1, 1, 1]
    assert (done.cases, done.exclusion.text) == (3, MIDDLE)
    withdraw_exclusion(by(three), done.exclusion.id)
    assert shares(three) == [2, 2, 2]


def test_a_block_goes_from_all_cases_of_the_site_whatever_its_script_and_punctuation(three: App) -> None:
    text = OPENING.replace("，", " / ").replace("开花", "開花")
    done = exclude_from_cases(by(three), 2, Excluded.BLOCK, scope=ExclusionScope.SITE, text=text, why=WHY)
    assert done.cases == 2
    assert shares(three) == [1, 1, 2]


def test_what_was_left_out_of_one_case_is_proposed_where_it_is_copied_again_and_goes_from_all(three: App) -> None:
    Seeder(three.store).work("w2")
    Seeder(three.store).case("https://fifth.example/5", work_id="w2")
    one = exclude_from_cases(by(three), 1, Excluded.PASSAGE, stretch=FIRST, why=WHY).exclusion
    exclude_from_cases(by(three), 1, Excluded.SOURCE, why=WHY)
    found = [[other.id for other in propose_exclusions(three, the_case(three, number))] for number in (1, 3, 4)]
    assert found == [[], [one.id], [one.id]], "its own case has it already"
    with pytest.raises(Forbidden):
        reuse_exclusion(by(three, rights=REVIEWER), 3, one.id, scope=ExclusionScope.EVERYWHERE)
    done = reuse_exclusion(by(three), 3, one.id, scope=ExclusionScope.EVERYWHERE)
    assert (done.cases, done.exclusion.text, done.exclusion.why) == (3, OPENING, WHY)
    assert shares(three) == [0, 1, 1]
    assert len(the_case(three, 4).match.passages) == 1
    assert propose_exclusions(three, the_case(three, 4)) == []
    withdraw_exclusion(by(three), done.exclusion.id)
    assert shares(three) == [0, 2, 2]


def test_a_source_goes_with_all_of_its_passages(three: App) -> None:
    exclude_from_cases(by(three), 1, Excluded.SOURCE, why=WHY)
    assert shares(three) == [0, 2, 2]
    assert the_case(three).match.share_of_page == 0
    exclude_from_cases(by(three), 1, Excluded.SOURCE, scope=ExclusionScope.SITE, why=WHY)
    assert shares(three) == [0, 0, 2]


def test_a_lead_of_which_nothing_is_left_is_dismissed_until_the_exclusion_is_withdrawn(three: App) -> None:
    def standing(number: int = 1) -> tuple[str, str | None, str | None]:
        case = the_case(three, number)
        return case.status.value, case.decided_by, case.reason

    move_case(three.store, "2", CaseStatus.CONFIRMED, by="顾", reason=None, at=three.now())
    done = exclude_from_cases(by(three), 1, Excluded.SOURCE, scope=ExclusionScope.SITE, why=WHY)
    assert standing() == ("dismissed", "wenhen", WHY)
    assert standing(2) == ("confirmed", "顾", None), "what a user decided stays"
    assert [entry.subject for entry in three.store.audit.find(action="case.decide")] == ["case:1"]
    withdraw_exclusion(by(three), done.exclusion.id)
    assert standing() == ("lead", "wenhen", None)
    assert [(move.status.value, move.note) for move in the_case(three).history] == [("dismissed", WHY), ("lead", None)]


def test_what_is_excluded_twice_comes_back_when_neither_holds(three: App) -> None:
    one = exclude_from_cases(by(three), 1, Excluded.PASSAGE, stretch=FIRST, why=WHY).exclusion
    both = exclude_from_cases(by(three), 1, Excluded.BLOCK, text=OPENING, scope=ExclusionScope.WORK, why=WHY).exclusion
    withdraw_exclusion(by(three), one.id)
    assert shares(three) == [1, 1, 1]
    withdraw_exclusion(by(three), both.id)
    assert shares(three) == [2, 2, 2]


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"what": Excluded.SOURCE, "why": "  "}, "reason"),
        ({"what": Excluded.SOURCE, "scope": ExclusionScope.WORK}, "remove the work"),
        ({"what": Excluded.BLOCK, "text": "河面"}, "letters"),
        ({"what": Excluded.BLOCK, "text": "这一段话在网页和作品里都没有出现过"}, "neither"),
        ({"what": Excluded.BLOCK}, "letters"),
        ({"what": Excluded.PASSAGE, "stretch": (5, 9_999)}, "no stretch"),
        ({"what": Excluded.PASSAGE, "stretch": (9, 5)}, "no stretch"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_changes(three: App, asked: dict[str, object], told: str) -> None:
    with pytest.raises(BadInput, match=told):
        exclude_from_cases(by(three), 1, **{"why": WHY, **asked})  # type: ignore[arg-type]  # as the parameters say
    assert shares(three) == [2, 2, 2]
    assert three.store.audit.count() == 0


def test_the_same_twice_is_a_conflict(three: App) -> None:
    exclude_from_cases(by(three), 1, Excluded.PASSAGE, stretch=FIRST, why=WHY)
    with pytest.raises(Conflict, match="already"):
        exclude_from_cases(by(three), 1, Excluded.PASSAGE, stretch=FIRST, why="别的理由")
    with pytest.raises(NotFound):
        withdraw_exclusion(by(three), "none")


@pytest.mark.parametrize(
    ("rights", "scope", "allowed"),
    [
        (frozenset({Right.READ}), ExclusionScope.CASE, False),
        (frozenset({Right.PROCEED}), ExclusionScope.WORK, False),
        (REVIEWER, ExclusionScope.CASE, True),
        (REVIEWER, ExclusionScope.WORK, False),
        (REVIEWER, ExclusionScope.SITE, False),
        (frozenset({Right.DECIDE, Right.PROCEED}), ExclusionScope.SITE, True),
    ],
)
def test_more_than_one_case_needs_the_right_to_proceed(
    three: App, rights: Collection[Right], scope: ExclusionScope, allowed: bool
) -> None:
    somebody = by(three, rights=rights)
    assert may_exclude(somebody, scope) is allowed
    made = exclude_from_cases(by(three), 1, Excluded.BLOCK, text=OPENING, scope=scope, why=WHY).exclusion
    if allowed:
        withdraw_exclusion(somebody, made.id)
        exclude_from_cases(somebody, 1, Excluded.BLOCK, text=OPENING, scope=scope, why=WHY)
    else:
        with pytest.raises(Forbidden):
            withdraw_exclusion(somebody, made.id)
        with pytest.raises(Forbidden):
            exclude_from_cases(somebody, 1, Excluded.BLOCK, text=MIDDLE, scope=scope, why=WHY)


def test_the_log_says_what_was_excluded_why_and_that_it_was_taken_back(three: App) -> None:
    made = exclude_from_cases(by(three), 1, Excluded.PASSAGE, stretch=FIRST, why=WHY).exclusion
    withdraw_exclusion(by(three), made.id)
    back, out = three.store.audit.find()
    assert (out.action, back.action, out.subject) == ("case.exclude", "case.include", "case:1")
    told = {"what": "passage", "scope": "case", "text": OPENING, "why": WHY}
    assert (json.loads(out.new or ""), json.loads(back.old or "")) == (told, told)


def test_without_its_texts_a_case_keeps_its_figures(three: App) -> None:
    Seeder(three.store).case("https://copies.example/lost", page_text_digest="0" * 64)
    exclude_from_cases(by(three), 1, Excluded.BLOCK, scope=ExclusionScope.WORK, text=OPENING, why=WHY)
    assert len(the_case(three, 4).match.passages) == 2
