"""Every view says what it needs, and nobody without that right gets through."""

from collections.abc import Callable

import pytest
from flask import Flask, g
from werkzeug.routing import AnyConverter, Rule

from dashboard.frame.api_protocol import _authenticate
from dashboard.frame.security import declared_right
from tests.support.screens import MakeApp
from wenhen.kit.rights import RIGHTS, Right, Role

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


def views(app: Flask) -> list[tuple[Rule, str]]:
    """Every address with every method that it answers."""
    return [
        (rule, method)
        for rule in app.url_map.iter_rules()
        for method in METHODS
        if rule.methods and method in rule.methods and rule.endpoint != "static"
    ]


def test_every_view_declares_what_it_needs(make_app: MakeApp) -> None:
    app = make_app()
    found = views(app)
    assert len(found) > 15
    assert [rule.rule for rule, _ in found if declared_right(app, rule.endpoint) is None] == []


def test_a_view_that_declares_nothing_answers_nobody(make_app: MakeApp) -> None:
    app = make_app(own=True)
    app.add_url_rule("/forgotten", "forgotten", lambda: "seen")
    assert app.test_client().get("/forgotten").status_code == 403


@pytest.mark.parametrize("role", Role)
def test_a_role_gets_through_exactly_where_the_table_says(make_app: MakeApp, role: Role) -> None:
    app = make_app(own=True)

    def take_the_role() -> None:
        g.rights = RIGHTS[role]

    hooks = app.before_request_funcs[None]
    hooks[:] = [hook for hook in hooks if hook is not _authenticate and hook.__module__ != "flask_limiter._extension"]
    asks = next(at for at, hook in enumerate(hooks) if hook.__module__ == "dashboard.frame.security")
    del hooks[asks + 1 :]  # forms need tokens
    hooks.insert(-1, take_the_role)
    asked = [(rule, method, declared_right(app, rule.endpoint)) for rule, method in views(app)]
    for endpoint in app.view_functions:
        app.view_functions[endpoint] = _same_needs(app, endpoint)
    client = app.test_client()
    for rule, method, right in asked:
        if isinstance(right, Right):
            status = client.open(_some_address(app, rule), method=method).status_code
            assert status == (418 if right in RIGHTS[role] else 403), (rule.rule, method)


def _same_needs(app: Flask, endpoint: str) -> Callable[..., tuple[str, int]]:
    def reached(**_arguments: object) -> tuple[str, int]:
        return "", 418

    reached.__dict__.update(app.view_functions[endpoint].__dict__)
    return reached


def _some_address(app: Flask, rule: Rule) -> str:
    """The rule's address with a value of the right kind for each of its arguments."""
    values: dict[str, object] = {}
    for name, converter in rule._converters.items():
        values[name] = min(converter.items) if isinstance(converter, AnyConverter) else 1
    return app.url_map.bind("localhost").build(rule.endpoint, values, append_unknown=False)
