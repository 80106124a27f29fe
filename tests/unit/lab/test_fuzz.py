"""Strange bytes through everything that reads foreign ones: few here, a million by `make fuzz`."""

import pytest

from lab.fuzz import run
from lab.fuzz.inputs import made
from lab.fuzz.targets import TARGETS

FEW = 60  # inputs of each target


@pytest.mark.parametrize("target", TARGETS)
def test_no_input_ends_a_reader_in_anything_but_an_error_of_ours(target: str) -> None:
    assert run.share(target, 0, FEW).faults == ()


def test_what_failed_once_fails_no_more() -> None:
    kept = list(run.kept())
    assert kept
    assert [fault for target, file in kept if (fault := run.tried(target, file.read_bytes(), file.name)[0])] == []


def test_an_input_is_known_by_its_number() -> None:
    assert made("page", 7) == made("page", 7) != made("page", 8)
    assert made("page", 7) != made("list", 7)


def test_a_reader_that_fails_or_is_slow_is_told_with_the_number_of_the_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "TARGETS", {"page": lambda body: 1 // (len(body) % 2)})
    faults = run.share("page", 0, 20).faults
    assert [fault.number for fault in faults] == [n for n in range(20) if len(made("page", n)) % 2 == 0]
    assert "ZeroDivisionError" in faults[0].what
    monkeypatch.setattr(run, "SLOW", -1.0)
    monkeypatch.setattr(run, "TARGETS", {"page": len})
    assert "took" in run.share("page", 0, 1).faults[0].what
