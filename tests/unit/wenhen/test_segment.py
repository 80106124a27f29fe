"""`wenhen segment`: words of texts, in several modes, with words of the user's own."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from fingerprinter.words.text import cut_words
from wenhen.cli.main import main
from wenhen.kit.errors import BadInput
from wenhen.texts.word_segmentation import SegmentMode, WordSegmenter

TEXT = "她在中国科学院读书，写了3.14万字。\n"
OWN = "青石码头"  # no word of the general dictionary
PLACE = f"船靠在{OWN}。"


@pytest.fixture(scope="module")
def segmenter() -> WordSegmenter:
    return WordSegmenter()


@pytest.fixture
def dictionary(tmp_path: Path) -> Path:
    path = tmp_path / "own.dict"
    path.write_text(f"{OWN} 100000 ns\n雾里船\n", encoding="utf-8")
    return path


def segment(*arguments: str | Path, stdin: bytes = b"") -> Result:
    return CliRunner().invoke(main, ["segment", *map(str, arguments)], input=stdin)


def words(*arguments: str | Path, text: str = TEXT) -> list[str]:
    done = segment("-", *arguments, stdin=text.encode())
    assert done.exit_code == 0, done.stderr
    line: dict[str, Any] = json.loads(done.stdout)
    kept: list[str] = line["words"]
    return kept


@settings(max_examples=50)
@given(text=st.text(st.sampled_from("船靠在青石码头，中国科学院 abcX3.\n𠮷"), max_size=60))
def test_the_exact_words_joined_are_the_text_and_no_mode_gives_empty_words(segmenter: WordSegmenter, text: str) -> None:
    assert "".join(segmenter.cut(text)) == text
    assert all(word and word in text for mode in SegmentMode for word in segmenter.cut(text, mode))


def test_the_modes_cut_differently_fine() -> None:
    assert "中国科学院" in words()
    assert "科学院" not in words()
    search, full = words("--mode", "search"), words("--mode", "full")
    assert {"中国", "科学院", "中国科学院"} <= set(search) & set(full)
    assert search.count("中国科学院") == 1


def test_punctuation_and_white_space_are_left_out_on_demand() -> None:
    every, alone = words(), words("--words-only")
    assert {"，", "。", "\n"} <= set(every)
    assert [word for word in every if word not in alone] == ["，", "。", "\n"]


def test_words_of_the_users_own_are_kept_whole_and_reach_no_other_segmenter(dictionary: Path) -> None:
    before = cut_words(PLACE)
    assert OWN not in before
    assert OWN in words("--dictionary", dictionary, text=PLACE)
    assert OWN not in words(text=PLACE)
    assert cut_words(PLACE) == before


def test_several_dictionaries_in_any_charset_are_taken(dictionary: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.dict"
    other.write_text("芦苇荡边\n", encoding="gb18030")
    found = words("--dictionary", dictionary, "--dictionary", other, text=f"{PLACE}芦苇荡边有雾里船。")
    assert {OWN, "芦苇荡边", "雾里船"} <= set(found)


def test_a_word_with_a_space_costs_no_other_word_of_its_dictionary(tmp_path: Path) -> None:
    own = tmp_path / "spaced.dict"
    own.write_text(f"K9 雾里船 3 n\n{OWN}\nTwo Piers 7\n", encoding="utf-8")
    assert OWN in words("--dictionary", own, text=PLACE)


def test_a_file_that_is_no_dictionary_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.dict").write_bytes(b"")
    with pytest.raises(BadInput, match=r"empty\.dict is no dictionary"):
        WordSegmenter([tmp_path / "empty.dict"])
    with pytest.raises(BadInput, match="cannot be read"):
        WordSegmenter([tmp_path])


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("青石码头 多", "positive|whole number"),
        ("青石码头 0", "whole number above 0"),
        ("青石 码头 n", "a frequency is a whole number"),
        ("青石 、 3 n", "a line is a word"),
        ("青石码头 3 N5", "small letters"),
        ("、 3 n", "no word"),
        ("船" * 51, "more than 50"),
    ],
)
def test_a_malformed_line_is_refused_by_its_number_and_reason(tmp_path: Path, line: str, reason: str) -> None:
    (tmp_path / "own.dict").write_text(f"雾里船 3 n\n\n芦苇荡边 5\n旧缆绳 n\n{line}\n", encoding="utf-8")
    with pytest.raises(BadInput, match=rf"own\.dict, line 5: .*({reason})"):
        WordSegmenter([tmp_path / "own.dict"])


def test_a_folder_gives_a_line_a_text_and_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEXT, encoding="gb18030")
    rows = [json.dumps({"id": id, "title": "题", "text": PLACE}) for id in "xy"]
    (tmp_path / "b.jsonl").write_text("\n".join(rows), encoding="utf-8")
    (tmp_path / "empty.txt").write_bytes(b"")
    done = segment(tmp_path)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["id"] for line in lines][1:] == ["x", "y"]
    assert lines[0]["source"] == str(tmp_path / "a.txt")
    assert "".join(lines[1]["words"]) == PLACE
    assert done.exit_code == 1
    assert "empty.txt" in done.stderr
    assert "Error: 1 could not be read" in done.stderr
