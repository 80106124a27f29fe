"""The supervisor on real processes."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.commands.children import ended
from tests.support.way import wait_for
from wenhen.runtime.processes.supervisor import Child, LogLimits, Supervisor

ROOT = Path(__file__).parents[3]
SLEEPS = "import time; time.sleep(600)"
ENDS_AFTER_OTHERS = """
import signal, sys, time
def end(*_):
    while open({file!r}).read() != {after!r}:
        time.sleep(0.01)
    open({file!r}, 'a').write({name!r})
    sys.exit(0)
signal.signal(signal.SIGTERM, end)
print('ready', flush=True)
time.sleep(600)
"""
DEAF = """
import signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print(subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']).pid, flush=True)
time.sleep(600)
"""
SUPERVISES = """
import signal, sys, threading, time
from pathlib import Path
from wenhen.runtime.processes.supervisor import Child, Supervisor
def say_when_it_listens():
    while signal.getsignal(signal.SIGTERM) == signal.SIG_DFL:
        time.sleep(0.01)
    print('up', flush=True)
threading.Thread(target=say_when_it_listens, daemon=True).start()
child = Child('sleeper', [sys.executable, '-c', 'import os, time; print(os.getpid(), flush=True); time.sleep(600)'],
              log=Path(sys.argv[1]))
with Supervisor([child]) as supervisor:
    print(supervisor.run_until_signal(), flush=True)
"""


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def pid_in(log: Path) -> int:
    wait_for(lambda: log.exists() and log.read_text().endswith("\n"), "a process number in the log")
    return int(log.read_text().split()[-1])


def test_a_killed_child_is_started_again_and_all_are_gone_after_the_end(tmp_path: Path) -> None:
    said: list[str] = []
    code = "import os, time; print(os.getpid(), flush=True); time.sleep(600)"
    children = [Child(name, python(code), log=tmp_path / f"{name}.log") for name in ("worker", "beat")]
    with Supervisor(children, pauses=(0.05, 1), say=said.append) as supervisor:
        first, beat = (pid_in(tmp_path / f"{name}.log") for name in ("worker", "beat"))
        os.kill(first, signal.SIGKILL)
        wait_for(lambda: pid_in(tmp_path / "worker.log") != first, "the worker again")
        second = pid_in(tmp_path / "worker.log")
        assert supervisor.alive() == {"worker": True, "beat": True}
        assert pid_in(tmp_path / "beat.log") == beat, "the other child was left alone"
    assert supervisor.alive() == {"worker": False, "beat": False}
    assert ended(second)
    assert ended(beat)
    assert len(said) == 1
    assert "worker ended by itself (signal 9, Killed)" in said[0]
    assert "worker.log" in said[0]


def test_a_child_that_keeps_ending_is_started_with_growing_pauses() -> None:
    said: list[str] = []
    with Supervisor([Child("broken", python("raise SystemExit(3)"))], pauses=(0.01, 0.04), say=said.append):
        wait_for(lambda: len(said) >= 4, "four ends")
    assert "broken ended by itself (exit status 3)" in said[0]
    assert [message.split(" in ")[1] for message in said[:4]] == ["0.01 s", "0.02 s", "0.04 s", "0.04 s"]


def test_a_program_that_does_not_exist_is_reported_and_tried_again(tmp_path: Path) -> None:
    said: list[str] = []
    child = Child("ghost", ["/nowhere/ghost"], log=tmp_path / "logs" / "ghost.log")
    with Supervisor([child], pauses=(0.01, 0.04), say=said.append):
        wait_for(lambda: len(said) >= 2, "two ends")
    assert "/nowhere/ghost cannot be run: No such file or directory" in (tmp_path / "logs" / "ghost.log").read_text()


def test_a_log_that_cannot_be_opened_does_not_stop_the_other_children(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    said: list[str] = []
    children = [Child("mute", python(SLEEPS), log=tmp_path / "file" / "log"), Child("well", python(SLEEPS))]
    with Supervisor(children, say=said.append) as supervisor:
        assert supervisor.alive() == {"mute": False, "well": True}
    assert "mute cannot be started" in said[0]


def test_children_are_all_asked_to_end_at_once(tmp_path: Path) -> None:
    file = tmp_path / "ends"
    file.write_text("")
    children = [
        Child(name, python(ENDS_AFTER_OTHERS.format(file=str(file), name=name, after=after)), log=tmp_path / name)
        for name, after in (("A", ""), ("B", "A"), ("C", "AB"))
    ]
    with Supervisor(children):
        wait_for(lambda: all("ready" in (tmp_path / name).read_text() for name in "ABC"), "three children")
    assert file.read_text() == "ABC"


def test_a_child_that_does_not_heed_sigterm_is_killed_with_what_it_started(tmp_path: Path) -> None:
    with Supervisor([Child("deaf", python(DEAF), log=tmp_path / "log")], grace=0.2):
        grandchild = pid_in(tmp_path / "log")
        assert not ended(grandchild)
    wait_for(lambda: ended(grandchild), "the end of the grandchild")


def test_a_child_gets_its_environment_beside_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WENHEN_OURS", "ours")
    code = "import os, time; print(os.environ['WENHEN_OURS'], os.environ['ITS'], flush=True); time.sleep(600)"
    with Supervisor([Child("c", python(code), env={"ITS": "its"}, log=tmp_path / "log")]):
        wait_for(lambda: (tmp_path / "log").read_text() == "ours its\n", "both variables")


@pytest.mark.skipif(not Path("/proc/self/autogroup").exists(), reason="this kernel shares nothing among sessions")
def test_a_child_that_is_to_give_way_does_so_with_all_that_it_starts_and_others_do_not(tmp_path: Path) -> None:
    tells = "import os; print(os.nice(0), open('/proc/self/autogroup').read().split()[-1], flush=True)"
    code = f"import subprocess, sys, time; subprocess.run([sys.executable, '-c', {tells!r}]); time.sleep(600)"
    logs = {niceness: tmp_path / str(niceness) for niceness in (0, 7)}
    ours = os.nice(0)
    with Supervisor([Child(str(points), python(code), log=log, niceness=points) for points, log in logs.items()]):
        for points, log in logs.items():
            wait_for(lambda log=log: log.exists() and log.read_text().endswith("\n"), "what it tells")  # type: ignore[misc]
            of_process, of_session = map(int, log.read_text().split())
            assert (of_process, of_session) == (min(19, ours + points), points)


def test_the_logs_of_programs_that_a_child_looks_after_are_kept_short_while_they_are_written(tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    with (
        log.open("ab", buffering=0) as server,
        Supervisor([Child("keeper", python(SLEEPS), watches=[log])], logs=LogLimits(most=100, keep=2)),
    ):
        server.write(b"x" * 200)
        wait_for((tmp_path / "server.log.1").exists, "the log that was set aside")
        wait_for(lambda: not log.stat().st_size, "the log that begins anew")
        server.write(b"more")
    assert log.read_bytes() == b"more"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_to_the_parent_ends_the_children_and_then_the_parent(tmp_path: Path, number: signal.Signals) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", SUPERVISES, str(tmp_path / "log")], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    child = pid_in(tmp_path / "log")
    assert parent.stdout is not None
    assert parent.stdout.readline() == "up\n"
    parent.send_signal(number)
    output, _ = parent.communicate(timeout=300)
    assert (parent.returncode, output) == (0, f"{int(number)}\n")
    assert ended(child)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells children of their parent's death")
def test_the_children_end_when_the_parent_is_killed(tmp_path: Path) -> None:
    parent = subprocess.Popen([sys.executable, "-c", SUPERVISES, str(tmp_path / "log")], cwd=ROOT)
    child = pid_in(tmp_path / "log")
    assert not ended(child)
    parent.kill()
    parent.wait()
    wait_for(lambda: ended(child), "the end of the child")
