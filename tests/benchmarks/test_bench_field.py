"""The field's tools stand beside ours over the same documents, and one that cannot be had costs its row alone."""

from pathlib import Path

import pytest

from benchmarks.peer_tools.comparison import (
    PEER_TOOLS,
    PeerTool,
    ToolAbsent,
    _group_pairs,
    measure_tools,
    prepare_interpreter,
    run_tool,
    write_documents,
)


@pytest.mark.server
def test_tools_stand_in_rows_and_what_cannot_be_had_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = [tool for tool in PEER_TOOLS if not tool.requirements]
    broken = PeerTool("broken", "nothing", "by_broken")  # no such program: as one that fails
    monkeypatch.setattr("benchmarks.peer_tools.comparison.PEER_TOOLS", (*ours, broken))
    report = measure_tools(40, tmp_path)
    rows = {row["tool"]: row for row in report.rows}
    assert rows["wenhen"]["whole copies found"] == rows["wenhen"]["passages found"] == 1
    assert rows["datasketch, MinHash"]["whole copies found"] == 1
    assert rows["datasketch, MinHash"]["passages found"] == 0
    assert rows["wenhen"]["kept bytes a document"] > 0
    assert rows["broken"]["documents a second"] is None
    assert len(report.absent) == 2
    assert any("google-research" in reason for reason in report.absent)
    assert any("by_broken" in reason for reason in report.absent)


def test_a_package_that_cannot_be_installed_is_refused_with_the_reason(tmp_path: Path) -> None:
    missing = tmp_path / "nowhere"
    with pytest.raises(ToolAbsent, match="nowhere"):
        prepare_interpreter((str(missing),), tmp_path)


def test_copies_are_where_they_are_said_to_be(tmp_path: Path) -> None:
    truth = write_documents(40, tmp_path / "documents.jsonl")
    assert truth.whole == {(0, 2), (10, 12), (20, 22), (30, 32)}
    assert truth.passages == {(1, 3), (11, 13), (21, 23), (31, 33)}
    assert len((tmp_path / "documents.jsonl").read_text(encoding="utf-8").splitlines()) == 40


def test_a_group_of_three_is_two_pairs_and_more() -> None:
    assert _group_pairs([[3, 1, 2], [5, 4]]) == {(1, 2), (1, 3), (2, 3), (4, 5)}


def test_a_tool_that_is_had_nowhere_says_why(tmp_path: Path) -> None:
    with pytest.raises(ToolAbsent, match="google-research"):
        run_tool(PEER_TOOLS[-1], tmp_path, tmp_path, tmp_path, 1)


def test_a_tool_is_ended_in_its_time_and_told_of_with_the_most_documents_that_it_did(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "by_slow.py").write_text(
        "import json, pathlib, sys, time\n"
        "count = len(pathlib.Path(sys.argv[1]).read_text(encoding='utf-8').splitlines())\n"
        "time.sleep(60 if count > 100 else 0)\n"
        "pathlib.Path(sys.argv[2]).write_text(json.dumps({'groups': [[0, 2]], 'kept': count}))\n"
    )
    monkeypatch.setattr("benchmarks.peer_tools.comparison.DRIVER_FOLDER", tmp_path)
    monkeypatch.setattr("benchmarks.peer_tools.comparison.MIN_DOCUMENTS", 20)
    monkeypatch.setattr("benchmarks.peer_tools.comparison.PEER_TOOLS", (PeerTool("slow", "nothing", "by_slow"),))
    (row,) = measure_tools(320, tmp_path, most_seconds=1).rows
    assert (row["documents"], row["not in time"]) == (80, 320)
    assert row["kept bytes a document"] == 1
