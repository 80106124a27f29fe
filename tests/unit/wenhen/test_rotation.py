"""Logs do not grow without end, and whoever writes them goes on writing."""

from pathlib import Path

from wenhen.runtime.processes.supervisor import rotate_log


def test_a_log_that_is_too_large_is_set_aside_and_its_writer_goes_on_in_the_same_file(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    with log.open("ab", buffering=0) as writer:
        for number in range(4):
            writer.write(b"%d" % number * 100)
            rotate_log(log, most=50, keep=2)
        writer.write(b"last")
    assert log.read_bytes() == b"last"
    assert (tmp_path / "a.log.1").read_bytes() == b"3" * 100
    assert (tmp_path / "a.log.2").read_bytes() == b"2" * 100
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.log", "a.log.1", "a.log.2"]


def test_a_log_that_is_small_or_not_there_is_left_alone(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    rotate_log(log, most=50, keep=2)
    log.write_bytes(b"few")
    rotate_log(log, most=50, keep=2)
    assert [file.name for file in tmp_path.iterdir()] == ["a.log"]


def test_where_none_are_kept_the_log_is_only_emptied(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_bytes(b"x" * 100)
    rotate_log(log, most=50, keep=0)
    assert log.read_bytes() == b""
    assert [file.name for file in tmp_path.iterdir()] == ["a.log"]
