"""The typed runs of a passage: they name what was done, and together they are the two texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerprinter.alphabet import Initials
from fingerprinter.initials.to_initials import to_initials
from matcher.alignment.edits import Edit, EditKind, list_edits
from matcher.model import Change, Passage

WORK = "天亮以前，渡口的灯还亮着，摆渡的老人把缆绳又系紧了一道。国家的船来了，他后来说，那天的风很大。"


def whole(page: str, work: str = WORK) -> Passage:
    return Passage(
        page_start=0, page_end=len(page), work_start=0, work_end=len(work), similarity=1.0, change=Change.LIGHT
    )


def shown(page: str, work: str = WORK) -> list[tuple[EditKind, str, str]]:
    """Each run that is not the same, with both of its sides."""
    return [
        (run.kind, page[run.page_start : run.page_end], work[run.work_start : run.work_end])
        for run in list_edits(page, work, whole(page, work))
        if run.kind is not EditKind.SAME
    ]


SPACED = "\u3000\u3000" + WORK.replace("，", "， ").replace("。", "。\n\u3000\u3000")


@pytest.mark.parametrize(("page", "work"), [(WORK, SPACED), (SPACED, WORK), (SPACED, SPACED.replace("\u3000", "\t"))])
def test_white_space_is_no_change(page: str, work: str) -> None:
    assert {kind for kind, _, _ in shown(page, work)} == {EditKind.SPACE}
    runs = list_edits(page, work, whole(page, work))
    assert "".join(page[run.page_start : run.page_end] for run in runs) == page
    assert "".join(work[run.work_start : run.work_end] for run in runs) == work


def test_beside_white_space_a_change_is_the_same_as_without() -> None:
    page = SPACED.replace("老人", " 青 年").replace("又系紧", "系紧").replace("那天", "那一天")
    assert [found for found in shown(page) if found[0] is not EditKind.SPACE] == [
        (EditKind.REPLACED, "青", "老"),
        (EditKind.REPLACED, "年", "人"),
        (EditKind.DELETED, "", "又"),
        (EditKind.INSERTED, "一", ""),
    ]


def test_an_unchanged_passage_is_one_run() -> None:
    assert list_edits(WORK, WORK, whole(WORK)) == [Edit(EditKind.SAME, 0, len(WORK), 0, len(WORK))]


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (WORK.replace("灯", "登"), [(EditKind.SAME_SOUND, "登", "灯")]),
        (WORK.replace("着", "zhe", 1), [(EditKind.SAME_SOUND, "zhe", "着")]),
        (WORK.replace("缆绳", "纜繩"), [(EditKind.VARIANT, "纜繩", "缆绳")]),
        (WORK.replace("后", "後"), [(EditKind.VARIANT, "後", "后")]),
        (WORK.replace("老人", "青年"), [(EditKind.REPLACED, "青年", "老人")]),
        (WORK.replace("老人", "老人【看书网】"), [(EditKind.INSERTED, "【看书网】", "")]),
        (WORK.replace("又系紧", "系紧"), [(EditKind.DELETED, "", "又")]),
        (WORK.replace("，", ","), [(EditKind.VARIANT, ",", "，")] * 4),
    ],
)
def test_each_kind_of_change_has_its_name(page: str, expected: list[tuple[EditKind, str, str]]) -> None:
    assert shown(page) == expected


def test_a_sentence_that_moved_is_compared_with_its_place() -> None:
    first, second, _ = WORK.split("。")
    page = f"{second}。{first}。"
    assert [(run.kind, run.page_start, run.work_start) for run in list_edits(page, WORK, whole(page))] == [
        (EditKind.SAME, 0, len(first) + 1),
        (EditKind.SAME, len(second) + 1, 0),
    ]


def test_what_is_written_backwards_is_compared_character_by_character_with_what_it_comes_from() -> None:
    work = WORK + "我们后来没有再见过他，但是那些话我们已经记住了。"
    page = work.replace("缆绳", "纜绳").replace("很大", "很大很大")[::-1]
    runs = list_edits(page, work, whole(page, work))
    assert "".join(page[run.page_start : run.page_end] for run in runs) == page
    back = sorted(runs, key=lambda run: (run.work_start, run.work_end))
    assert "".join(work[run.work_start : run.work_end] for run in back) == work
    assert [(run.kind, page[run.page_start : run.page_end]) for run in back if run.kind is not EditKind.SAME] == [
        (EditKind.VARIANT, "纜"),
        (EditKind.INSERTED, "大很"),
    ]


@given(
    st.lists(st.sampled_from([*WORK[:30], "登", "zhong", "國", " ", "\u200b", "x", "ﬁ", "😀"]), max_size=60).map(
        "".join
    )
)
def test_the_runs_are_the_two_texts(page: str) -> None:
    runs = list_edits(page, WORK, whole(page))
    assert "".join(page[run.page_start : run.page_end] for run in runs) == page
    covered = sorted((run.work_start, run.work_end) for run in runs if run.work_start < run.work_end)
    assert [start for start, _ in covered] == [0, *(end for _, end in covered[:-1])]
    assert covered[-1][1] == len(WORK)
    for run in runs:
        if run.kind is EditKind.SPACE:
            assert not (page[run.page_start : run.page_end] + WORK[run.work_start : run.work_end]).strip()
            continue
        assert (run.kind is EditKind.INSERTED) == (run.work_start == run.work_end)
        assert (run.kind is EditKind.DELETED) == (run.page_start == run.page_end)
        if run.kind is EditKind.SAME:
            assert page[run.page_start : run.page_end] == WORK[run.work_start : run.work_end]


def test_only_the_passage_is_compared() -> None:
    page = "别处的话。" + WORK[5:20] + "再一句别处的话。"
    passage = Passage(page_start=5, page_end=20, work_start=5, work_end=20, similarity=1.0, change=Change.VERBATIM)
    assert list_edits(page, WORK, passage) == [Edit(EditKind.SAME, 5, 20, 5, 20)]


def test_a_passage_in_one_piece_is_turned_into_letters_once_on_either_side(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def counting(text: str) -> Initials:
        read.append(text)
        return to_initials(text)

    monkeypatch.setattr("matcher.alignment.edits.to_initials", counting)
    page = WORK.replace("灯", "登")
    assert len(shown(page)) == 1
    assert read == [page, WORK]
