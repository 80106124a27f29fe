"""Every passage that texts share is listed, however often it stands, also within one text."""

from hypothesis import given
from hypothesis import strategies as st

from fingerprinter.initials.to_initials import to_initials
from matcher.alignment.parallels import _PART_INITIALS, find_parallels, find_repetitions
from matcher.retrieval.character_grams import GramTable, character_grams
from tests.support.way import made_text

PHRASE = "归去来兮田园将芜胡不归"
OLD_PHRASE = "歸去來兮田園將蕪胡不歸"


def listed(text: str, other: str, shortest: int = 8) -> list[tuple[str, str]]:
    found = find_parallels(text, to_initials(text), other, to_initials(other), shortest)
    return [
        (text[one.passage.page_start : one.passage.page_end], other[one.passage.work_start : one.passage.work_end])
        for one in found
    ]


def repeated(text: str, shortest: int = 8) -> list[tuple[int, int]]:
    found = find_repetitions(text, to_initials(text), shortest)
    signs = [len(text[one.passage.page_start :]) - len(text[one.passage.page_start :].lstrip("，。")) for one in found]
    return [
        (one.passage.page_start + skipped, one.passage.work_start + skipped)
        for one, skipped in zip(found, signs, strict=True)
    ]


def filler(name: str, letters: int = 60) -> str:
    return made_text(name, letters).replace("\n", "")


def test_a_phrase_is_listed_for_each_place_where_it_stands() -> None:
    text = filler("a") + PHRASE + filler("b")
    other = PHRASE + filler("c") + PHRASE + filler("d") + PHRASE
    assert [mine.strip("，。") for mine, _ in listed(text, other)] == [PHRASE] * 3
    assert [theirs.strip("，。") for _, theirs in listed(text, other)] == [PHRASE] * 3


def test_script_and_a_changed_character_keep_it_and_other_characters_of_the_same_sound_do_not() -> None:
    text = filler("a") + PHRASE + filler("b")
    assert listed(text, filler("c") + OLD_PHRASE) == [(PHRASE, OLD_PHRASE)]
    changed = PHRASE[:5] + "野" + PHRASE[6:]
    assert listed(text, filler("c") + changed + filler("d")) == [(PHRASE, changed)]
    sounds_alike = "圭曲莱息天原江吴湖步圭"
    assert listed(text, filler("c") + sounds_alike + filler("d")) == []


def test_the_shortest_passage_is_kept_to() -> None:
    text, other = filler("a") + PHRASE + filler("b"), filler("c") + PHRASE + filler("d")
    assert len(listed(text, other, len(PHRASE))) == 1
    assert listed(text, other, len(PHRASE) + 1) == []


def test_within_one_text_each_pair_of_places_is_listed_once() -> None:
    text = filler("a") + PHRASE + filler("b") + PHRASE + filler("c") + PHRASE
    places = [place for place in range(len(text)) if text.startswith(PHRASE, place)]
    first, second, third = places
    assert sorted(repeated(text)) == [(first, second), (first, third), (second, third)]
    assert repeated(filler("a", 400)) == []


def test_passages_far_apart_in_long_texts_are_found_whole() -> None:
    long = made_text("long", 2 * _PART_INITIALS).replace("\n", "")
    edge = _PART_INITIALS - 20
    passage = filler("shared", 200)
    text = long[:edge] + passage + long[edge:]
    found = listed(text, filler("c") + passage + filler("d"), 20)
    assert [mine.strip("，。") for mine, _ in found] == [passage.strip("，。")]


@given(st.integers(0, 50), st.integers(0, 50), st.booleans())
def test_texts_that_share_five_characters_are_found_by_their_grams(before: int, after: int, old: bool) -> None:
    shared = (OLD_PHRASE if old else PHRASE)[:5]
    text = filler("x")[:before] + shared + filler("y")[:after]
    texts = [filler("z"), filler("w") + PHRASE[:5]]
    table = GramTable(character_grams(one, to_initials(one)) for one in texts)
    assert [place for place, _ in table.sharing(character_grams(text, to_initials(text)))] == [1]


def test_an_empty_table_and_an_empty_text_share_nothing() -> None:
    empty = character_grams("", to_initials(""))
    assert list(GramTable([]).sharing(character_grams(PHRASE, to_initials(PHRASE)))) == []
    assert list(GramTable([empty]).sharing(empty)) == []
