"""docs/api.md names every operation of the API and every scope, and none that does not exist."""

import re
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from dashboard.app import create_app
from wenhen.kit.rights import Right

API = (Path(__file__).parents[3] / "docs" / "api.md").read_text(encoding="utf-8")
OPERATION = re.compile(r"`((?:GET|POST|PUT|PATCH|DELETE)(?:\\\|[A-Z]+)*) ([^`?]+)[^`]*`((?:, `[^ `]+`)*)")


def documented() -> set[tuple[str, str]]:
    """Methods and paths of the table; what follows an operation without a method is another ending of its path."""
    found = set()
    for methods, path, endings in OPERATION.findall(API):
        paths = [path, *(re.sub(r"[^/.]+$", ending.lstrip("."), path) for ending in re.findall(r"`([^`]+)`", endings))]
        found |= {(method, unnamed(one)) for method in methods.split("\\|") for one in paths}
    return found


@cache
def description() -> Any:
    """The API in OpenAPI's terms."""
    nothing = cast(Any, SimpleNamespace(now=None))  # a description needs no store
    app = create_app(nothing, secret_key="x", sign_in=True, health=nothing)
    return app.test_client().get("/api/v1/openapi.json").get_json()


def offered() -> set[tuple[str, str]]:
    """Methods and paths of the OpenAPI description; a last part that is one of some words, as each of these."""
    found = set()
    for path, described in description()["paths"].items():
        operations = dict(described)
        parameters = {one["name"]: one["schema"] for one in operations.pop("parameters", [])}
        start, _, last = path.removeprefix("/api/v1").rpartition("/")
        words = parameters.get(last.strip("{}"), {}).get("enum", [last])
        found |= {(method.upper(), unnamed(f"{start}/{word}")) for method in operations for word in words}
    return found


def unnamed(path: str) -> str:
    return re.sub(r"\{\w+\}", "{}", path)


def test_the_table_of_operations_is_that_of_the_description() -> None:
    assert documented() == offered()


def test_no_two_schemas_have_one_name_so_that_none_has_a_number_behind_it() -> None:
    assert [name for name in description()["components"]["schemas"] if name[-1].isdigit()] == []


def test_the_table_of_scopes_is_that_of_the_rights() -> None:
    assert set(re.findall(r"^\| `(\w+)` \|", API, re.MULTILINE)) == {str(right) for right in Right}
