"""Runs a service of docker-compose.yml in its image as an engine would: the very command as process 1, as the service's
user, on a read-only system, with its variables, secrets, volumes and folders in memory.
"""

import subprocess
import time
from pathlib import Path
from typing import Any

import psutil

from tests.support.image.builder import Image, mounting

PATIENCE = 240.0  # seconds until a service has to be well


class Container:
    """One service, from `start` to `end`. folder: what is made for it, and its output."""

    def __init__(self, name: str, service: dict[str, Any], image: Image, folder: Path, hosts: Path) -> None:
        self.name = name
        self._service = service
        self._image = image
        self._at = folder / name / "root"
        self.log = folder / name / "log"
        self._folder = folder
        self._hosts = hosts
        self._unshare: subprocess.Popen[bytes] | None = None

    @property
    def environment(self) -> dict[str, str]:
        """Of the image, and of the service."""
        given = {name: "" if value is None else str(value) for name, value in self._service["environment"].items()}
        return {**self._image.environment, **given, "HOSTNAME": self.name}

    def start(self) -> None:
        """Start its command."""
        self._at.mkdir(parents=True)
        program = [*self._image.entrypoint, *(self._service.get("command") or self._image.command)]
        user = self._service["user"]
        script = mounting(self._image.layers, self._at, writable=False) + "".join(self._mounts())
        script += f'hostname {self.name}\nexec setpriv --no-new-privs chroot --userspec={user} {self._at} "$@"\n'
        inside = f'cd {self._image.folder} && exec "$@"'
        with self.log.open("ab") as log:
            self._unshare = subprocess.Popen(
                [
                    *("unshare", "--mount", "--pid", "--uts", "--fork", "--kill-child"),
                    *("sh", "-c", script, "sh", "/bin/sh", "-c", inside, "sh", *program),
                ],
                env=self.environment,
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def _mounts(self) -> list[str]:
        at = self._at
        lines = [f"mount --bind {self._hosts} {at}/etc/hosts\n", f"mount -t tmpfs tmpfs {at}/run\n"]
        lines.append(f"mkdir {at}/run/secrets\n")
        lines += [
            f"touch {at}/run/secrets/{name} && mount --bind {self._folder}/secrets/{name} {at}/run/secrets/{name}\n"
            for name in self._service["secrets"]
        ]
        for asked in self._service["tmpfs"]:
            path, _, options = asked.partition(":")
            lines.append(f"mount -t tmpfs -o nosuid,nodev,noexec{',' if options else ''}{options} tmpfs {at}{path}\n")
        for volume in self._service.get("volumes", ()):
            name, path = volume.split(":")
            kept = self._folder / "volumes" / name
            # A volume that is new begins as the image has the folder: its owner and its mode.
            lines.append(f"[ -d {kept} ] || cp -a {at}{path} {kept}\nmount --bind {kept} {at}{path}\n")
        return lines

    def wait(self) -> int:
        """Its exit status, of one that ends by itself."""
        assert self._unshare
        return self._unshare.wait(PATIENCE)

    def run(self, command: list[str], timeout: float = 60) -> "subprocess.CompletedProcess[str]":
        """A further program inside, as its user."""
        assert self._unshare
        [first] = psutil.Process(self._unshare.pid).children()
        user, group = self._service["user"].split(":")
        entering = ["nsenter", "--target", str(first.pid), "--mount", "--pid", "--uts", "--root", "--wd"]
        return subprocess.run(
            [*entering, "--setuid", user, "--setgid", group, *command],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )

    def healthy(self) -> bool:
        """Whether its health check passes now."""
        kind, *words = self._service["healthcheck"]["test"]
        shell = ["/bin/sh", "-c", words[0].replace("$$", "$")]
        try:
            return self.run(shell if kind == "CMD-SHELL" else words).returncode == 0
        except (subprocess.TimeoutExpired, ValueError, psutil.Error):
            return False

    def wait_until_healthy(self) -> None:
        """Fails with the end of its output."""
        until = time.monotonic() + PATIENCE
        while not self.healthy():
            assert self._unshare
            assert self._unshare.poll() is None, f"{self.name} ended:\n{self.said()}"
            assert time.monotonic() < until, f"{self.name} is not well:\n{self.said()}"
            time.sleep(0.5)

    def said(self) -> str:
        """The end of its output."""
        return self.log.read_text(encoding="utf-8", errors="replace")[-4000:]

    def end(self) -> None:
        """SIGTERM, as an engine does it, and SIGKILL for what stays."""
        if self._unshare and self._unshare.poll() is None:
            for first in psutil.Process(self._unshare.pid).children():
                first.terminate()
            try:
                self._unshare.wait(20)
            except subprocess.TimeoutExpired:
                self._unshare.kill()
                self._unshare.wait()
