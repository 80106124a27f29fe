"""Reads a Dockerfile as far as ours goes: stages, and what each of their lines asks for."""

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

KNOWN = {"ARG", "FROM", "WORKDIR", "COPY", "RUN", "ENV", "USER", "ENTRYPOINT", "CMD"}


@dataclass(frozen=True)
class Line:
    """One instruction, its continuation lines joined."""

    word: str
    rest: str


@dataclass
class Stage:
    """What stands between one FROM and the next."""

    name: str
    base: str
    lines: list[Line] = field(default_factory=list)


def stages(dockerfile: Path, arguments: dict[str, str]) -> list[Stage]:
    """The stages in their order, with these build arguments in place of the defaults."""
    given: dict[str, str] = {}
    found: list[Stage] = []
    for line in _lines(dockerfile.read_text(encoding="utf-8")):
        assert line.word in KNOWN, f"{line.word} is not understood here"
        if line.word == "ARG":
            name, _, default = line.rest.partition("=")
            given.setdefault(name, arguments.get(name, default))
        elif line.word == "FROM":
            base, _, name = line.rest.partition(" AS ")
            found.append(Stage(name, expanded(base, given)))
        else:
            found[-1].lines.append(Line(line.word, line.rest if line.word == "RUN" else expanded(line.rest, given)))
    return found


def expanded(text: str, variables: dict[str, str]) -> str:
    """The text with `$NAME` and `${NAME}` replaced where the name is known; others stay."""
    return re.sub(r"\$\{?(\w+)\}?", lambda match: variables.get(match[1], match[0]), text)


def words(rest: str) -> list[str]:
    """The words of ENTRYPOINT, CMD and ENV."""
    return json.loads(rest) if rest.startswith("[") else shlex.split(rest)


def _lines(text: str) -> Iterator[Line]:
    kept = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    for line in kept.replace("\\\n", " ").splitlines():
        if line.strip():
            word, _, rest = line.strip().partition(" ")
            yield Line(word, rest.strip())
