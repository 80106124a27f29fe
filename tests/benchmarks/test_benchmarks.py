"""Each benchmark runs at a tiny size and reports what it promises; how fast is for the benchmark to say."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from benchmarks.corpora import Suite, find_suites, generate_statute, true_share
from benchmarks.measurement import TimedIterable
from benchmarks.report import BenchReport, Limit
from benchmarks.text_processing import edit_text
from tests.support.commands.forked import nursery  # noqa: F401  a fixture
from wenhen.cli.main import main
from wenhen.runtime.settings_sources import load_settings
from wenhen.runtime.wiring import throwaway_app


def run(*arguments: str) -> list[dict[str, Any]]:
    result = CliRunner().invoke(main, ["bench", *arguments, "--json"])
    assert result.exit_code == 0, result.output
    reports: list[dict[str, Any]] = json.loads(result.stdout)
    assert all(report["machine"] and report["versions"]["python"] for report in reports)
    return reports


def limits(report: dict[str, Any]) -> str:
    """All limits in one text."""
    return "\n".join(limit["what"] for limit in report["limits"])


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three works, a page that copies one, a page that copies none."""
    from benchmarks.generator.writer import Writer

    works = list(Writer(99).works(5))
    copied = works[1].text[100:500]
    page = works[3].text[:300] + copied + works[3].text[300:600]
    truth = {"suspect": "copy", "source": works[1].id, "suspect_start": 300, "suspect_end": 700, "kind": "none"}
    truth |= {"source_start": 100, "source_end": 500}
    folder = tmp_path_factory.mktemp("suites") / "tiny"
    folder.mkdir()
    files: dict[str, list[dict[str, Any]]] = {
        "library": [
            {"id": work.id.replace("generated", "own"), "title": work.id, "text": work.text} for work in works[:3]
        ],
        "suspects": [{"id": "copy", "text": page}, {"id": "innocent", "text": works[4].text}],
        "truth": [truth | {"source": works[1].id.replace("generated", "own")}],
    }
    for name, rows in files.items():
        lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    return folder


def test_extraction_stands_beside_its_peer_for_every_kind_of_page() -> None:
    (report,) = run("extract", "--pages", "4")
    assert [row["kind"] for row in report["rows"]] == ["templates", "long text", "contents", "posts"]
    assert all(row["times"] == row["ours"] / row["trafilatura"] for row in report["rows"])
    assert len(report["limits"]) == 4


def test_public_sets_of_pages_are_known_by_their_layout_and_scored_beside_the_peer(tmp_path: Path) -> None:
    lines = [
        f"Am {n}. Tag fuhr die Fähre wieder, und am Ufer standen mehr Leute als am Tag davor." for n in range(1, 9)
    ]
    text = "".join(f"<p>{line}</p>" for line in lines)
    body = f'<html lang="de"><body><nav><a href="/">Start</a></nav><article>{text}</article></body></html>'
    files = {
        "readability/test/test-pages/ferry/source.html": body,
        "readability/test/test-pages/ferry/expected.html": f"<div>{text}</div>",
        "newspaper/tests/data/html/ferry.html": body,
        "newspaper/tests/data/text/ferry.txt": "\n".join(lines[:4]),
        "trafilatura/tests/evaldata.json": json.dumps(
            {"http://a.test": {"file": "a.html", "with": [lines[0]], "without": ["Start"]}}
        ),
        "trafilatura/tests/cache/a.html": body,
        "gne/gne/__init__.py": "",
        "gne/tests/163/1.html": body,
    }
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content, encoding="utf-8")
    names = ("readability", "newspaper", "trafilatura", "gne")
    (report,) = run("pages", *(str(tmp_path / name) for name in names))
    rows = {row["set"]: row for row in report["rows"] if row["language"] == "all"}
    assert [rows[name]["F1"] for name in ("readability", "trafilatura", "gne")] == [1.0, 1.0, None]
    assert (rows["newspaper"]["precision"], rows["newspaper"]["recall"]) == (pytest.approx(0.5, abs=0.05), 1.0)
    assert all((row["lost"], row["flooded"]) == (0, 0) for row in rows.values())
    assert len(report["limits"]) == 3


def test_letters_stand_beside_their_peers() -> None:
    (report,) = run("letters", "--documents", "40")
    assert {"memcpy", "bare table look-up", "pypinyin first letters", "jieba, then pypinyin"} <= set(report["peers"])
    named = "\n".join([*report["peers"], *report["absent"]])
    assert all(name in named for name in ("rensa", "datasketch", "simhash"))
    assert "pypinyin" in limits(report)
    assert "bare table look-up" in limits(report)


def test_a_peer_that_is_not_installed_is_named_and_nothing_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr("benchmarks.report.importlib.import_module", missing)
    from benchmarks.text_processing import measure_letters

    report = measure_letters(20)
    assert sorted(report.absent) == ["datasketch", "rensa", "simhash"]
    assert not any("rensa" in limit.what for limit in report.limits)


@pytest.mark.server
def test_the_index_stands_beside_its_peers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.inverted_index.PEER_WORKS", 50)
    monkeypatch.setattr("benchmarks.inverted_index.LOOK_UP_COUNT", 10)
    monkeypatch.setattr("benchmarks.inverted_index.SINGLE_WORKS", 5)
    (report,) = run("index", "--works", "60")
    assert report["figures"]["postings"] > 60 * 100
    # What the server frees meanwhile is more than so few postings take: they are asked for by themselves.
    assert report["figures"]["bytes a posting by MEMORY USAGE"] >= 4
    assert "one SET a feature: bytes a posting" in report["peers"]
    assert "datasketch: bytes a work" in report["peers"] or report["absent"] == ["datasketch"]
    for what in ("bytes a posting", "KB for 1,000", "loaded a second", "p50 / PING", "p99 / PING"):
        assert what in limits(report)


def test_alignment_stands_beside_its_peers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.text_processing.LONG_CHARACTERS", 8_000)
    monkeypatch.setattr("benchmarks.text_processing.GROWTH_CHARACTERS", (500, 1_000))
    from benchmarks.text_processing import measure_alignment

    report = measure_alignment((500, 1_000))
    assert {name.partition(",")[0] for name in report.peers} == {"rapidfuzz opcodes", "difflib"}
    assert len(report.limits) == 7


@pytest.mark.server
def test_a_scan_is_told_stage_by_stage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.lookup.SCAN_PAGES", 6)
    (report,) = run("scan", "--works", "30")
    assert report["figures"]["pages with a copy among the first, found"] >= 5
    assert "scan p50, ms" in report["figures"]
    assert sum(name.startswith("of it") and "p50" in name for name in report["figures"]) == 5


@pytest.mark.server
def test_a_library_is_told_by_what_it_takes_and_what_looks_at_it_take(monkeypatch: pytest.MonkeyPatch) -> None:
    from benchmarks.scaling import measure_library

    monkeypatch.setattr("benchmarks.scaling.SCALING_LOOK_UPS", 4)
    monkeypatch.setattr("benchmarks.scaling.WARM_UP_LOOK_UPS", 1)
    with throwaway_app(load_settings()) as app:
        library = measure_library(app, works=30)
    assert {row["collection"] for row in library.rows} >= {"works", "blobs.chunks", "fingerprints"}
    assert library.figures["bytes a work in the index"] > 0
    assert library.figures["features, look-up, ranking: p50, ms"] > 0
    assert library.figures["scan, all in: p50, ms"] > 0


@pytest.mark.server
def test_a_rematch_is_weighed_by_what_changed_and_finds_what_a_full_one_does() -> None:
    (report,) = run("rematch", "--pages", "30", "--works", "40", "--changed", "3")
    looked_up = {row["what"]: (row["works looked up"], row["pages looked up"] > 0) for row in report["rows"]}
    assert looked_up == {
        "nothing changed": (0, False),
        "3 works get a new text": (3, True),
        "the re-match behind it": (0, False),
        "a full re-match": (40, True),
        "all works get a longer text": (40, True),
        "the re-match behind that": (0, False),
    }
    figures = {limit["what"]: limit["figure"] for limit in report["limits"]}
    assert figures["cases that a full re-match adds or ends"] == 0
    assert figures["copies of a new text without a case"] == 0


@pytest.mark.server
def test_ablation_tells_what_each_kind_of_feature_finds(suite: Path) -> None:
    (report,) = run("ablation", str(suite.parent))
    assert [row["features"] for row in report["rows"]] == ["frequency alone", "others alone", "both"]
    assert report["rows"][-1]["pairs found"] == 1
    assert report["rows"][-1]["passages found"] == 1
    assert all(row["negatives accused"] == 0 for row in report["rows"])
    assert "frequency alone" in limits(report)


def test_sampling_gives_a_curve_of_cost_against_recall(suite: Path) -> None:
    (report,) = run("sampling", str(suite))
    rows = {row["sample"]: row for row in report["rows"]}
    assert rows["everything"]["pairs among the candidates"] == 1
    for way in ("features by hash", "passages of 256 letters"):
        costs = [row["features per 1,000 letters"] for name, row in rows.items() if name.startswith(way)]
        assert len(costs) > 3
        assert costs == sorted(costs, reverse=True)


def test_windows_are_tried_alone_together_and_with_probes(suite: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.window_sizes.GENERATED_WORKS", 20)
    (report,) = run("windows", str(suite))
    rows = {row["features"]: row for row in report["rows"]}
    assert {"24", "24, 4 probes", "16 + 24 + 48", "grams", "grams, 24"} <= set(rows)
    assert all(row["pairs among the candidates"] == 1 for row in rows.values())
    once, often = (rows[name]["looked up for 1,000 letters"] for name in ("24", "24, 8 probes"))
    assert 5 * once < often <= 9 * once
    assert rows["24"]["indexed for 1,000 letters"] == rows["24, 8 probes"]["indexed for 1,000 letters"]


@pytest.mark.server
def test_a_haystack_hides_the_works_and_they_are_found(suite: Path, tmp_path: Path) -> None:
    out = tmp_path / "found.jsonl"
    (report,) = run("haystack", str(suite), "--works", "200", "--out", str(out))
    figures = report["figures"]
    assert figures["works"] == 203
    assert figures["pairs found"] == 1
    assert figures["index memory, MB"] > 0
    found = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert {(one["suspect"], one["source"]) for one in found} >= Suite(suite).pairs


@pytest.mark.server
def test_the_second_look_is_weighed_against_the_first_as_the_library_grows(suite: Path) -> None:
    (report,) = run("suspicions", str(suite), "--works", "20", "--works", "60", "--pages", "2")
    assert [row["pages"] for row in report["rows"]] == ["suite's", "generated"] * 2
    few, more = report["rows"][::2]
    assert (few["works"], more["works"]) == (23, 63)
    assert 0 < few["rare words, MB"] < more["rare words, MB"]
    assert min(more["times"], more["times together"]) >= 1


def test_a_folder_without_a_suite_is_refused(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["bench", "sampling", str(tmp_path)])
    assert result.exit_code == 1
    assert "no suite" in result.stderr


def test_tables_for_people_say_what_is_reached(suite: Path) -> None:
    result = CliRunner().invoke(main, ["bench", "sampling", str(suite)])
    assert result.exit_code == 0
    assert "everything" in result.stdout


def test_suites_are_found_by_name_or_by_their_folder(suite: Path) -> None:
    assert find_suites([suite]) == find_suites([suite.parent]) == [Suite(suite)]
    assert Suite(suite).negatives == {"innocent"}


def test_a_passage_is_found_when_both_sides_are_touched(suite: Path) -> None:
    (true,) = Suite(suite).truth
    beside = true | {"source_start": true["source_end"], "source_end": true["source_end"] + 9}
    other = true | {"source": "another"}
    assert Suite(suite).found_passages([true]) == [True]
    assert Suite(suite).found_passages([beside, other]) == [False]


def test_a_share_of_nothing_is_none() -> None:
    assert true_share([]) is None
    assert true_share([True, False]) == 0.5


def test_limits_know_whether_they_are_reached() -> None:
    assert Limit("a", 3, least=3).is_reached
    assert not Limit("a", 2, least=3).is_reached
    assert Limit("a", 3, most=3).is_reached
    assert not Limit("a", 4, most=3).is_reached
    report = BenchReport("r", limits=[Limit("a", 4, most=3)])
    assert report.as_dict()["limits"] == [{"what": "a", "figure": 4, "must": "≤ 3", "reached": False}]


@pytest.mark.server
def test_a_library_and_bodies_of_pages_are_weighed() -> None:
    library, bodies = run("storage", "--works", "60")
    assert library["figures"]["works"] == 60
    assert "bytes a work" in limits(library)
    assert "gzip" in limits(bodies)


@pytest.mark.server
@pytest.mark.usefixtures("nursery")
def test_a_crawl_is_timed_beside_scrapy_that_does_nothing_else() -> None:
    [report] = run("crawl", "--pages", "60")
    assert report["figures"]["pages stored"] == 60
    assert len(report["peers"]) == 3
    assert "of bare Scrapy" in limits(report)
    assert "memory" in limits(report)


def test_a_report_says_when_the_machine_was_busy() -> None:
    assert BenchReport("r", load=2.0).busy
    assert not BenchReport("r", load=0.1).busy
    assert BenchReport("r").as_dict()["load"] >= 0


def test_a_supply_passes_everything_on_and_counts_the_time_of_making() -> None:
    supply = TimedIterable(range(3))
    assert list(supply) == [0, 1, 2]
    assert supply.seconds > 0


def test_statutes_repeat_themselves_and_are_as_long_as_asked() -> None:
    one, other = generate_statute(1, 5_000), generate_statute(2, 5_000)
    assert len(one) == len(other) == 5_000
    assert one != other
    assert one == generate_statute(1, 5_000)
    assert one.count("依法追究刑事责任") > 5


def test_an_edited_copy_keeps_most_characters() -> None:
    text = generate_statute(3, 2_000)
    copy = edit_text(text, random.Random(1), 0.05)
    assert copy != text
    assert abs(len(copy) - len(text)) < 100
    assert edit_text(text, random.Random(1), 0.0) == text
