"""`wenhen doctor`: what is running, in which version, and what is missing."""

import platform
import tempfile
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import click

from store.errors import SetupError, WenhenError
from wenhen.cli.shared.opening import settings_of
from wenhen.cli.shared.output import json_option, plain, print_json, print_table
from wenhen.diagnosis.fault import Fault
from wenhen.embedded import ServerInfo
from wenhen.settings import Settings

PACKAGES = ("scrapy", "pymongo", "redis", "celery", "jieba", "pypinyin", "flask", "numpy", "numba")


@click.command()
@json_option
@click.pass_context
def doctor(ctx: click.Context, as_json: bool) -> None:
    """Say what is running, which versions, what waits, what was set aside, and what is missing.

    Starts nothing: embedded servers that do not run are named as such. Each fault that is
    found comes with what to do about it. Exit status 1 when the product cannot do its work.
    """
    found = examine(ctx)
    if as_json:
        print_json(found)
    else:
        _print(found)
    if found["missing"]:
        raise click.ClickException(f"{len(found['missing'])} missing: {'; '.join(found['missing'])}")


def examine(ctx: click.Context) -> dict[str, Any]:
    """Everything that `doctor` says."""
    from store.rules.web.shown_access import masked
    from wenhen.embedded import running

    settings = settings_of(ctx)
    given = {"mongo": settings.mongo.url, "redis": settings.redis.url}
    servers = {name: info for name, info in running(settings.data).items() if given[name] is None}
    found: dict[str, Any] = {
        "python": platform.python_version(),
        "wenhen": version("wenhen"),
        "packages": {name: version(name) for name in PACKAGES},
        "data": str(settings.data),
        "embedded": {name: plain(info) for name, info in servers.items()},
        "addresses": {
            name: masked(url)
            for name, url in (
                ("mongo", settings.mongo.url),
                ("redis", settings.redis.url),
                ("index", settings.index.url),
            )
            if url
        },
        "crawler": {"user_agent": settings.crawler.user_agent, "contact": settings.crawler.contact},
        "missing": _missing_programs(settings),
    }
    faults = _faults(settings, servers)
    found["missing"] += [str(fault.said) for fault in faults if fault.stops]
    found["advice"] = [str(fault.said) for fault in faults if not fault.stops]
    if all(info.answers for info in servers.values()) and not found["missing"]:
        found |= _inside(ctx, found)
    return found


def _faults(settings: Settings, servers: Mapping[str, ServerInfo]) -> list[Fault]:
    """Of the machine, and of each server that was given or runs."""
    from wenhen.diagnosis.fault import found
    from wenhen.diagnosis.machine import machine_faults
    from wenhen.diagnosis.servers import dead_servers, mongo_faults, redis_faults

    return found(
        machine_faults(settings),
        dead_servers(servers),
        mongo_faults(settings) if settings.mongo.url else (),
        redis_faults(settings) if settings.redis.url else (),
    )


def _missing_programs(settings: Settings) -> list[str]:
    """What keeps the embedded servers from running on this machine."""
    from wenhen.embedded.binaries import Program, find_mongod, find_redis_server

    missing = []
    with tempfile.TemporaryDirectory() as shim:
        finders: list[tuple[str | None, Callable[[], Program]]] = [
            (settings.mongo.url, lambda: find_mongod(Path(shim))),
            (settings.redis.url, find_redis_server),
        ]
        for url, find in finders:
            try:
                if url is None:
                    find()
            except SetupError as error:
                missing.append(str(error))
    return missing


def _inside(ctx: click.Context, found: dict[str, Any]) -> dict[str, Any]:
    from services.upkeep.health import health
    from services.upkeep.problems import groups
    from wenhen.diagnosis.work import work_faults
    from wenhen.wiring import open_app

    try:
        app = open_app(settings_of(ctx))
        states = health(app)
        for fault in work_faults(app, states, embedded=settings_of(ctx).embedded):
            found["missing" if fault.stops else "advice"].append(str(fault.said))
        return {
            "servers": {name: {"answers": state.answers, "detail": state.detail} for name, state in states.items()},
            "queues": app.queue.waiting(),
            "works": {str(step): count for step, count in app.store.works.count_by_step().items()},
            "pages": {str(step): count for step, count in app.store.pages.count_by_step().items()},
            "problems": [plain(one) for one in groups(app)],
        }
    except WenhenError as error:
        found["missing"].append(str(error))
        return {}


def _print(found: dict[str, Any]) -> None:
    rows = [("wenhen", found["wenhen"]), ("Python", found["python"]), ("数据 data", found["data"])]
    rows += list(found["packages"].items())
    contact = found["crawler"]["contact"] or "✗ 未设联系方式 no contact: set crawler.contact"
    rows += [("爬虫 crawler", f"{found['crawler']['user_agent']} · {contact}")]
    rows += [(f"地址 {name}", url) for name, url in found["addresses"].items()]
    rows += [
        (
            f"内置 embedded {name}",
            f"✓ {info['version']} pid {info['pid']}" if info["answers"] else "✗ 未运行 not running",
        )
        for name, info in found["embedded"].items()
    ]
    rows += [
        (name, f"{'✓' if state['answers'] else '✗'} {state['detail']}")
        for name, state in found.get("servers", {}).items()
    ]
    for part in ("queues", "works", "pages"):
        rows += [(f"{part} {name}", str(count)) for name, count in found.get(part, {}).items()]
    print_table(("项目", "状态 state"), rows)
    if found["missing"] or found["advice"]:
        faults = [("✗", said) for said in found["missing"]] + [("!", said) for said in found["advice"]]
        print_table(("", "要处理 to do"), faults)
    if found.get("problems"):
        columns = ("来源 where", "种类 kind", "数目 count", "最近的原因 last reason")
        kinds = [(one["which"], str(one["count"]), one["reason"]) for one in found["problems"]]
        print_table(columns, [(which["where"], which["kind"] or "", *told) for which, *told in kinds])
