"""`wenhen group` from end to end: nshash's grouping by similar id, with every hash and every key-value store."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from fingerprinter.schemes.scheme import HASH_FUNCTIONS
from tests.support.features.scheme_samples import texts
from wenhen.cli.main import main

ONE, OTHER, BRIDGED = texts()[:3]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Reprints of one text, another text, two that a third holds both of, and one that is too short."""
    written = {
        "a": ONE,
        "b": f"转载：\n{ONE}\n责任编辑：某某",
        "c": OTHER,
        "d": BRIDGED,
        "e": "".join(reversed(ONE)),
        "f": f"{BRIDGED}\n{ONE}",
        "g": "太短。",
    }
    for name, text in written.items():
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
    return tmp_path


def run(folder: Path, *options: str) -> Result:
    return CliRunner().invoke(main, ["group", str(folder), *options])


def groups(done: Result) -> dict[str, str | None]:
    """For each file the file that its similar id is of."""
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    stem = {row["id"]: Path(row["source"]).stem for row in rows}
    return {stem[row["id"]]: row["similar"] and stem[row["similar"]] for row in rows}


@pytest.mark.parametrize("hash", HASH_FUNCTIONS)
def test_texts_that_share_a_long_sentence_stand_under_the_first_of_them(folder: Path, hash: str) -> None:
    done = run(folder, "--hash", hash, "--sentences", "10")
    assert done.exit_code == 0, done.output
    assert groups(done) == {"a": "a", "b": "a", "c": "c", "d": "a", "e": "e", "f": "a", "g": None}
    assert "3 组 groups, 7 篇 texts, 1 太短" in done.stderr


@pytest.mark.parametrize("keys", ["disk", "redis"])
def test_keys_on_disk_or_in_redis_group_the_same(folder: Path, keys: str, request: pytest.FixtureRequest) -> None:
    if keys == "redis":
        request.getfixturevalue("servers")
    assert run(folder, "--keys", keys).stdout == run(folder).stdout


def test_what_cannot_be_read_is_told_and_the_rest_grouped(folder: Path) -> None:
    (folder / "h.txt").write_bytes(b"\xff\xfe\x00")
    done = run(folder)
    assert done.exit_code == 1
    assert groups(done)["b"] == "a"


def test_a_store_keeps_the_groups_and_their_ids_from_run_to_run(folder: Path, tmp_path: Path) -> None:
    store = str(tmp_path / "groups.sqlite")
    first = run(folder / "a.txt", "--store", store)
    [kept] = [json.loads(line)["similar"] for line in first.stdout.splitlines()]
    later = [json.loads(line) for line in run(folder / "b.txt", "--store", store).stdout.splitlines()]
    assert [one["similar"] for one in later] == [kept]
    again = run(folder, "--store", store)
    assert groups(again) == groups(run(folder))
    assert {json.loads(line)["similar"] for line in again.stdout.splitlines() if "b.txt" in line} == {kept}
