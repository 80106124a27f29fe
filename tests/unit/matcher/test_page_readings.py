"""A page that was changed at a steady pace is read as it was before, and a text that nobody changed is not accused."""

from collections.abc import Callable
from functools import partial
from itertools import cycle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerprinter.features.index_features import extract_features
from fingerprinter.initials.to_initials import to_initials
from matcher.alignment.aligned_span import Side, copied_length
from matcher.alignment.character_filling import fill_blanks
from matcher.attribution.align_pair import Comparison, align_pair
from matcher.index.memory_and_file_index import MemoryIndex
from matcher.retrieval.candidates import MIN_LIKELY_SCORE, find_candidates, find_disguised_candidates
from matcher.retrieval.page_readings import BLANK, read_disguised
from wenhen.demo.articles import load_works

WORK = (
    "入秋以后，河堤上的芦苇一天比一天白。老邱每天清早沿着堤走到水闸，看一眼水位尺，把数字记在烟盒背面，再慢慢走回来。"
    "他管这座闸管了二十六年，闸门换过两次，人只换过他一个。镇上的孩子喊他闸爷爷，他听了总要纠正：我不是爷爷，我是值班员。"
    "值班室只有一张床、一部电话和一只搪瓷缸。电话是黑色的，拨号盘已经不灵，只能接，不能打。每年汛期，它会响上十几回，"
    "那头的人问水到哪里了，他就把烟盒翻过来念。念完了，那头说一声辛苦，他说一声应该的，两边同时挂断。"
    "有一年水涨得特别快，半夜里电话响了三遍，他都没有接着，因为他正扶着扳手站在闸顶上，把最后一扇门一寸一寸地放下去。"
    "天亮的时候，水退了半尺，镇上的人才知道昨夜发生过什么。有人送来一篮鸡蛋，他收下了，煮熟了分给放学路过的孩子们。"
)
OTHER_WORKS = (
    "修自行车的摊子摆在邮局门口，一把伞，一个水盆，两只工具箱。师傅姓葛，补胎不用看，手指沿着内胎摸一圈就知道哪里漏气。"
    "放学的孩子排着队等他打气，他收一毛钱，忘带钱的也给打，只是要说一句明天记得。后来街上的自行车少了，他还是每天出摊。",
    "图书馆搬家那个月，我们把六万册书装进纸箱，每箱写上架号和层号。搬到新楼才发现，旧楼的书架比新楼的宽两指，"
    "原来一层能放下的书，现在要放一层半，所有的架号都得重新排过。馆长说不急，先让读者进来，书可以慢慢找到自己的位置。",
)
CLASSICAL = (
    "余少时客于江上，有渔者年七十，发尽白，独居苇舍，日出而钓，日入而息，不与人言。或问其故，曰：吾言于鱼，鱼不我应；吾言于人，"
    "人应而不我信，是以默也。里中有豪家，欲夺其滩以为园，遣仆持金诣之。渔者受金，掷于水中，曰：水受之矣，请问诸水。仆怒，"
    "毁其舟。明日渔者缘岸而钓如故，月余得木于上流，复为一舟，视旧者尤坚。豪家愧之，遂不复言滩事。后十年大水，园舍尽没，"
    "豪家老幼泣于屋上，渔者以舟往，凡七返，皆活之。豪家出金谢，渔者笑指水曰：前所受者，今偿毕矣。言讫鼓棹而去，终不取一钱。"
    "余闻而叹焉：世之默者，岂皆无言哉？盖有待而后言者也。因为之记，以示后之君子，且以自警云。"
)
BEFORE = "编辑部收到许多来信，问上一期说的那座老桥后来怎样了。桥还在，桥头的茶摊也还在，只是卖茶的人换成了她的女儿。\n"
AFTER = "\n下一期我们打算去山里看看，听说那边的柿子已经红了，路也修好了，坐早班车当天可以来回。"
STRANGE = "碟腮凳裹拽缸锣汞瘫薯锈"  # beside nearly no character as in a word

Change = Callable[[str], str]


def put_in(text: str, interval: int, put: str) -> str:
    return "".join(map("".join, zip(pieces(text, interval), cycle(put))))


def pieces(text: str, size: int) -> list[str]:
    return [text[begin : begin + size] for begin in range(0, len(text), size)]


def replace_each(text: str, interval: int, put: str) -> str:
    return "".join(
        piece[:interval] + (next(masks) if len(piece) > interval else "")
        for masks in [cycle(put)]
        for piece in pieces(text, interval + 1)
    )


def leave_out(text: str, period: int) -> str:
    return "".join(piece[: period - 1] for piece in pieces(text, period))


TRICKS: dict[str, Change] = {
    **{f"的 after every {n}": partial(put_in, interval=n, put="的") for n in range(2, 7)},
    **{f"other characters after every {n}": partial(put_in, interval=n, put=STRANGE) for n in range(2, 7)},
    **{f"one character for each behind {n}": partial(replace_each, interval=n, put="口") for n in range(2, 7)},
    **{f"a star for each behind {n}": partial(replace_each, interval=n, put="*") for n in range(2, 7)},
    **{f"every {n}th left out": partial(leave_out, period=n) for n in (3, 4, 5)},
}


def library() -> MemoryIndex:
    index = MemoryIndex()
    index.create(postings=1)
    index.load([(number, extract_features(to_initials(text))) for number, text in enumerate((WORK, *OTHER_WORKS))])
    index.publish()
    return index


def compared(page: str, work: str = WORK) -> Comparison | None:
    letters = to_initials(page)
    return align_pair(
        page, letters, work, to_initials(work), thorough=True, readings=lambda: read_disguised(page, letters)
    )


@pytest.mark.parametrize("trick", TRICKS)
def test_a_copy_that_was_changed_at_a_steady_pace_is_retrieved_and_aligned_whole(trick: str) -> None:
    changed = TRICKS[trick](WORK)
    page = BEFORE + changed + AFTER
    letters = to_initials(page)
    index = library()
    usual = {
        ranked.number for ranked in find_candidates(letters, index, documents=3) if ranked.score >= MIN_LIKELY_SCORE
    }
    otherwise = {
        ranked.number for ranked in find_disguised_candidates(read_disguised(page, letters), index, documents=3)
    }
    assert 0 in usual | otherwise
    found = compared(page)
    assert found is not None
    assert found.accuse
    covered = np.zeros(len(page), np.bool_)
    for passage in found.passages:
        covered[passage.page_start : passage.page_end] = True
    inside = covered[len(BEFORE) : len(BEFORE) + len(changed)]
    assert inside.mean() >= 0.9
    assert covered.sum() - inside.sum() <= 8


@pytest.mark.parametrize("interval", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("put", ["的", STRANGE])
def test_what_was_put_in_is_a_gap_and_counts_as_copied_on_neither_side(interval: int, put: str) -> None:
    changed = put_in(WORK, interval, put)
    found = compared(BEFORE + changed + AFTER)
    assert found is not None
    copied = copied_length(found.passages, Side.PAGE)
    assert 0.9 * len(WORK) <= copied <= len(WORK) + 8
    assert copied_length(found.passages, Side.WORK) >= 0.9 * len(WORK)


def test_classical_prose_is_retrieved_without_every_third_character() -> None:
    index = MemoryIndex()
    index.create(postings=1)
    texts = (CLASSICAL, WORK, *OTHER_WORKS)
    index.load([(number, extract_features(to_initials(text))) for number, text in enumerate(texts)])
    index.publish()
    page = BEFORE + leave_out(CLASSICAL, 3) + AFTER
    letters = to_initials(page)
    ranked = find_disguised_candidates(read_disguised(page, letters), index, documents=len(texts))
    assert 0 in {document.number for document in ranked}
    found = compared(page, CLASSICAL)
    assert found is not None
    assert found.accuse


@pytest.mark.parametrize("period", [3, 4, 5])
def test_what_was_left_out_is_a_gap_of_the_work(period: int) -> None:
    found = compared(BEFORE + leave_out(WORK, period) + AFTER)
    assert found is not None
    assert copied_length(found.passages, Side.WORK) <= (1 - 0.8 / period) * len(WORK)


@pytest.mark.parametrize("text", [BEFORE + AFTER, *OTHER_WORKS])
def test_a_text_of_its_own_is_accused_under_no_reading(text: str) -> None:
    letters = to_initials(text)
    index = library()
    for ranked in find_disguised_candidates(read_disguised(text, letters), index, documents=3):
        work = (WORK, *OTHER_WORKS)[ranked.number]
        assert work == text or not (found := compared(text, work)) or not found.accuse
    assert not (found := compared(text)) or not found.accuse


def test_latin_letters_between_characters_are_read_as_the_initials_that_they_may_be() -> None:
    text = "河堤s的芦w一t比一天b。老q每天q早沿z堤z到水z，看y眼s位c，把s字j在y盒b面。"
    meant = "河堤上的芦苇一天比一天白。老邱每天清早沿着堤走到水闸，看一眼水位尺，把数字记在烟盒背面。"
    readings = read_disguised(text, to_initials(text))
    assert any(reading.letters.codes.tolist() == to_initials(meant).codes.tolist() for reading in readings)


def test_stars_in_place_of_characters_are_blanks() -> None:
    text = replace_each(WORK, 4, "*")
    reading = read_disguised(text, to_initials(text))[0]
    assert [text[start] for start in reading.letters.starts[reading.blank].tolist()] == ["*"] * text.count("*")


@given(st.lists(st.integers(0, 20) | st.just(BLANK), max_size=60), st.lists(st.integers(0, 20), max_size=60))
def test_filling_changes_nothing_but_blanks(page: list[int], work: list[int]) -> None:
    codes = np.array(page, np.uint8)
    filled = fill_blanks(codes, np.array(work, np.uint8))
    assert (filled == codes)[codes != BLANK].all()


def fill_slowly(page: list[int], work: list[int]) -> list[int]:
    """Fill blanks as `fill_blanks` describes it, with each seed looked for in the whole work."""

    def shape(begin: int) -> tuple[int, ...]:
        letters = [step for step in range(16) if begin + step < len(page) and page[begin + step] != BLANK]
        return tuple(letters[:5]) if letters[:1] == [0] and len(letters) >= 5 else ()

    def grow(i: int, j: int, step: int) -> tuple[int, int]:
        score = best = consumed = length = 0
        while 0 <= i < len(page) and 0 <= j < len(work) and score >= best - 16:
            length += 1
            if page[i] != BLANK:
                score += 2 if page[i] == work[j] else -3
                if score > best:
                    best, consumed = score, length
            i, j = i + step, j + step
        return consumed, best

    filled, scores, grown = list(page), [0] * len(page), dict[int, int]()
    shapes = [shape(begin) for begin in range(len(page))]
    usable = set(shapes) - {(), (0, 1, 2, 3, 4)}
    for offsets in sorted(usable, key=lambda steps: sum(1 << step for step in steps))[:16]:
        for i in (place for place, each in enumerate(shapes) if each == offsets):
            same = [
                j for j in range(len(work) - offsets[-1]) if all(page[i + step] == work[j + step] for step in offsets)
            ]
            for j in same[::-1][:16]:
                if grown.get(j - i, -1) >= i:
                    continue
                (right, right_score), (left, left_score) = grow(i, j, 1), grow(i - 1, j - 1, -1)
                grown[j - i] = i + right
                score = right_score + left_score
                for step in range(-left, right) if score >= 20 else ():
                    if page[i + step] == BLANK and scores[i + step] < score:
                        scores[i + step], filled[i + step] = score, work[j + step]
    return filled


@given(st.data())
def test_blanks_are_filled_as_by_a_search_of_the_whole_work(data: st.DataObject) -> None:
    work = data.draw(st.lists(st.integers(0, 3), max_size=90))
    begin = data.draw(st.integers(0, len(work)))
    page = [
        BLANK if data.draw(st.integers(0, 5)) == 0 else letter
        for letter in [*data.draw(st.lists(st.integers(0, 3), max_size=9)), *work[begin : begin + 50]]
    ]
    filled = fill_blanks(np.array(page, np.uint8), np.array(work, np.uint8))
    assert filled.tolist() == fill_slowly(page, work)


def test_blanks_are_filled_where_the_letters_around_them_agree() -> None:
    work = np.arange(60, dtype=np.uint8) % 20
    page = work.copy()
    page[2::5] = BLANK
    assert fill_blanks(page, work).tolist() == work.tolist()
    assert (fill_blanks(page, work[::-1].copy())[2::5] == BLANK).all()


def test_few_texts_that_nobody_changed_are_read_in_another_way() -> None:
    texts = [draft.text[:1000] for draft in load_works().values()]
    read = sum(bool(read_disguised(text, to_initials(text))) for text in texts)
    assert read <= len(texts) / 4
