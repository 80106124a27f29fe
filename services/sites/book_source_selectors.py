"""Where the text of a chapter stands, as reading apps write it in their book sources, as CSS selectors.

A rule of Legado (阅读) is one of several languages: its own (`class.content@tag.p@text`), CSS behind `@css:`, XPath,
JSONPath or JavaScript. Those that say the same as a selector are translated; an index of a class, and what a rule
leaves out or rewrites, are not in a selector and fall away: more is read rather than less.
"""

import re
from typing import Final

from crawler.extract.markup.css_selectors import is_selector

_ALTERNATIVES: Final = re.compile(r"\|\||&&|%%")
_ELSEWHERE: Final = re.compile(r"@js:|<js>|^\s*(?://|@xpath:|\$\.|@json:|:)|\{\{", re.IGNORECASE)
_GETTERS: Final = frozenset(("text", "textnodes", "owntext", "html", "all", "content"))
_KINDS: Final = {"class": ".", "id": "#", "tag": ""}
_LEFT_OUT: Final = re.compile(r"(?:![-\d:]+|\[[-!\d:, ]+\])$")


def selector_of(rule: str) -> str | None:
    """The selector that fits where a rule does; None where none says that."""
    selectors = [_selector(one) for one in _ALTERNATIVES.split(rule.partition("##")[0])]
    found = ", ".join(one for one in selectors if one)
    return found if found and is_selector(found) else None


def _selector(rule: str) -> str | None:
    rule = rule.strip()
    if not rule or _ELSEWHERE.search(rule):
        return None
    if rule.lower().startswith("@css:"):
        return rule[len("@css:") :].rpartition("@")[0].strip() or None
    steps = [step.strip() for step in rule.lstrip("-+").split("@")]
    if steps[-1].lower() in _GETTERS:
        steps.pop()
    found = [_step(step) for step in steps]
    return " ".join(one for one in found if one) if found and all(found) else None


def _step(step: str) -> str | None:
    step = _LEFT_OUT.sub("", step)
    kind, dot, rest = step.partition(".")
    if not dot or kind not in (*_KINDS, "children", "text"):
        return step or None
    if kind not in _KINDS:
        return None
    name, _, index = rest.partition(".")
    if not name or (kind == "tag" and index):  # one of many elements, told by its place alone
        return None
    if kind == "class":
        return "." + ".".join(name.split())
    return _KINDS[kind] + name
