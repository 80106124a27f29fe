"""A program that a nursery forks is to whoever starts it what any child is."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.support.commands.launching import PROGRAM, launch_of
from tests.support.way import wait_for
from wenhen.kit.python_process import python_command
from wenhen.runtime.processes.supervisor import Child, Supervisor

pytestmark = [
    pytest.mark.usefixtures("nursery"),
    pytest.mark.skipif(sys.platform != "linux", reason="there are nurseries on Linux alone"),
]
BEAT = python_command("wenhen.pipeline.isolated_program", "celery", "beat", "--pidfile", "")


def test_it_has_its_environment_its_folder_its_files_and_its_status(tmp_path: Path) -> None:
    command = [PROGRAM, "--data", "here", "works", "show", "none"]
    environment = {"PATH": os.environ["PATH"], "WENHEN_MONGO_URL": "nowhere://", "HOME": str(tmp_path)}
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("Error: MongoDB's address"), done.stderr
    assert not (tmp_path / "here" / "run" / "v.sock").exists(), "no Redis was started for it"


def test_it_is_a_child_in_a_session_of_its_own_with_its_command_line_and_can_be_killed(tmp_path: Path) -> None:
    environment = {**os.environ, "WENHEN_BROKER_URL": "redis://127.0.0.1:1/0"}
    with (tmp_path / "log").open("w") as log:
        beat = subprocess.Popen(BEAT, env=environment, cwd=tmp_path, stderr=log, start_new_session=True)
    process = psutil.Process(beat.pid)
    assert process.ppid() == os.getpid()
    wait_for(lambda: tuple(process.cmdline()[: len(BEAT)]) == BEAT, "its command line")
    wait_for(lambda: os.getsid(beat.pid) == beat.pid, "its session")
    assert beat.poll() is None
    beat.kill()
    assert beat.wait(20) == -signal.SIGKILL


def test_a_supervisor_starts_it_again_as_any_other(tmp_path: Path) -> None:
    said: list[str] = []
    environment = {"WENHEN_BROKER_URL": "redis://127.0.0.1:1/0"}
    beat = Child("beat", (*BEAT, "--schedule", str(tmp_path / "beat")), environment, tmp_path / "log")
    with Supervisor([beat], pauses=(0.1, 1), say=said.append, grace=1) as supervisor:
        first = supervisor.pids()["beat"]
        os.kill(first, signal.SIGKILL)
        wait_for(lambda: supervisor.pids().get("beat", first) != first, "another one")
        second = supervisor.pids()["beat"]
    assert "signal 9" in said[0]
    assert not psutil.pid_exists(second)


def test_other_programs_are_started_as_always() -> None:
    fields = {"args": [sys.executable, "-c", "print(1)"]}
    assert launch_of(fields) is None
    assert launch_of({"args": "wenhen works list"}) is None
