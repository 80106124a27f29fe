"""`wenhen idf build`: the weights of the words of a user's own corpus."""

import json
import math
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from fingerprinter.words.text import load_weights
from wenhen.cli.main import main

RECIPES = ("酱油，大葱。", "酱油，生姜。", "酱油两勺，生姜。")


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Three recipes, as a file and as a batch."""
    folder = tmp_path / "corpus"
    folder.mkdir()
    (folder / "one.txt").write_text(RECIPES[0], encoding="gb18030")
    rows = [json.dumps({"title": f"菜{number}", "text": text}) for number, text in enumerate(RECIPES[1:])]
    (folder / "rest.jsonl").write_text("\n".join(rows), encoding="utf-8")
    return folder


def build(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["idf", "build", *map(str, arguments)])


def test_the_table_weighs_a_word_by_the_texts_that_hold_it(corpus: Path, tmp_path: Path) -> None:
    table = tmp_path / "recipes.txt"
    done = build(corpus, "--out", table)
    assert done.exit_code == 0, done.stderr
    assert "3 篇 texts" in done.stderr
    weights = load_weights(table)
    assert weights["酱油"] == pytest.approx(math.log(4 / 3), abs=1e-6)
    assert weights["生姜"] == pytest.approx(math.log(4 / 2), abs=1e-6)
    assert weights["大葱"] == pytest.approx(math.log(4), abs=1e-6)
    assert "，" not in weights.table


def test_compare_takes_the_table(corpus: Path, tmp_path: Path) -> None:
    for number in range(10):
        (corpus / f"{number}.txt").write_text(
            f"第{number}天，" + "渡口的灯亮了又灭，船从雾里来。" * 20, encoding="utf-8"
        )
    assert build(corpus, "--out", tmp_path / "own.txt").exit_code == 0
    arguments = ["compare", str(corpus), "--schemes", "simhash-64", "--idf", str(tmp_path / "own.txt"), "--json"]
    compared = CliRunner().invoke(main, arguments)
    assert compared.exit_code == 0, compared.stderr
    assert [result["scheme"] for result in json.loads(compared.stdout)] == ["simhash-64"]


def test_a_table_among_the_texts_is_no_text_of_the_next_build(corpus: Path) -> None:
    table = corpus / "own.txt"
    build(corpus, "--out", table)
    first = table.read_text(encoding="utf-8")
    assert "3 篇 texts" in build(corpus, "--out", table).stderr
    assert table.read_text(encoding="utf-8") == first


def test_what_cannot_be_read_is_named_and_the_table_is_made_of_the_rest(corpus: Path, tmp_path: Path) -> None:
    (corpus / "empty.txt").write_bytes(b"")
    done = build(corpus, "--out", tmp_path / "own.txt")
    assert done.exit_code == 1
    assert "empty.txt" in done.stderr
    assert "Error: 1 could not be read" in done.stderr
    assert "酱油" in load_weights(tmp_path / "own.txt").table


def test_a_corpus_without_texts_or_words_and_a_table_that_cannot_be_written_are_refused(
    corpus: Path, tmp_path: Path
) -> None:
    (tmp_path / "marks.txt").write_text("。。。！", encoding="utf-8")
    table = tmp_path / "own.txt"
    assert "no texts" in build(tmp_path / "missing", "--out", table).stderr
    assert "no words" in build(tmp_path / "marks.txt", "--out", table).stderr
    assert not table.exists()
    done = build(corpus, "--out", tmp_path / "nowhere" / "own.txt")
    assert (done.exit_code, "There is no folder" in done.stderr) == (2, True)
    done = build(corpus, "--out", Path("/dev/full"))
    assert (done.exit_code, "/dev/full cannot be written: No space left" in done.stderr) == (1, True)


def test_words_of_a_users_own_have_a_weight_of_their_own(corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "own.dict").write_text("两勺 90000 q\n", encoding="utf-8")
    out = tmp_path / "own.txt"
    build = ["idf", "build", str(corpus), "--out", str(out), "--dictionary", str(tmp_path / "own.dict")]
    done = CliRunner().invoke(main, build)
    assert done.exit_code == 0, done.output
    assert "两勺" in load_weights(out).table
