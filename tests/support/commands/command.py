"""The command `wenhen` as a newcomer runs it: in a process of its own, with a home of its own."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PROGRAM = Path(sys.executable).with_name("wenhen")  # where `make setup` puts it


@dataclass(frozen=True)
class Command:
    """Runs the command on one data folder; nothing of the caller's settings reaches it."""

    home: Path
    data: Path
    variables: dict[str, str] = field(default_factory=dict)
    before: tuple[str, ...] = ()  # a program that runs it, with the arguments of that

    def environment(self) -> dict[str, str]:
        """Of the caller's variables, those that are not ours, and the home."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("WENHEN_")}
        servers = {name: os.environ[name] for name in ("WENHEN_MONGOD", "WENHEN_REDIS_SERVER") if name in os.environ}
        return {**kept, **servers, "HOME": str(self.home), **self.variables}

    def arguments(self, *arguments: str | Path) -> list[str]:
        """The whole command line."""
        return [*self.before, str(PROGRAM), "--data", str(self.data), *map(str, arguments)]

    def run(
        self, *arguments: str | Path, status: int | None = 0, stdin: str = ""
    ) -> "subprocess.CompletedProcess[str]":
        """Run it to its end; fails where the exit status is another; None: whatever it is."""
        self.home.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(
            self.arguments(*arguments),
            env=self.environment(),
            cwd=self.home,
            input=stdin,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=240,
            check=False,
        )
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
