"""Strange bytes through everything that reads foreign ones: few here, a million by `make fuzz`."""

import pytest

from benchmarks.fuzz import harness
from benchmarks.fuzz.harness import TARGETS, corpus_files, make_input, run_batch, try_input

FEW = 60  # inputs of each target


@pytest.mark.parametrize("target", TARGETS)
def test_no_input_ends_a_reader_in_anything_but_an_error_of_ours(target: str) -> None:
    assert run_batch(target, 0, FEW).faults == ()


def test_what_failed_once_fails_no_more() -> None:
    kept = list(corpus_files())
    assert kept
    assert [fault for target, file in kept if (fault := try_input(target, file.read_bytes(), file.name)[0])] == []


def test_an_input_is_known_by_its_number() -> None:
    assert make_input("page", 7) == make_input("page", 7) != make_input("page", 8)
    assert make_input("page", 7) != make_input("list", 7)


def test_a_reader_that_fails_or_is_slow_is_told_with_the_number_of_the_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(harness, "TARGETS", {"page": lambda body: 1 // (len(body) % 2)})
    faults = run_batch("page", 0, 20).faults
    assert [fault.number for fault in faults] == [n for n in range(20) if len(make_input("page", n)) % 2 == 0]
    assert "ZeroDivisionError" in faults[0].what
    monkeypatch.setattr(harness, "SLOW_SECONDS", -1.0)
    monkeypatch.setattr(harness, "TARGETS", {"page": len})
    assert "took" in run_batch("page", 0, 1).faults[0].what
