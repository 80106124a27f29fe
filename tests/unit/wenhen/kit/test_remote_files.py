"""Results of many tasks are read by URL and become one file."""

from pathlib import Path

import pytest

from wenhen.kit import remote_files


def test_results_are_merged_with_few_files_open_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = [(number * 37) % 101 for number in range(101)]
    urls = [str(tmp_path / f"{begin}.jsonl") for begin in range(0, 101, 9)]
    for begin, url in zip(range(0, 101, 9), urls, strict=True):
        Path(url).write_bytes(b"".join(b"%d\n" % number for number in sorted(numbers[begin : begin + 9])))
    monkeypatch.setattr(remote_files, "MAX_MERGED_FILES", 3)
    assert list(map(int, remote_files.merge_sorted_files(urls, int))) == list(range(101))
    assert list(remote_files.merge_sorted_files([], int)) == []
