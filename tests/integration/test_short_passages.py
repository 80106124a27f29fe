"""Users set how short a passage counts: for all works, for one, and for one command."""

import csv
import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import timedelta
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner, Result

from matcher.model import Answer
from matcher.retrieval.character_grams import Grams, GramTable
from tests.support.acting import by
from tests.support.way import capture, made_page, made_text, opened, pairs, store_work, work_through
from wenhen.cli.console import with_shortest
from wenhen.cli.main import main
from wenhen.fingerprints.reading import TextReading
from wenhen.kit.errors import BadInput
from wenhen.matching import candidates
from wenhen.matching.candidates import add_short_candidates
from wenhen.runtime.embedded.servers import ServerAddresses
from wenhen.runtime.wiring import App
from wenhen.texts.source_lookup import check_originality, find_copied_works
from wenhen.works.import_export import import_items
from wenhen.works.importers.file_reader import read_bytes
from wenhen.works.service import edit_work

SLOGAN = "一寸山河一寸心，寸寸都是来时路"  # fourteen letters
RIVER = made_text("river", 900).replace("\n", "")
QUOTED = RIVER[300:325]
PAGE = f"{made_text('page', 300)}\n{SLOGAN}\n{made_text('page too', 300)}"
URL = "http://site.test/slogan"


@pytest.fixture
def app(servers: ServerAddresses, tmp_path: Path) -> Iterator[App]:
    """A long work and a slogan."""
    with opened(servers, tmp_path / "data") as product:
        store_work(product, "river", RIVER, title="河")
        store_work(product, "slogan", SLOGAN, title="标语")
        work_through(product)
        yield product


def shorter(app: App, letters: int) -> App:
    return replace(app, settings=with_shortest(app.settings, letters))


def command(app: App, *arguments: str) -> Result:
    settings = app.settings
    variables = {
        "WENHEN_MONGO_URL": settings.mongo.url,
        "WENHEN_MONGO_DATABASE": settings.mongo.database,
        "WENHEN_REDIS_URL": settings.redis.url,
        "WENHEN_INDEX_URL": settings.index.url,
        "WENHEN_DATA": str(settings.data),
    }
    return CliRunner(env=variables).invoke(main, list(arguments))


def test_by_the_setting_a_short_passage_counts_and_one_letter_less_does_not(app: App) -> None:
    text = f"{made_text('before', 200)}{QUOTED}{made_text('behind', 200)}"
    assert find_copied_works(app, text) == []
    letters = sum(sign not in "，。" for sign in QUOTED)
    [found] = find_copied_works(shorter(app, letters - 2), text)
    assert (found.work_id, len(found.pairs)) == ("river", 1)
    assert QUOTED[2:-2] in found.pairs[0].page_text
    assert find_copied_works(shorter(app, letters + 4), text) == []
    assert check_originality(shorter(app, 8), text).answer is Answer.REFUSED
    assert check_originality(shorter(app, 8), made_text("own", 300)).answer is Answer.PASSED


def test_a_work_has_a_shortest_passage_of_its_own(app: App) -> None:
    capture(app, URL, made_page("会场", PAGE))
    work_through(app)
    assert pairs(app) == set()
    assert app.store.works.get("slogan").note == "too_short"
    edit_work(by(app), "slogan", {"shortest_passage": "10"})
    work_through(app)
    assert app.store.works.get("slogan").note is None
    capture(app, URL, made_page("会场", PAGE + "\n完。"))
    work_through(app)
    assert pairs(app, present=True) == {(URL, "slogan")}
    edit_work(by(app), "slogan", {"shortest_passage": ""})
    work_through(app)
    assert app.store.works.get("slogan").shortest_passage is None
    for bad in ("7", "1001", "ten"):
        with pytest.raises(BadInput):
            edit_work(by(app), "slogan", {"shortest_passage": bad})


def test_an_import_has_a_column_for_it(app: App) -> None:
    table = f"标题,正文,最短片段\n口号,{SLOGAN.replace('，', '')},9\n坏,{RIVER[:100]},3\n".encode()
    done = import_items(by(app), "t.csv", read_bytes(table, "t.csv"))
    assert [app.store.works.get(id).shortest_passage for id in done.new] == [9]
    assert done.short == []
    assert "8" in str(done.refused[0].reason)


def test_commands_take_it_for_one_look(app: App, tmp_path: Path) -> None:
    page = tmp_path / "会场.txt"
    page.write_text(PAGE, encoding="utf-8")
    assert command(app, "scan", str(page), "--json").stdout == ""
    found = json.loads(command(app, "scan", str(page), "--shortest", "12", "--json").stdout)
    assert (found["work_id"], found["page_text"].strip()) == ("slogan", SLOGAN)
    assert command(app, "original", str(page), "--shortest", "12").exit_code == 1
    assert command(app, "scan", str(page), "--shortest", "7").exit_code == 2


def test_parallels_are_listed_among_files_and_with_the_library_in_each_form(app: App, tmp_path: Path) -> None:
    first, second = tmp_path / "甲.txt", tmp_path / "乙.txt"
    first.write_text(PAGE, encoding="utf-8")
    second.write_text(f"{made_text('second', 100)}{SLOGAN.replace('来', '來')}{made_text('end', 60)}", encoding="utf-8")
    files = (str(first), str(second))
    [parallel] = map(json.loads, command(app, "parallels", *files, "--json").stdout.splitlines())
    assert parallel["first_text"].strip() == SLOGAN
    assert PAGE[parallel["first_start"] : parallel["first_end"]] == parallel["first_text"]
    assert "".join(run["first"] for run in parallel["runs"]) == parallel["first_text"]
    assert "".join(run["second"] for run in parallel["runs"]) == parallel["second_text"]
    [row] = csv.DictReader(StringIO(command(app, "parallels", *files, "--csv").stdout))
    assert len(row["first_aligned"]) == len(row["second_aligned"])
    tei = ET.fromstring(command(app, "parallels", *files, "--tei").stdout)
    space = {"t": "http://www.tei-c.org/ns/1.0"}
    assert [one.text for one in tei.findall(".//t:witness", space)] == ["甲", "乙"]
    [block] = tei.findall(".//t:ab", space)
    readings = [reading.text for reading in block.findall(".//t:rdg", space)]
    assert readings == ["来", "來"]
    assert "标语" not in command(app, "parallels", *files).stdout
    library = command(app, "parallels", str(first), "--among", "library", "--json").stdout
    assert [(row["first_title"], row["second_id"]) for row in map(json.loads, library.splitlines())] == [
        ("甲", "slogan")
    ]
    assert command(app, "parallels", *files, "--tei", "--csv").exit_code == 2


def test_the_table_of_short_passages_is_made_anew_only_when_works_changed(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = [app.now() + timedelta(minutes=minutes) for minutes in (10, 12, 14)]
    reader, reading = shorter(app, 8), TextReading(PAGE)
    clock = iter(late)
    monkeypatch.setattr(type(reader), "now", lambda _: next(clock))
    made: list[GramTable] = []

    def make_table(grams: Iterable[Grams]) -> GramTable:
        made.append(GramTable(grams))
        return made[-1]

    monkeypatch.setattr(candidates, "GramTable", make_table)
    assert [one.owner_id for one in add_short_candidates(reader, reading, [])] == ["slogan"]
    assert [one.owner_id for one in add_short_candidates(reader, reading, [])] == ["slogan"]
    assert len(made) == 1
    monkeypatch.setattr(type(app.store.works), "last_change", lambda _: late[2])
    add_short_candidates(reader, reading, [])
    assert len(made) == 2
