"""How many sites `wenhen up` crawls at a time."""

from types import SimpleNamespace

import pytest

from wenhen.runtime.processes.workers import max_parallel_crawls


@pytest.mark.parametrize(
    ("asked", "processors", "bytes_free", "sites"),
    [(None, 2, 64e9, 8), (None, 16, 4e9, 6), (None, 4, 0, 1), (40, 1, 0, 40)],
)
def test_as_many_as_there_is_room_for_or_as_were_asked_for(
    monkeypatch: pytest.MonkeyPatch, asked: int | None, processors: int, bytes_free: float, sites: int
) -> None:
    monkeypatch.setattr("psutil.cpu_count", lambda: processors)
    monkeypatch.setattr("psutil.virtual_memory", lambda: SimpleNamespace(available=int(bytes_free)))
    assert max_parallel_crawls(asked) == sites
