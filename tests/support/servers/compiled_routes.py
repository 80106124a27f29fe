"""Addresses of screens compiled once for all the apps of a test run: each test makes an app of its own."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest


@pytest.fixture(scope="session", autouse=True)
def compiled_routes() -> Iterator[None]:
    """What makes addresses of a rule, kept for the next app that has the same rule; for each is code compiled."""
    from werkzeug.routing import Rule

    compile_anew, compiled = Rule._compile_builder, dict[object, Callable[..., Any]]()

    def once(rule: Rule, append_unknown: bool = True) -> Callable[..., Any]:
        converters = {name: type(one) for name, one in rule._converters.items()}
        asked = repr((rule.rule, rule._trace, rule.defaults, converters, append_unknown))
        if asked not in compiled:
            compiled[asked] = compile_anew(rule, append_unknown)
        return compiled[asked]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Rule, "_compile_builder", once)
        yield
