"""The command `wenhen` as a newcomer runs it: in a process of its own, with a home of its own.

`run` forks it from a process that has imported it already, which takes a fifth of the time; the program itself is
started with `arguments` and `environment`, by the tests of how it starts and ends.
"""

import json
import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.commands.forked import run_forked
from tests.support.commands.launching import PROGRAM


@dataclass(frozen=True)
class Command:
    """Runs the command on one data folder; nothing of the caller's settings reaches it."""

    home: Path
    data: Path
    variables: dict[str, str] = field(default_factory=dict)
    inside: int | None = None  # a process whose disks it sees, and only it

    def environment(self) -> dict[str, str]:
        """Of the caller's variables, those that are not ours and those that the tests themselves set; and the home."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("WENHEN_")}
        of_tests = {
            name: os.environ[name]
            for name in ("WENHEN_MONGOD", "WENHEN_REDIS_SERVER", "WENHEN_WORKER_NICENESS")
            if name in os.environ
        }
        return {**kept, **of_tests, "HOME": str(self.home), **self.variables}

    def arguments(self, *arguments: str | Path) -> list[str]:
        """The whole command line."""
        return [PROGRAM, "--data", str(self.data), *map(str, arguments)]

    def run(
        self, *arguments: str | Path, status: int | None = 0, stdin: str = ""
    ) -> "subprocess.CompletedProcess[str]":
        """Run it to its end; fails where the exit status is another; None: whatever it is."""
        self.home.mkdir(parents=True, exist_ok=True)
        done = run_forked(self.arguments(*arguments), self.environment(), self.home, stdin, inside=self.inside)
        assert status is None or done.returncode == status, (
            f"{arguments}: status {done.returncode}\n{done.stdout}\n{done.stderr}"
        )
        assert "Traceback" not in done.stderr, done.stderr
        return done

    def json(self, *arguments: str | Path, status: int | None = 0) -> Any:
        """What it prints with --json."""
        return json.loads(self.run(*arguments, "--json", status=status).stdout)

    def refusal(self, *arguments: str | Path) -> str:
        """The one line with which it refuses, with status 1."""
        *before, line = self.run(*arguments, status=1).stderr.strip().splitlines()
        assert line.startswith("Error: "), line
        assert not [other for other in before if other.startswith("Error")]
        return line
