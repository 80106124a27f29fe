"""What the image does, without an engine: it is built, and every service of docker-compose.yml runs from it as another
user on a read-only system, by its very command, until its health check passes. Minutes; `make image`.
"""

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from tests.support.image.builder import ROOT, missing_means
from tests.support.image.trial import SERVICES

if not os.environ.get("WENHEN_TEST_IMAGE"):
    pytest.skip("building the image takes minutes: make image", allow_module_level=True)
if reason := missing_means():
    pytest.skip(reason, allow_module_level=True)

pytestmark = pytest.mark.timeout(1500)


@pytest.fixture(scope="session")
def seen() -> dict[str, Any]:
    """What a trial saw, see `tests/support/image/trial.py`."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.image.trial"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=1400,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-6000:]
    read: dict[str, Any] = json.loads(done.stdout)
    return read


@pytest.mark.parametrize("name", SERVICES)
def test_every_service_becomes_well(seen: dict[str, Any], name: str) -> None:
    assert name in seen["well"], seen["said"]


@pytest.mark.parametrize("name", SERVICES)
def test_no_service_can_write_where_its_image_is(seen: dict[str, Any], name: str) -> None:
    assert not seen["wrote"][name]


@pytest.mark.parametrize("name", SERVICES)
def test_what_the_image_was_warmed_with_is_there_and_nothing_is_compiled_again(seen: dict[str, Any], name: str) -> None:
    assert seen["warmed"][name] > 50
    assert seen["compiled"][name] == []


def test_a_work_is_imported_looked_up_and_found_again(seen: dict[str, Any]) -> None:
    for command, (status, said) in seen["commands"].items():
        assert status == 0, f"{command}: {said}"


def test_the_application_is_no_master_of_the_servers_and_strangers_are_nothing(seen: dict[str, Any]) -> None:
    assert seen["taken"] == []


def test_prometheus_is_told_of_the_whole(seen: dict[str, Any]) -> None:
    assert 'wenhen_up{part="MongoDB"} 1.0' in seen["metrics"]
    assert 'wenhen_queue_messages{queue="match"} 0.0' in seen["metrics"]
