"""`wenhen compare` from end to end, and its figures."""

import json
import random
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from fingerprinter.schemes.registry import all_schemes
from fingerprinter.schemes.scheme import HASH_FUNCTIONS, MemoryBuckets
from fingerprinter.schemes.substrings import Checksum, Nshash
from fingerprinter.words.text import SchemeText
from tests.support.features.scheme_samples import edited, texts
from wenhen.cli.main import main
from wenhen.comparison.measurement import PairRecall, draw_chart, measure_schemes
from wenhen.comparison.production_scheme import ProductionScheme
from wenhen.comparison.trial import Suspect, Trial

WORKS = tuple((f"w{number}", text) for number, text in enumerate(texts()))


def _trial() -> Trial:
    """Four plain copies of which one is called by the wrong name, an edited one, and one that copies nothing."""
    copies = [Suspect(f"s{number}", text, {name: "none"}) for number, (name, text) in enumerate(WORKS[:3])]
    mistaken = Suspect("s3", WORKS[3][1], {WORKS[4][0]: "none"})
    noisy = Suspect("s5", edited(WORKS[5][1], 8), {WORKS[5][0]: "noise"})
    honest = Suspect("s6", WORKS[6][1], {})
    return Trial(WORKS, (*copies, mistaken, noisy, honest, Suspect("s7", "太短。", {})))


def test_figures_of_a_scheme_that_finds_equal_texts_only() -> None:
    (result,) = measure_schemes(_trial(), [Checksum()], MemoryBuckets())
    assert (result.total, result.reported, result.precision) == (PairRecall(3, 5), 5, 3 / 5)
    assert result.by_kind == {"noise": PairRecall(0, 1), "none": PairRecall(3, 4)}
    assert (result.accused, result.negatives) == (1, 2)
    assert (result.unanswered, result.suspects, result.documents) == (0, 7, len(WORKS))
    assert (result.fingerprints_a_document, result.bytes_a_document) == (2, 16)
    assert result.comparisons == pytest.approx(5 / 7)


def test_texts_below_the_least_length_are_counted_as_unanswered() -> None:
    (result,) = measure_schemes(_trial(), [Nshash()], MemoryBuckets())
    assert result.unanswered == 1


def test_the_whole_path_finds_the_copy_that_others_miss() -> None:
    results = {
        result.scheme: result
        for result in measure_schemes(_trial(), [Checksum(), ProductionScheme(0.2)], MemoryBuckets())
    }
    assert results["checksum"].by_kind["noise"].found == 0
    assert results["wenhen-1-whole"].by_kind["noise"].found == 1


def test_the_whole_path_finds_a_work_of_several_segments() -> None:
    """A passage behind the first 32,768 letters, in a page as long."""
    scheme = ProductionScheme(0.2)
    long = "".join(texts()[1:]) * 4
    page = "".join(random.Random(1).sample(long, len(long))) + texts()[0]
    index = scheme.index(MemoryBuckets())
    for number, text in enumerate((long, long[:5_000] + "\n" + long + texts()[0])):
        made = scheme.fingerprint(SchemeText(text))
        assert made is not None
        index.add(number, made)
    query = scheme.fingerprint(SchemeText(page))
    assert query is not None
    assert [match.number for match in index.look_up(query).matches] == [1]


def test_chart_is_well_formed_and_carries_every_figure() -> None:
    results = list(measure_schemes(_trial(), [Checksum(), Nshash()], MemoryBuckets()))
    said = [element.text for element in ElementTree.fromstring(draw_chart(results)).iter() if element.text]
    assert {"checksum", "nshash", "60.0%", "50.0%"} <= set(said)
    assert ElementTree.fromstring(draw_chart([])).tag.endswith("svg")


def _folder(folder: Path) -> Path:
    works = folder / "works"
    works.mkdir()
    for name, text in WORKS:
        (works / f"{name}.txt").write_text(text, encoding="utf-8")
    return works


def test_every_scheme_stands_in_the_table_and_the_chart_is_written(tmp_path: Path) -> None:
    picture = tmp_path / "chart.svg"
    done = CliRunner().invoke(main, ["compare", str(_folder(tmp_path)), "--sample", "3", "--chart", str(picture)])
    assert done.exit_code == 0, done.output
    assert "0 < 300" in done.stdout, "simhash answers for no text below 300 characters"
    for name in (*(scheme.name for scheme in all_schemes()), "wenhen-1-whole"):
        assert name in done.stdout
        assert name in picture.read_text(encoding="utf-8")


def test_json_names_scheme_version_and_settings(tmp_path: Path) -> None:
    asked = ["compare", str(_folder(tmp_path)), "--sample", "2", "--schemes", "nshash,checksum", "--json"]
    done = CliRunner().invoke(main, asked)
    assert done.exit_code == 0, done.output
    rows = json.loads(done.stdout)
    assert [(row["scheme"], row["version"]) for row in rows] == [("nshash", 1), ("checksum", 1)]
    assert rows[0]["parameters"] == {"count": 5, "hash": "md5", "shortest": 8}
    assert rows[1]["by_kind"]["none"] == {"found": 2, "pairs": 2}


@pytest.mark.parametrize("name", HASH_FUNCTIONS)
def test_every_hash_finds_the_same_and_is_named_in_the_settings(tmp_path: Path, name: str) -> None:
    schemes = "checksum,simhash-64,longest-sentence,nshash"
    asked = ["compare", str(_folder(tmp_path)), "--sample", "2", "--schemes", schemes, "--json", "--hash", name]
    done = CliRunner().invoke(main, asked)
    assert done.exit_code == 0, done.output
    for row in json.loads(done.stdout):
        assert row["parameters"]["hash"] == name
        assert row["by_kind"]["none"] == {"found": 2, "pairs": 2}


@pytest.mark.parametrize(
    ("options", "found"),
    [([], 2), (["--same-category"], 1), (["--size-within", "1.5"], 1), (["--size-within", "9"], 2)],
)
def test_works_of_another_category_or_size_may_be_left_out(tmp_path: Path, options: list[str], found: int) -> None:
    """One suspect copies a piece of news whole; another, as long as three of them, a novel, and is filed as news."""
    news, novel = WORKS[0][1], WORKS[1][1]
    rows = {
        "library": [{"id": "a", "text": news, "category": "news"}, {"id": "b", "text": novel, "category": "novel"}],
        "suspects": [
            {"id": "s", "text": news, "category": "news"},
            {"id": "t", "text": novel + WORKS[2][1] + WORKS[3][1], "category": "news"},
        ],
        "truth": [{"suspect": "s", "source": "a"}, {"suspect": "t", "source": "b"}],
    }
    for name, lines in rows.items():
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    done = CliRunner().invoke(main, ["compare", str(tmp_path), "--schemes", "nshash", "--json", *options])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)[0]["total"] == {"found": found, "pairs": 2}


def test_words_of_the_users_own_are_taken_and_a_malformed_line_is_refused(tmp_path: Path) -> None:
    own = tmp_path / "own.dict"
    own.write_text("青石码头 9 ns\n", encoding="utf-8")
    asked = ["compare", str(_folder(tmp_path)), "--sample", "2", "--schemes", "nshash", "--dictionary", str(own)]
    assert CliRunner().invoke(main, asked).exit_code == 0
    own.write_text("青石码头 许多\n", encoding="utf-8")
    refused = CliRunner().invoke(main, asked)
    assert refused.exit_code
    assert "own.dict, line 1" in str(refused.exception or "") + refused.output


def test_own_weights_are_used_and_named(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("渡口 3.5\n老人 1.25\n", encoding="utf-8")
    asked = ["compare", str(_folder(tmp_path)), "--sample", "2", "--schemes", "cosine", "--json", "--idf"]
    done = CliRunner().invoke(main, [*asked, str(tmp_path / "mine.txt")])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)[0]["parameters"]["weights"] == "mine"


@pytest.mark.parametrize("keys", ["disk", "redis"])
def test_keys_may_be_kept_on_disk_or_in_redis(tmp_path: Path, keys: str, request: pytest.FixtureRequest) -> None:
    if keys == "redis":
        request.getfixturevalue("servers")
    asked = ["compare", str(_folder(tmp_path)), "--sample", "2", "--schemes", "simhash-64", "--json", "--keys", keys]
    done = CliRunner().invoke(main, asked)
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)[0]["by_kind"]["none"] == {"found": 2, "pairs": 2}


def test_an_unknown_scheme_is_refused_with_the_names_that_there_are(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["compare", str(_folder(tmp_path)), "--schemes", "sha3"])
    assert done.exit_code == 1
    assert "there are checksum, terms" in " ".join(done.stderr.split())
