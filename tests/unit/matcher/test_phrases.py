"""A phrase is found wherever it stands, in its characters and by its sound, and texts by what they hold now."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fingerprinter.initials.to_initials import to_initials
from matcher.phrases.occurrences import GRAM_LENGTH, find_occurrences, query_grams, text_grams
from matcher.phrases.phrase_index import IndexedText, SqlitePhraseIndex
from wenhen.kit.errors import Unavailable

SIGNS = st.text("河岸渡口风雨灯塔旧书店春秋山城夜航码头", min_size=GRAM_LENGTH, max_size=60)


def text(owner: str, words: str, digest: str = "d") -> IndexedText:
    return IndexedText(owner, digest, text_grams(to_initials(words)))


@given(SIGNS, SIGNS, SIGNS)
def test_whatever_holds_a_phrase_has_its_grams_and_shows_its_place(before: str, phrase: str, after: str) -> None:
    whole = before + phrase + after
    initials = to_initials(whole)
    assume(len(initials.codes) == len(whole))  # a character behind every other one is read as a separator
    assert np.isin(query_grams(to_initials(phrase)), text_grams(initials)).all()
    assert any(whole[one.start : one.end] == phrase for one in find_occurrences(phrase, whole))


@pytest.mark.parametrize(
    ("phrase", "standing", "exact"),
    [
        ("修船的老人", "修船，的老人", True),
        ("修船的老人", "修　船的老人", True),
        ("修船的老人", "修傳的老人", False),
        ("灯塔守望", "燈塔守望", False),
        ("修船的老人", "学唱的老人", None),
        ("第12章潮汐", "第１２章潮汐", True),
    ],
)
def test_other_characters_have_to_sound_alike(phrase: str, standing: str, exact: bool | None) -> None:
    found = find_occurrences(phrase, f"河岸{standing}春秋")
    assert [one.exact for one in found] == ([] if exact is None else [exact])


def test_a_text_is_found_by_what_it_holds_now_the_newest_first(tmp_path: Path) -> None:
    index = SqlitePhraseIndex(tmp_path / "phrases" / "index.sqlite")
    asking = query_grams(to_initials("灯塔守望"))
    assert (index.exists(), index.holding(asking, 9), index.mark("after")) == (False, [], None)
    index.put([text("work:a", "灯塔守望人", "1"), text("page:b", "旧灯塔守望")], {"after": "x"})
    assert index.holding(asking, 9) == ["page:b", "work:a"]
    assert index.holding(asking, 1) == ["page:b"]
    index.put([text("page:b", "河岸渡口风雨", "2")], {"after": "y"})
    assert index.holding(asking, 9) == ["work:a"]
    assert index.digests_of(["work:a", "page:b", "page:c"]) == {"work:a": "1", "page:b": "2"}
    assert index.mark("after") == "y"


def test_a_file_that_is_no_index_is_told_of(tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite"
    path.write_bytes(b"no database" * 100)
    with pytest.raises(Unavailable, match="remove that file"):
        SqlitePhraseIndex(path).mark("after")
