"""What is told of a server's process and its log."""

import json
from pathlib import Path

import pytest

from wenhen.runtime.embedded.servers import find_server_process, last_log_error, launch_server


def entry(severity: str, message: str, **attributes: object) -> str:
    return json.dumps({"s": severity, "c": "CONTROL", "msg": message, "attr": attributes})


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["Valkey is starting", "# Bad file format reading the append only file", ""], "# Bad file format reading"),
        (
            [entry("E", "terminating", error="NonExistentPath: no /data"), entry("I", "bye")],
            "terminating: NonExistentPath: no /data",
        ),
        ([entry("F", "fassert", line=7)], 'fassert: {"line": 7}'),
        ([entry("I", "shutting down")], "shutting down"),
        (['"a string"', "[1, 2]", "17", "the end"], "the end"),
        ([], "the log is empty"),
    ],
)
def test_the_last_complaint_of_a_log_is_found(tmp_path: Path, lines: list[str], said: str) -> None:
    (tmp_path / "log").write_text("\n".join(lines))
    assert said in last_log_error(tmp_path / "log")


def test_a_log_that_is_not_there_is_said_to_be_absent(tmp_path: Path) -> None:
    assert last_log_error(tmp_path / "log") == "no log (No such file or directory)"


@pytest.mark.parametrize("content", ["", "x", "-1", "99999999999999999999", "1"])
def test_a_pid_file_with_nonsense_or_a_stranger_names_nobody(tmp_path: Path, content: str) -> None:
    (tmp_path / "pid").write_text(content)
    assert find_server_process(tmp_path / "pid", tmp_path) is None


def test_output_goes_on_in_the_log_and_a_large_one_is_set_aside(tmp_path: Path) -> None:
    log = tmp_path / "redis.log"
    launch_server(["/bin/echo", "one"], {}, log).wait()
    launch_server(["/bin/sh", "-c", 'echo "$TWO"'], {"TWO": "two"}, log).wait()
    assert log.read_text() == "one\ntwo\n"
    log.write_bytes(b"x" * 10_000_001)
    launch_server(["/bin/echo", "three"], {}, log).wait()
    assert log.read_text() == "three\n"
    assert (tmp_path / "redis.old.log").stat().st_size == 10_000_001
