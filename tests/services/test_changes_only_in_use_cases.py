"""Screens, the API and commands change the store by use cases alone, so that no change stays out of the audit log."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import get_type_hints

import pytest

import wenhen
import wenhen.runtime.store
from wenhen.context.store_and_queue import Store

ROOT = Path(wenhen.__file__).parents[1]
KEPT_AND_LEFT = {"repository.py", "service.py", "shared_links.py"}  # of reports, beside those that write them
SOURCES = sorted(
    [
        *(path for room in ("dashboard", "wenhen/cli") for path in (ROOT / room).rglob("*.py")),
        *(ROOT / "wenhen").glob("*/*commands.py"),
        *(path for path in (ROOT / "wenhen/reports").rglob("*.py") if path.name not in KEPT_AND_LEFT | {"commands.py"}),
    ]
)
PORTS = get_type_hints(Store, vars(wenhen.runtime.store))  # name in the store -> port
READING = {  # methods of ports that change nothing; whatever a port has beside these counts as a change
    *(
        "get",
        "get_all",
        "get_text",
        "get_texts",
        "texts_there",
        "all",
        "many",
        "ids",
        "each",
        "find",
        "find_common",
        "find_same_texts",
        "recent",
    ),
    *(
        "count",
        "rough_count",
        "count_by_status",
        "count_by_step",
        "count_common",
        "count_series",
        "count_deliveries",
        "count_found",
        "count_unfinished",
        "counts",
        "keys",
        "numbers",
    ),
    *(
        "of",
        "of_all",
        "of_page",
        "of_pages",
        "of_work",
        "of_user",
        "of_case",
        "of_cases",
        "of_host",
        "of_batch",
        "at_home",
        "hosts_of",
    ),
    *(
        "archives",
        "candidates",
        "captures",
        "deliveries",
        "mains",
        "members",
        "owners",
        "of_secret",
        "pages",
        "find_retired",
        "series",
    ),
    *(
        "active",
        "changed_hosts",
        "changed_cases",
        "find_covering",
        "due",
        "due_looks",
        "first_with_body",
        "has_due",
        "mark_queued",
        "search",
        "texts_changed",
    ),
    *("same_body", "set_aside_ids", "switched_on", "announced_states", "unseen", "unseen_mentions", "unseen_since"),
    *("statements", "newest", "made_before", "of_file", "files", "receipts_of"),
    *("assigned_since", "find_undelivered", "find_unread", "find_waiting", "is_stored", "of_mails", "read_already"),
    *(
        "changes",
        "hosts",
        "of_copies",
        "of_series",
        "of_works",
        "over_time",
        "shares_of_page",
        "sites",
        "works",
    ),
}


def changes_of(source: str) -> set[str]:
    """By which methods a module changes the store (``users.add``), whether it calls them or hands them on."""
    tree = ast.parse(source)
    stores, ports = {"store"}, dict[str, str]()

    def port_of(node: ast.expr) -> str | None:
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=port) if name in stores and port in PORTS:
                return port
            case ast.Attribute(value=ast.Attribute(attr="store"), attr=port) if port in PORTS:
                return port
            case ast.Name(id=name):
                return ports.get(name)
        return None

    for name, value in _assigned(tree):
        if isinstance(value, ast.Attribute) and value.attr == "store":
            stores.add(name)
        elif port := port_of(value):
            ports[name] = port
    used = {(port_of(node.value), node.attr) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    return {f"{port}.{method}" for port, method in used if port and method in _changing(port)}


def _assigned(tree: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Every name with what it is given, from the top of the module down."""
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
                pairs = list(zip(names, values, strict=True))
            case ast.Assign(targets=[name], value=value):
                pairs = [(name, value)]
            case _:
                continue
        yield from ((name.id, value) for name, value in pairs if isinstance(name, ast.Name))


def _changing(port: str) -> set[str]:
    return {name for name in dir(PORTS[port]) if not name.startswith("_")} - READING


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_nobody_outside_of_the_use_cases_changes_the_store(path: Path) -> None:
    assert changes_of(path.read_text(encoding="utf-8")) == set()


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("services().store.users.add(user)", {"users.add"}),
        ("with opened(ctx) as app:\n    each(app.store.holders.remove, names)", {"holders.remove"}),
        ("kept, now = given.store, clock()\nlog = kept.audit\nlog.add_all(now, who)", {"audit.add_all"}),
        ("store = services().store\nstore.users.get(id)\nstore.audit.find()", set()),
        ("people.users.add(name)", set()),
    ],
)
def test_the_walk_sees_a_change_by_whatever_name(source: str, found: set[str]) -> None:
    assert changes_of(source) == found
