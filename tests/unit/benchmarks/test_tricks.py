"""The catalogue of tricks: each has a source, changes a text, and gives the same again."""

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from benchmarks.tricks.catalogue import STRENGTHS, Trick, list_tricks
from benchmarks.tricks.measurement import TrickFigures, select_tricks, summarize_tricks, write_suite
from wenhen.demo.articles import load_works
from wenhen.kit.errors import BadInput

MIN_TRICKS = 150
TEXT = load_works()["修表铺"].text[:600]


def test_the_catalogue_holds_many_tricks_of_each_family_each_with_its_source() -> None:
    tricks = list_tricks()
    assert len(tricks) >= MIN_TRICKS
    assert min(Counter(each.family for each in tricks).values()) >= 10
    assert all(each.source.endswith(".") for each in tricks)


@pytest.mark.parametrize("trick", list_tricks(), ids=lambda trick: trick.name)
def test_a_trick_changes_the_text_and_the_same_draw_gives_the_same(trick: Trick) -> None:
    changed = [trick.apply(TEXT, strength, random.Random(7)) for strength in STRENGTHS]
    assert changed == [trick.apply(TEXT, strength, random.Random(7)) for strength in STRENGTHS]
    assert all(each and each != TEXT for each in changed)


def test_a_suite_holds_each_passage_where_its_truth_says(tmp_path: Path) -> None:
    write_suite(tmp_path, select_tricks("comma_between,quoted_lines"), passages=2, works=3)
    works = {row["id"]: row["text"] for row in _rows(tmp_path / "library.jsonl")}
    suspects = {row["id"]: row["text"] for row in _rows(tmp_path / "suspects.jsonl")}
    truth = _rows(tmp_path / "truth.jsonl")
    assert len(truth) == len(suspects) == 2 * len(STRENGTHS) * 2
    for row in truth:
        copied = suspects[row["suspect"]][row["suspect_start"] : row["suspect_end"]]
        passage = works[row["source"]][row["source_start"] : row["source_end"]]
        if row["kind"].startswith("comma"):
            assert copied.replace("，", "") == passage.replace("，", "")


def test_an_unknown_name_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(BadInput, match="comma_between"):
        select_tricks("comma_betwen")


def test_the_report_has_a_row_for_each_trick_and_the_means() -> None:
    figures = [
        TrickFigures("a", "order", name, 4, found, found / 2, {"minhash": 0.0})
        for name, found in (("light", 1.0), ("middle", 0.5), ("heavy", 0.0))
    ]
    report = summarize_tricks(figures, passages=4, works=3)
    assert report.rows == [
        {
            "trick": "a",
            "family": "order",
            "found": "1.00 0.50 0.00",
            "plagdet": "0.50 0.25 0.00",
            "minhash": "0.00 0.00 0.00",
        }
    ]
    assert report.figures["found middle"] == 0.5
    assert report.peers["minhash found light"] == 0.0


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
