"""Reads docker-compose.yml as far as a test needs: the variables filled in, the services by their names."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[3]
FILE = ROOT / "docker-compose.yml"


def compose(variables: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The whole file, with these variables of the environment."""
    text = filled(FILE.read_text(encoding="utf-8"), variables or {})
    read: dict[str, Any] = yaml.safe_load(text)
    return read


def filled(text: str, variables: Mapping[str, str]) -> str:
    """`${NAME}` and `${NAME:-otherwise}` replaced.

    >>> filled("a: ${A:-1} ${B}", {"B": "2"})
    'a: 1 2'
    """

    def one(match: "re.Match[str]") -> str:
        return variables.get(match[1]) or (match[2] or "")

    return re.sub(r"(?<!\$)\$\{(\w+)(?::-([^}]*))?\}", one, text)
