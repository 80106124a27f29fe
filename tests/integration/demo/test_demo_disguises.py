"""What the little web's sites do to a text, and that it can be told what they did."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wenhen.demo.articles import (
    ADVERTS,
    INVISIBLE_CHARACTERS,
    OWN_TEXTS_DIR,
    apply_disguise,
    convert_to_traditional,
    load_works,
    own_paragraphs,
    replace_with_homophones,
    sound_of,
    to_traditional,
    traditional_table,
    work_paragraphs,
)

TITLES = sorted(load_works())


@pytest.mark.parametrize("title", TITLES)
def test_a_homophone_has_the_same_sound_and_stands_in_the_same_place(title: str) -> None:
    before, after = "".join(work_paragraphs(title)), "".join(apply_disguise("homophone", work_paragraphs(title)))
    assert len(before) == len(after)
    swapped = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    assert all(sound_of(old) == sound_of(new) is not None for old, new in swapped)
    assert len(before) < 100 or 0.05 < len(swapped) / len(before) < 0.2


@pytest.mark.parametrize("disguise", ["ads", "invisible"])
@pytest.mark.parametrize("title", TITLES)
def test_taking_out_what_was_put_in_gives_the_text_back(title: str, disguise: str) -> None:
    text = "\n".join(apply_disguise(disguise, work_paragraphs(title)))
    added = [mark for mark in (*ADVERTS, *INVISIBLE_CHARACTERS) if mark in text]
    for mark in added:
        text = text.replace(mark, "")
    assert text == "\n".join(work_paragraphs(title))
    assert added or title == "灯未熄"


@pytest.mark.parametrize("title", TITLES)
def test_traditional_text_is_written_in_big5_but_for_three_characters_that_it_lacks(title: str) -> None:
    text = "".join(apply_disguise("traditional", work_paragraphs(title)))
    assert {char for char in text if not char.encode("big5", "ignore")} <= set("堃喆拃")


def test_the_table_decides_by_the_phrase_where_one_character_has_two_forms() -> None:
    assert to_traditional("修表铺里的头发，三公里外的面馆，一只钟表匠的饼干盒") == (
        "修錶鋪裡的頭髮，三公里外的麵館，一隻鐘錶匠的餅乾盒"
    )


def test_every_entry_of_the_table_keeps_the_length() -> None:
    assert all(len(before) == len(after) for before, after in traditional_table().items())


@given(
    st.text(
        alphabet=st.sampled_from(sorted({char for entry in traditional_table().items() for char in "".join(entry)}))
    )
)
def test_converting_keeps_the_length_of_any_text(text: str) -> None:
    assert len(to_traditional(text)) == len(text)


@pytest.mark.parametrize("title", TITLES)
def test_converting_a_work_twice_changes_nothing(title: str) -> None:
    once = to_traditional("".join(work_paragraphs(title)))
    assert to_traditional(once) == once


@pytest.mark.parametrize("name", sorted(path.stem for path in OWN_TEXTS_DIR.iterdir()))
def test_converting_an_own_text_twice_changes_nothing(name: str) -> None:
    once = to_traditional("".join(own_paragraphs(name)))
    assert to_traditional(once) == once


def test_disguises_joined_by_plus_are_applied_in_that_order() -> None:
    lines = work_paragraphs("雪为什么咯吱响")
    assert apply_disguise("homophone+traditional", lines) == convert_to_traditional(replace_with_homophones(lines))
