"""Builds the image's stages into folders without an engine: each step in a mount namespace, over the machine's own
system in place of the base image.

A stage is a list of layers, as an engine has them (overlayfs). The base image, Debian with a Python, is played by the
machine itself, so what the image installs is tested, and what Debian's image holds is not. The folder of the layers has
to be another file system than the machine's, as overlayfs asks for it.
"""

import fnmatch
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.image.dockerfile import Stage, expanded, stages, words

ROOT = Path(__file__).parents[3]
SYSTEM = "python:"  # the base image that the machine stands in for


@dataclass
class Image:
    """One stage as it stands: its layers, the lowest first, and what is set in it."""

    layers: list[Path]
    environment: dict[str, str] = field(default_factory=dict)
    user: str = "root"
    folder: str = "/"
    entrypoint: list[str] = field(default_factory=list)
    command: list[str] = field(default_factory=list)


def missing_means() -> str | None:
    """What keeps this machine from building; None where nothing does."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return "only root of a Linux machine can mount the layers of an image"
    if not (shutil.which("unshare") and shutil.which("setpriv")):
        return "unshare and setpriv of util-linux are missing"
    if sys.version_info[:2] != (3, 11):
        return "the image has Python 3.11, and this machine stands in for it"
    tried = subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False)
    return "this machine allows no mount namespaces" if tried.returncode else None


def mounting(layers: list[Path], at: Path, *, writable: bool) -> str:
    """The lines of a shell script that mount the layers over the machine, with what every process needs besides."""
    lower = [*reversed(layers[:-1] if writable else layers), Path("/")]
    top = f",upperdir={layers[-1]},workdir={layers[-1]}.work" if writable else ""
    return f"""set -e
mkdir -p {at} {layers[-1]}.work
mount -t overlay overlay -o lowerdir={":".join(map(str, lower))}{top} {at}
mount -t proc proc {at}/proc
mount --rbind /dev {at}/dev
mount --rbind /sys {at}/sys
"""


class Builder:
    """Builds into a folder of its own, which may be kept: a stage whose lines and files are the same is not done
    again.
    """

    def __init__(self, folder: Path, arguments: dict[str, str]) -> None:
        self._folder = folder
        self._arguments = arguments
        self._made: dict[str, Image] = {}

    def build(self) -> dict[str, Image]:
        """Every stage, by its name."""
        for stage in stages(ROOT / "Dockerfile", self._arguments):
            self._made[stage.name] = self._stage(stage)
        return self._made

    def _stage(self, stage: Stage) -> Image:
        image = self._begun(stage)
        for line in stage.lines:
            if line.word == "RUN":
                self._run(image, line.rest)
            elif line.word == "COPY":
                self._copy(image, line.rest.split())
            elif line.word == "ENV":
                for name, value in (word.split("=", 1) for word in words(line.rest)):
                    image.environment[name] = expanded(value, {"PATH": image.environment["PATH"]})
            elif line.word == "USER":
                image.user = line.rest
            elif line.word == "WORKDIR":
                image.folder = line.rest
                (image.layers[-1] / line.rest[1:]).mkdir(parents=True, exist_ok=True)
            elif line.word == "ENTRYPOINT":
                image.entrypoint = words(line.rest)
            else:
                image.command = words(line.rest)
        return image

    def _begun(self, stage: Stage) -> Image:
        layer = self._folder / stage.name
        layer.mkdir(parents=True)
        layer.chmod(0o755)
        if not stage.base.startswith(SYSTEM):
            below = self._made[stage.base]
            return Image(
                [*below.layers, layer],
                dict(below.environment),
                below.user,
                below.folder,
                list(below.entrypoint),
                list(below.command),
            )
        python = Path(sys.base_prefix) / "bin"
        image = Image([layer], {"PATH": f"{python}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"})
        if Path(sys.base_prefix).is_relative_to("/root"):  # where others may not look, as they may in the image
            (layer / "root").mkdir()
            (layer / "root").chmod(0o755)
        return image

    def _run(self, image: Image, script: str) -> None:
        at = self._folder / "mounted"
        inside = f"cd {image.folder} && {script}"
        outside = mounting(image.layers, at, writable=True) + f'exec chroot {at} /bin/sh -c "$INSIDE"'
        passed = {
            name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_", "http", "HTTP"))
        }
        subprocess.run(
            ["unshare", "--mount", "sh", "-c", outside],
            env={**passed, "HOME": "/root", **image.environment, "INSIDE": inside},
            check=True,
            timeout=900,
        )

    def _copy(self, image: Image, asked: list[str]) -> None:
        source = ROOT
        if asked[0].startswith("--from="):
            source = self._made[asked.pop(0).removeprefix("--from=")].layers[-1]
        *names, target = asked
        into = image.layers[-1] / str(Path(image.folder) / target).lstrip("/")
        for name in names:
            whole = source / name.strip("/") if source != ROOT else source / name
            if whole.is_dir():
                ignore = _ignored if source == ROOT else None
                copy = shutil.copy2 if source == ROOT else os.link  # both are layers of the same file system
                shutil.copytree(whole, into, symlinks=True, ignore=ignore, dirs_exist_ok=True, copy_function=copy)
            else:
                into.mkdir(parents=True, exist_ok=True)
                shutil.copy2(whole, into)


def _ignored(folder: str, names: list[str]) -> set[str]:
    """What .dockerignore keeps from an image."""
    rules = [rule.removeprefix("**/") for rule in (ROOT / ".dockerignore").read_text(encoding="utf-8").split()]
    anywhere = folder == str(ROOT)
    return {
        name
        for name in names
        if any(fnmatch.fnmatch(name, rule) and (anywhere or rule == "__pycache__") for rule in rules)
    }
