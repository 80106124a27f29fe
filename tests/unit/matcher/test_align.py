"""The close comparison: passages to the character, whatever was done to them, and nothing where nothing was copied."""

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerprinter.initials.to_initials import to_initials
from matcher.alignment.aligned_span import TextSide
from matcher.alignment.local_alignment import AlignedPassage, align_texts
from matcher.model import Change
from matcher.retrieval.inserted_adverts import places_without_furniture

WORK = (
    "入秋以后，河堤上的芦苇一天比一天白。老邱每天清早沿着堤走到水闸，看一眼水位尺，把数字记在烟盒背面，再慢慢走回来。"
    "他管这座闸管了二十六年，闸门换过两次，人只换过他一个。镇上的孩子喊他闸爷爷，他听了总要纠正：我不是爷爷，我是值班员。"
    "值班室只有一张床、一部电话和一只搪瓷缸。电话是黑色的，拨号盘已经不灵，只能接，不能打。每年汛期，它会响上十几回，"
    "那头的人问水到哪里了，他就把烟盒翻过来念。念完了，那头说一声辛苦，他说一声应该的，两边同时挂断。"
    "有一年水涨得特别快，半夜里电话响了三遍，他都没有接着，因为他正扶着扳手站在闸顶上，把最后一扇门一寸一寸地放下去。"
    "天亮的时候，水退了半尺，镇上的人才知道昨夜发生过什么。有人送来一篮鸡蛋，他收下了，煮熟了分给放学路过的孩子们。"
)
BEFORE = (
    "本站转载的这篇文章来自读者投稿，编辑部只做了格式上的整理，观点不代表本站立场。上周我们去了海边，拍了许多照片。\n"
)
AFTER = "\n如果你也有想说的故事，欢迎写信给我们，地址在页面的最下方。下一期我们聊聊怎样给旧自行车换链条和刹车线。"


def compared(page: str, work: str = WORK) -> list[AlignedPassage]:
    return align_texts(page, to_initials(page), work, to_initials(work))


def the_one(page: str, work: str = WORK) -> tuple[str, str]:
    """Both sides of the only passage."""
    (found,) = compared(page, work)
    one = found.passage
    return page[one.page_start : one.page_end], work[one.work_start : one.work_end]


def test_a_text_finds_itself_whole_and_unchanged() -> None:
    (found,) = compared(WORK)
    one = found.passage
    assert (one.page_start, one.page_end, one.work_start, one.work_end) == (0, len(WORK), 0, len(WORK))
    assert (one.similarity, one.change, found.longest_run) == (1.0, Change.VERBATIM, len(WORK))


@pytest.mark.parametrize("mark", ["\u200b", "\u2060", "\ufeff"])
def test_invisible_marks_that_a_page_strews_in_are_not_counted_as_copied_characters(mark: str) -> None:
    (found,) = compared(mark.join(WORK))
    assert len(WORK) - 1 <= found.longest_run <= len(WORK)


@pytest.mark.parametrize(("start", "length"), [(60, 80), (0, 120), (117, 200), (200, len(WORK) - 200)])
def test_a_passage_inside_another_text_is_found_to_the_character(start: int, length: int) -> None:
    passage = WORK[start : start + length]
    page_side, work_side = the_one(BEFORE + passage + AFTER)
    assert (page_side, work_side) == (passage, passage)


def test_furniture_behind_all_clauses_is_passed_over_and_still_no_untouched_text() -> None:
    clauses = re.findall(r"[^，。：；]+[，。：；]", WORK)
    page = BEFORE + "".join(f"{clause}【手机请到本站阅读全文】" for clause in clauses) + AFTER
    letters = to_initials(page)
    kept = places_without_furniture(letters.codes)
    assert kept is not None
    (found,) = align_texts(page, letters, WORK, to_initials(WORK), kept=kept)
    assert page[found.passage.page_start :].startswith(clauses[0])
    assert page[: found.passage.page_end].rstrip("】").endswith(("阅读全文", clauses[-1]))
    assert (found.passage.work_start, found.passage.work_end) == (0, len(WORK))
    assert found.longest_run <= max(map(len, clauses))
    assert found.passage.similarity < 0.75


def test_characters_of_the_same_sound_do_not_hide_a_passage() -> None:
    passage = WORK[117:217]
    sounds = str.maketrans(
        "床部电话搪瓷缸黑色拨号接打每年汛期水哪烟盒念说声辛苦挂断",
        "窗布店画糖词刚嘿涩波浩皆大美念训七睡那严和年硕升心哭瓜短",
    )
    page_side, work_side = the_one(BEFORE + passage.translate(sounds) + AFTER)
    assert work_side == passage
    assert page_side == passage.translate(sounds)


def test_sentences_in_another_order_stay_one_passage() -> None:
    sentences = [part + "。" for part in WORK.split("。") if part]
    shuffled = sentences[2:7]
    random.Random(4).shuffle(shuffled)
    page_side, work_side = the_one(BEFORE + "".join(shuffled) + AFTER)
    assert sorted(page_side) == sorted("".join(shuffled))
    assert work_side == "".join(sentences[2:7])


def test_adverts_between_clauses_leave_one_passage() -> None:
    clauses = WORK[: WORK.index("电话是黑色的")].split("，")
    copied = "，【请牢记本站网址，更新最快的书库】".join(clauses)
    (found,) = compared(BEFORE + copied + AFTER)
    one = found.passage
    assert one.page_start == len(BEFORE)
    assert one.work_start == 0
    assert abs(one.page_end - len(BEFORE) - len(copied)) <= 2
    assert found.agreeing >= 100
    assert one.change is Change.LIGHT


def test_a_long_advert_behind_each_sentence_leaves_one_passage_for_it_recurs() -> None:
    advert = (
        "（温馨提示：方向键左右可以翻页，回车返回目录。如果您喜欢本站，请把它推荐给您的朋友，"
        "让更多的人加入到我们的阅读大家庭里来，您的支持就是我们最大的动力，谢谢大家长期以来的厚爱。）"
    )
    (found,) = compared(BEFORE + WORK.replace("。", "。" + advert) + AFTER)
    assert (found.passage.work_start, found.passage.work_end) == (0, len(WORK))


def with_other_words(start: int, end: int) -> str:
    """The work, so much of it in characters that it does not have."""
    return WORK[:start] + "".join(chr(0x4E00 + 37 * place % 4096) for place in range(end - start)) + WORK[end:]


def test_a_rewritten_middle_leaves_one_passage() -> None:
    (found,) = compared(BEFORE + with_other_words(117, 167) + AFTER)
    assert (found.passage.work_start, found.passage.work_end) == (0, len(WORK))


def test_a_middle_that_is_not_copied_parts_two_passages_however_much_lies_on_both_sides() -> None:
    found = [one.passage for one in compared(BEFORE + with_other_words(117, 217) + AFTER)]
    assert [(one.work_start, one.work_end) for one in found] == [(0, 117), (217, len(WORK))]


@pytest.mark.parametrize(
    "line", ["我们一起走过春天秋天直到永远，", "姓名：＿＿ 性别：男 女 年龄：＿ 住址：＿＿＿ 电话：＿＿＿\n"]
)
def test_a_text_that_only_repeats_itself_is_found(line: str) -> None:
    (found,) = compared(BEFORE + line * 60, line * 90)
    assert found.passage.page_end - found.passage.page_start >= 0.9 * 60 * len(line.strip())


def test_adverts_in_a_shuffled_passage_leave_one_passage() -> None:
    sentences = [part + "。" for part in WORK.split("。") if part]
    random.Random(9).shuffle(sentences)
    copied = "".join(sentence + "【请牢记本站网址，更新最快的书库，手机也能看】" for sentence in sentences)
    (found,) = compared(BEFORE + copied + AFTER)
    assert (found.passage.work_start, found.passage.work_end) == (0, len(WORK))
    assert found.agreeing >= 270


def test_both_sides_are_treated_alike() -> None:
    page = BEFORE + WORK[40:200] + AFTER + WORK[210:300]
    there = [one.passage for one in compared(page)]
    back = [one.passage for one in compared(WORK, page)]
    assert [(one.page_start, one.page_end, one.work_start, one.work_end) for one in there] == [
        (one.work_start, one.work_end, one.page_start, one.page_end) for one in back
    ]


def test_a_sentence_left_out_leaves_one_passage() -> None:
    cut = WORK.index("值班室"), WORK.index("电话是黑色的")
    page_side, work_side = the_one(BEFORE + WORK[: cut[0]] + WORK[cut[1] :] + AFTER)
    assert page_side == WORK[: cut[0]] + WORK[cut[1] :]
    assert work_side == WORK


def test_two_passages_far_apart_are_two() -> None:
    page = WORK[:90] + BEFORE * 3 + WORK[250:340] + AFTER
    found = [one.passage for one in compared(page)]
    assert [(page[one.page_start : one.page_end]) for one in found] == [WORK[:90], WORK[250:340]]


def test_a_passage_copied_twice_is_found_twice() -> None:
    passage = WORK[117:217]
    page = passage + BEFORE * 2 + passage + AFTER
    assert [one.passage.work_start for one in compared(page)] == [117, 117]


def test_code_is_text_too() -> None:
    code = (
        'def wind(level):\n    if level > 12:\n        raise ValueError("no wind")\n    return NAMES[level] + suffix\n'
    )
    work = WORK + "\n" + code + WORK[:40]
    page_side, work_side = the_one(BEFORE + code + AFTER, work)
    assert page_side == work_side
    assert page_side.strip("。\n") == code.strip()


def test_unrelated_texts_share_nothing() -> None:
    assert compared(BEFORE + AFTER) == []


def test_a_short_phrase_is_no_passage() -> None:
    assert compared(BEFORE + "他管这座闸管了二十六年，" + AFTER) == []


@pytest.mark.parametrize("unit", ["a", "啊", "哈哈嘿", "第一条 本法所称的财产，包括动产和不动产。"])
def test_texts_that_only_repeat_themselves_come_to_an_end(unit: str) -> None:
    long, short = unit * (60_000 // len(unit)), unit * (3_000 // len(unit))
    for page, work in ((long, short), (short, long), (short, short)):
        for found in compared(page, work):
            assert 0 <= found.passage.page_start < found.passage.page_end <= len(page)
            assert 0 <= found.passage.work_start < found.passage.work_end <= len(work)


@given(st.text(max_size=120), st.text(max_size=120), st.integers(0, 200), st.integers(40, 200))
def test_any_text_is_compared_and_offsets_stay_inside_it(before: str, after: str, start: int, length: int) -> None:
    page = before + WORK[start : start + length] + after
    for found in compared(page):
        one = found.passage
        assert 0 <= one.page_start < one.page_end <= len(page)
        assert 0 <= one.work_start < one.work_end <= len(WORK)
        assert 0 <= one.similarity <= 1
        assert 0 <= found.exact <= found.agreeing
        assert found.longest_run <= len(page)


EDITS = st.lists(
    st.tuples(
        st.integers(0, len(WORK)),
        st.sampled_from(["", " ", "，\u3000", "在", "闸閘", "A1", "\u200b水", "\n"]),
        st.integers(0, 3),
    ),
    max_size=16,
)


@given(st.text(max_size=9), EDITS, st.integers(0, 200), st.integers(0, 300), st.text(max_size=9))
def test_plain_texts_are_measured_in_one_call_as_step_by_step(
    before: str, edits: list[tuple[int, str, int]], start: int, left_out: int, after: str
) -> None:
    copy = WORK
    for place, put_in, replaced in sorted(edits, reverse=True):
        copy = copy[:place] + put_in + copy[place + replaced :]
    page = before + copy[start : len(copy) - left_out] + after
    at_once = compared(page)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TextSide, "is_plain", False)
        step_by_step = compared(page)
    assert at_once == step_by_step
    assert [one.agreed.tolist() for one in at_once] == [one.agreed.tolist() for one in step_by_step]


@given(st.text(), st.text())
def test_no_pair_of_strings_breaks_it(page: str, work: str) -> None:
    compared(page, work)


@given(st.text(st.characters(exclude_categories=()), max_size=40))
def test_lone_surrogates_and_all_planes_pass_through(noise: str) -> None:
    compared(noise + WORK[:100] + noise, WORK)
