"""docs/security.md names tests that are there, and every item of ASVS up to level 2."""

import ast
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "security.md").read_text("utf-8")
NAMED = re.compile(r"`([\w/]+\.py)::(test_\w+)`")
PLACE = re.compile(r"`((?:[a-z]+/)+[\w.]*)`")
# Items of levels 1 and 2 by section: those that a section has up to a number, less those of level 3.
SECTIONS = {
    "1.1": 2,
    "1.2": 9,
    "1.3": 11,
    "1.4": 3,
    "1.5": 2,
    "2.1": 3,
    "2.2": 3,
    "2.3": 4,
    "2.4": 1,
    "3.2": 2,
    "3.3": 4,
    "3.4": 6,
    "3.5": 5,
    "3.7": 2,
    "4.1": 3,
    "4.2": 1,
    "4.3": 2,
    "4.4": 4,
    "5.1": 1,
    "5.2": 3,
    "5.3": 2,
    "5.4": 3,
    "6.1": 3,
    "6.2": 11,
    "6.3": 3,
    "6.4": 4,
    "6.5": 5,
    "6.6": 3,
    "6.8": 3,
    "7.1": 3,
    "7.2": 4,
    "7.3": 2,
    "7.4": 5,
    "7.5": 2,
    "7.6": 2,
    "8.1": 2,
    "8.2": 3,
    "8.3": 1,
    "8.4": 1,
    "9.1": 3,
    "9.2": 4,
    "11.1": 2,
    "11.2": 3,
    "11.3": 3,
    "11.4": 3,
    "11.5": 1,
    "11.6": 1,
    "12.1": 3,
    "12.2": 2,
    "12.3": 4,
    "13.1": 1,
    "13.2": 5,
    "13.3": 2,
    "13.4": 5,
    "14.1": 2,
    "14.2": 4,
    "14.3": 3,
    "15.1": 3,
    "15.2": 3,
    "15.3": 7,
    "16.1": 1,
    "16.2": 5,
    "16.3": 4,
    "16.4": 3,
    "16.5": 3,
}


@cache
def functions_of(file: str) -> frozenset[str]:
    tree = ast.parse((ROOT / "tests" / file).read_text("utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


def test_every_test_that_it_names_is_there() -> None:
    named = NAMED.findall(PAGE)
    assert len(named) > 40
    assert [one for one in named if one[1] not in functions_of(one[0])] == []


def test_every_threat_has_a_test() -> None:
    threats = PAGE.partition("## Who could do harm")[2].partition("### What stands against nothing here")[0]
    rows = [line for line in threats.splitlines() if line.startswith("| ") and "what they could try" not in line]
    assert len(rows) > 30
    assert [row for row in rows if not NAMED.search(row)] == []


def test_the_places_that_it_names_are_there() -> None:
    places = [place for place in PLACE.findall(PAGE) if not place.startswith(("dist/", "log/"))]
    assert len(places) > 40
    assert [place for place in places if not (ROOT / place).exists()] == []


def test_every_item_of_the_standard_up_to_level_2_is_answered_once_with_where_or_why() -> None:
    rows = re.findall(r"^\| (\d+\.\d+\.\d+) \| ([=–!]) \| (.+) \|$", PAGE, re.M)
    items = {f"{section}.{number}" for section, most in SECTIONS.items() for number in range(1, most + 1)}
    assert sorted(item for item, _, _ in rows) == sorted(items)
    assert "| 10.1.1–10.7.3 | – |" in PAGE
    assert "| 17.1.1–17.3.2 | – |" in PAGE
