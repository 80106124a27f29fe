"""A step that met what it cannot do does not hold its worker for ever."""

import os
import signal
import time
from types import SimpleNamespace
from typing import Any

import pytest

from wenhen.kit.progress import OwnerKind, Step
from wenhen.pipeline import tasks
from wenhen.pipeline.tasks import run_next_turn


def test_the_kernel_ends_a_process_whose_step_takes_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "MAX_STEP_SECONDS", 1)
    monkeypatch.setattr(tasks, "run_step", lambda *_: time.sleep(60))
    turn = SimpleNamespace(alone=True, kind=OwnerKind.PAGE, ids=("a",), step=Step.EXTRACT)
    app: Any = SimpleNamespace(queue=SimpleNamespace(take=lambda _: turn, spent=lambda *_: None))
    worker = os.fork()
    if not worker:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)  # as a worker has it
        run_next_turn(app, "text")
        os._exit(0)
    assert os.WTERMSIG(os.waitpid(worker, 0)[1]) == signal.SIGALRM
