"""What letters do not show: a page told after a work in other words, and what speaks against it."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from matcher.index.memory_and_file_index import MemoryIndex
from matcher.paraphrase.evidence import Evidence, Portion, weigh_evidence
from matcher.paraphrase.plain_characters import Background, PlainText, learn_background, to_plain_text
from matcher.paraphrase.rare_word_retrieval import (
    DOCUMENT_CHARACTERS,
    POSITION_CHARACTERS,
    extract_rare_words,
    retrieve_documents,
)
from matcher.paraphrase.suspicions import (
    AlignedSentences,
    PlacedWork,
    Suspicion,
    covered_portions,
    find_suspicions,
    make_near_suspect_test,
    pair_sentences,
    retelling_kind,
    share_in_order,
    share_retold,
    suspicion_reasons,
    weigh_works,
)
from tests.support.quality.rewritings import few_rewritings

NEWS = next(one for one in few_rewritings() if one.genre == "news")
OTHER_REPORT = (
    "接到消息，镇政府用两个小时把一千四百位村民送走，天还没亮，石门水库就打开闸门排洪了。操场上连夜立着帐篷，有八十顶。"
    "郑海棠介绍，柳溪镇的堤坝一处渗水也没有；青苇江最高十一米六，超出去年四十厘米，下午五点撤销了警报。三支医疗队赶来时，"
    "人都在安全的地方。"
)
FOREIGN = "窗台上的猫打了个哈欠，把尾巴盘成一个圈，继续睡它的午觉。" * 8


@cache
def background() -> Background:
    """Of Chinese at large."""
    return learn_background(())


def told(page: str, work: str = NEWS.original) -> list[Suspicion]:
    """The suspicions of a page against one work, wholly in view."""
    mine, theirs = to_plain_text(page), to_plain_text(work)
    return among(mine, [PlacedWork("work", theirs, Portion(0, 200), Portion(0, 200))])


def among(page: PlainText, pairs: list[PlacedWork]) -> list[Suspicion]:
    """The suspicions of a page against these works."""
    return find_suspicions(page, weigh_works(page, pairs, background()), background())


def evidence(page: str, work: str = NEWS.original) -> Evidence:
    mine, theirs = to_plain_text(page), to_plain_text(work)
    places = Portion(0, min(200, len(mine))), Portion(0, min(200, len(theirs)))
    return weigh_evidence(mine, theirs, *places, background())


@pytest.mark.parametrize(
    ("digits", "han"),
    [("3", "三"), ("10", "十"), ("23", "二十三"), ("105", "一百〇五"), ("350", "三百五十"), ("2013", "二〇一三")],
)
def test_a_number_is_written_as_it_is_read(digits: str, han: str) -> None:
    assert to_plain_text(digits).text == han


@given(st.text(alphabet="风雪漢字两AaＺ0123456789。，\n \U0001f600", max_size=60))
def test_every_character_knows_its_place_in_the_original(text: str) -> None:
    read = to_plain_text(text)
    assert len(read.starts) == len(read.text) + 1 == len(read.codes) + 1
    assert read.starts[-1] == len(text)
    assert np.all(np.diff(read.starts) >= 0)
    for code, start in zip(read.codes.tolist(), read.starts.tolist(), strict=False):
        assert bool(code) == text[start].isalnum()


def test_script_case_and_the_writing_of_numbers_make_no_difference() -> None:
    assert to_plain_text("兩條河，23人乘iPhone").text == to_plain_text("二条河，二十三人乘IPHONE").text


def test_a_text_whose_every_sentence_was_rewritten_is_suspected_and_one_on_its_subject_is_not() -> None:
    assert [one.id for one in told(NEWS.sentences)] == ["work"]
    assert told(NEWS.same) == []


def test_nothing_is_suspected_of_a_text_without_words() -> None:
    assert told("") == told("？！\n") == []


def test_what_the_page_repeats_elsewhere_is_its_subject_and_tells_little() -> None:
    [alone] = told(NEWS.sentences + FOREIGN)
    names = "青苇江畔的柳溪镇，石门水库，郑海棠。"
    repeated = told(NEWS.sentences + FOREIGN + names * 6)
    assert all(one.evidence.words < alone.evidence.words for one in repeated)


def test_what_the_work_repeats_elsewhere_is_its_subject_and_tells_little() -> None:
    [alone] = told(NEWS.sentences, NEWS.original + FOREIGN)
    names = "青苇江畔的柳溪镇，石门水库，郑海棠。"
    [repeated] = told(NEWS.sentences, NEWS.original + FOREIGN + names * 6)
    assert alone.evidence.elsewhere < repeated.evidence.elsewhere
    assert repeated.evidence.score < alone.evidence.score
    [far] = told(NEWS.sentences, NEWS.original + FOREIGN * 20 + names * 6)
    assert far.evidence.score == alone.evidence.score


def test_a_number_that_the_work_does_not_have_speaks_against() -> None:
    same, other = evidence(NEWS.sentences), evidence(NEWS.sentences.replace("四十厘米", "七十八厘米"))
    assert other.different == ("七十八",)
    assert other.score < same.score


def test_two_wordings_with_the_same_characters_are_alike_unless_their_numbers_differ() -> None:
    apart = "镇长郑海棠又说，堤坝今年加固过，一处渗水也没有，" + "柳溪镇，青苇江，石门水库，帐篷。" * 2
    work, moved = "".join((NEWS.original[:90], apart)), "".join((apart, NEWS.original[:90]))
    alike = evidence(moved, work)
    assert alike.likeness > 0.9 > evidence(FOREIGN, work).likeness
    assert evidence(work, moved).likeness == pytest.approx(alike.likeness)
    assert alike.score > alike._replace(likeness=0.0).score
    forms = alike._replace(different=("七十八", "二〇一九"))
    assert forms.score == forms._replace(likeness=0.0).score


def test_a_second_text_that_is_nearly_as_close_takes_the_suspicion_away_and_an_edition_does_not() -> None:
    page = to_plain_text(NEWS.sentences)
    here = Portion(0, 200)
    one = PlacedWork("one", to_plain_text(NEWS.original), here, here)
    edition = replace_text(one, "edition", NEWS.original.replace("好在", "所幸"))
    other = replace_text(one, "other", OTHER_REPORT)
    assert [found.rival for found in among(page, [one, edition])] == [0]
    assert among(page, [one, other]) == []


def test_further_works_are_asked_for_near_what_is_suspect_alone() -> None:
    page = to_plain_text(NEWS.sentences + FOREIGN)
    one = PlacedWork("one", to_plain_text(NEWS.original), Portion(0, 200), Portion(0, 200))
    near = make_near_suspect_test(page, weigh_works(page, [one], background()))
    assert near
    assert near(Portion(100, 280))
    assert not near(Portion(400, 580))
    foreign = replace_text(one, "foreign", FOREIGN)
    assert make_near_suspect_test(page, weigh_works(page, [foreign], background())) is None


def replace_text(placed: PlacedWork, id: str, text: str) -> PlacedWork:
    return placed._replace(id=id, work=to_plain_text(text))


def test_sentences_that_share_words_are_drawn_together_at_their_places_in_the_originals() -> None:
    page, work = "开头。" + NEWS.sentences.replace("一千四百", "1400"), NEWS.original
    [found] = told(page)
    pairs = pair_sentences(to_plain_text(page), found.work, found.evidence)
    ahead = next(pair for pair in pairs if any("郑海棠" in word for word in pair.words))
    assert page[slice(*ahead.page)].startswith("据副镇长郑海棠介绍")
    assert work[slice(*ahead.work)].startswith("副镇长郑海棠说")
    mine, theirs = covered_portions(pairs)
    assert 0 <= mine.begin < mine.end <= len(page)
    assert 0 <= theirs.begin < theirs.end <= len(work)
    assert 0 < share_retold(pairs, found.work, found.evidence) <= 1
    assert share_in_order(pairs) == 1


def test_the_reasons_say_what_a_panel_of_editors_weighs_and_what_speaks_against() -> None:
    page = NEWS.sentences.replace("四十厘米", "七十八厘米")
    [found] = told(page)
    pairs = pair_sentences(to_plain_text(page), found.work, found.evidence)
    keys = dict(one.split(":") for one in suspicion_reasons(pairs, found._replace(rival=2.0)))
    assert {"theme", "structure", "order", "wording", "differing", "rival"} <= keys.keys()
    assert keys["differing"] == "七十八"
    assert "石门水库" in keys["theme"]


def pair(page: tuple[int, int], work: tuple[int, int]) -> AlignedSentences:
    return AlignedSentences(Portion(*page), Portion(*work), ("水库",))


def test_the_first_reason_is_the_kind_of_rewriting() -> None:
    [found] = told(NEWS.sentences)
    pairs = pair_sentences(to_plain_text(NEWS.sentences), found.work, found.evidence)
    assert suspicion_reasons(pairs, found)[0].startswith("retold_sentences:")
    part = found.evidence.work
    numbers = range(len(NEWS.original))
    third = [(part.begin + at, part.begin + at + 30) for at in (0, 30, 60)]
    summary = [pair((0, 20), third[0]), pair((20, 40), third[2])]
    assert retelling_kind(summary, found) == "retold_summary:0.44"
    assert retelling_kind([pair((0, 30), third[0])], found).startswith("retold_anew:0.")
    every = [(number, number + 1) for number in numbers[:40]]
    reordered = [pair((2 * at, 2 * at + 2), work) for at, work in enumerate(every[::-1])]
    assert retelling_kind(reordered, found) == "retold_reordered:0.00"
    assert retelling_kind([], found) == ""


def test_rare_words_find_the_work_and_the_place_in_it() -> None:
    far = FOREIGN * 6
    works = [FOREIGN, far + NEWS.original, NEWS.same]
    index = MemoryIndex()
    index.create(postings=1)
    index.load((number, extract_rare_words(to_plain_text(text))[0]) for number, text in enumerate(works))
    index.publish()
    [words] = extract_rare_words(to_plain_text(NEWS.anew))
    [[best, *_]] = retrieve_documents(index, [words])
    assert best.number == 1
    assert abs(best.work.begin - len(far)) < 200
    assert retrieve_documents(index, [words], min_weight=best.weight * 0.99)[0][0] == best
    assert retrieve_documents(index, [words], min_weight=best.weight * 1.01) == [[]]


def test_a_text_longer_than_a_document_of_the_index_is_cut_into_pieces() -> None:
    text = "石门水库" + "的" * (DOCUMENT_CHARACTERS - 4) + "柳溪镇青苇江"
    first, second = extract_rare_words(to_plain_text(text))
    assert len(first)
    assert len(second)
    assert first.positions[0] == second.positions[0] == 0
    assert max(first.positions) < DOCUMENT_CHARACTERS // POSITION_CHARACTERS
