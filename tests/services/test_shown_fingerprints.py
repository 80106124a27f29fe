"""Fingerprints of any text, as people look at them: on the screen, by the API, by the command."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.support.seed import CLOSING, MIDDLE, OPENING
from wenhen.cli.main import main
from wenhen.kit.errors import BadInput
from wenhen.texts.fingerprint_view import (
    FingerprintSettings,
    compare_fingerprints,
    describe_fingerprint,
    parse_reference,
    resolve_settings,
)

TEXT = OPENING + MIDDLE + CLOSING
AUTO = FingerprintSettings()


def test_the_settings_follow_the_length_unless_they_are_given() -> None:
    found = [
        (resolve_settings(AUTO, length).window, resolve_settings(AUTO, length).highest)
        for length in (0, 60, 120, 240, 9_000)
    ]
    assert found == [(20, 1), (30, 1), (60, 3), (120, 7), (150, 9)]
    given = resolve_settings(FingerprintSettings(window=7, highest=9), 9_000)
    assert (given.window, given.highest) == (7, 9)


@pytest.mark.parametrize("wrong", [{"window": -1}, {"overlap": 1.0}, {"highest": 4}, {"overlap": float("nan")}])
def test_settings_that_cannot_be_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(BadInput):
        describe_fingerprint(TEXT, FingerprintSettings(**wrong))  # type: ignore[arg-type]  # wrong on purpose


def test_windows_say_where_they_stand_in_the_text_and_every_initial_is_counted_once() -> None:
    made = describe_fingerprint(TEXT, FingerprintSettings(window=30, highest=9))
    assert made.letters.startswith("hdsdhskhdsh")
    assert [len(one.digits) for one in made.windows] == [20] * len(made.windows)
    assert (made.windows[0].start, made.windows[-1].end) == (0, len(TEXT) - 1)  # a full stop is no letter
    assert sum(row.count for row in made.heat) == sum(letter.islower() for letter in made.letters)
    d = next(row for row in made.heat if row.initial == "d")
    assert d.share > d.usual
    assert d.deviation > 2
    assert describe_fingerprint("，", AUTO).heat == ()


def test_two_texts_are_made_alike_and_the_same_text_in_other_characters_is_the_same() -> None:
    one, other, likeness = compare_fingerprints(TEXT, TEXT.replace("树", "樹").replace("填", "塡"), AUTO)
    assert (one.window, one.highest) == (other.window, other.highest)
    assert (likeness.windows, likeness.features) == (1.0, 1.0)
    far = compare_fingerprints(OPENING, "雾里的灯塔每隔七秒亮一次，守塔人数着它，像数自己的心跳。", AUTO)[2]
    assert far.features == 0.0


def test_texts_that_fill_no_window_are_too_short_to_say_how_alike_they_are() -> None:
    for other in ("渡轮", TEXT):
        likeness = compare_fingerprints("灯塔", other, AUTO)[2]
        assert (likeness.windows, likeness.features) == (None, None)


def test_a_reference_of_ones_own_is_read_strictly() -> None:
    counts = dict.fromkeys("bcdfghjklmnpqrstwxyz", 10)
    own = parse_reference(json.dumps({"counts": counts, "total": 250}).encode(), "own.json")
    made = describe_fingerprint(TEXT, FingerprintSettings(usual=own))
    assert made.reference == "own.json"
    assert {row.usual for row in made.heat} == {0.04}
    for wrong in (b"{", b"[]", json.dumps({"counts": counts, "total": 9}).encode()):
        with pytest.raises(BadInput):
            parse_reference(wrong, "x")


def test_the_command_needs_no_server_and_tells_how_alike_two_files_are(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.txt").write_text(TEXT, encoding="utf-8")
    files = [str(tmp_path / f"{name}.txt") for name in ("a", "b")]
    printed = CliRunner().invoke(main, ["fingerprint", *files, "--json"]).stdout.splitlines()
    assert [json.loads(line)["likeness"] for line in printed] == [{"windows": 1.0, "features": 1.0}] * 2
    shown = CliRunner().invoke(main, ["fingerprint", files[0], "--window", "30", "--range", "9"]).stdout
    assert re.search(r"│ \d{20} ", shown)
    assert CliRunner().invoke(main, ["fingerprint", files[0], "--window", "0"]).exit_code == 2
