"""Define `wenhen up`, `down`, `doctor`, `api` and `completion`."""

import json
import platform
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import TYPE_CHECKING, Any, Final

import click
from click.shell_completion import get_completion_class

from crawler.site_access import mask_url_password
from wenhen.cli.console import (
    command_settings,
    json_option,
    open_product_with_indexes,
    print_json,
    print_table,
    stderr_console,
    to_plain,
    wants_json,
)
from wenhen.kit.errors import SetupError, WenhenError
from wenhen.kit.python_process import python_command
from wenhen.runtime.embedded.data_folder import instance_lock
from wenhen.runtime.embedded.server_binaries import ServerProgram, find_mongod, find_redis_server
from wenhen.runtime.embedded.servers import ServerInfo, read_server_states, stop_servers

if TYPE_CHECKING:
    from wenhen.runtime.diagnosis import Fault
    from wenhen.runtime.settings_sources import Settings
    from wenhen.runtime.wiring import App

# `wenhen up`: run everything on one machine until Ctrl-C.


_LOOK_SECONDS: Final = 1.0  # seconds between looks whether a worker compiles


@click.command()
@click.option("--port", type=click.IntRange(0, 65535), help="Port of the dashboard; 0 takes a free one.")
@click.pass_context
def up(ctx: click.Context, port: int | None) -> None:
    """Start the servers, the workers, the daily schedule and the dashboard, and keep them running until Ctrl-C."""
    settings = command_settings(ctx)
    with ExitStack() as held:
        with open_product_with_indexes(ctx) as app:
            held.enter_context(instance_lock(settings.data))
            _run_everything(app, settings, port)
        stop_servers(settings.data)


def _run_everything(app: "App", settings: "Settings", port: int | None) -> None:
    from wenhen.accounts.users import FIRST_USER_NAME
    from wenhen.runtime.processes.dashboard_process import (
        dashboard_child,
        first_password_address,
        make_first_administrator,
        server_watchdog_child,
    )
    from wenhen.runtime.processes.supervisor import LogLimits, Supervisor
    from wenhen.runtime.processes.workers import CompilingNotice, add_metrics_exporter, worker_children

    address, dashboard = dashboard_child(app, port=port)  # may fail, so the one-time password is shown after it
    if app.settings.dashboard.sign_in and (password := make_first_administrator(app)):
        stderr_console().print(
            f"首个管理员 first administrator: {FIRST_USER_NAME}\n一次性密码 one-time password: {password}\n"
            f"或在浏览器中设置密码 or choose one in the browser: {first_password_address(app, address)}"
        )
    keeper = server_watchdog_child(settings)
    log = app.settings.log
    every = [*keeper, *add_metrics_exporter(app, [*worker_children(app), dashboard])]
    logs = LogLimits(log.max_mb * 1_000_000, log.keep)
    with Supervisor(every, say=stderr_console().print, logs=logs) as children:
        # In a thread, so that Ctrl-C also ends a slow start.
        Thread(target=_print_address, args=(address,), daemon=True).start()
        compiling = CompilingNotice(settings.data, stderr_console().print)
        Thread(target=_look_repeatedly, args=(compiling.look,), daemon=True).start()
        children.run_until_signal()


def _look_repeatedly(look: Callable[[], None]) -> None:
    while True:
        look()
        time.sleep(_LOOK_SECONDS)


def _print_address(address: str) -> None:
    """Print the address of the dashboard once it is reachable."""
    from wenhen.runtime.processes.dashboard_process import wait_until_served

    wait_until_served(address)
    stderr_console().print(f"控制台 dashboard: {address}\nCtrl-C 结束 ends everything")


# `wenhen down`: stop the servers that commands started.


@click.command()
@click.pass_context
def down(ctx: click.Context) -> None:
    """End the servers of the data folder that commands have started and left running; what they hold stays.

    `wenhen up` ends its own at Ctrl-C; while it runs it would start them again.
    """
    data = command_settings(ctx).data
    running = [info for info in read_server_states(data).values() if info.pid is not None]
    stop_servers(data)
    for info in running:
        stderr_console().print(f"已结束 ended: {info.name} (pid {info.pid})")
    if not running:
        stderr_console().print(f"没有在运行的服务器 no server runs in {data}")


# `wenhen doctor`: report what runs, the versions, and what is missing.


SHOWN_PACKAGES = ("scrapy", "pymongo", "redis", "celery", "jieba", "pypinyin", "flask", "numpy", "numba")


@click.command()
@json_option
@click.pass_context
def doctor(ctx: click.Context) -> None:
    """Say what is running, which versions, what waits, what was set aside, and what is missing.

    Starts nothing: embedded servers that do not run are named as such. Each fault that is
    found comes with what to do about it. Exit status 1 when the product cannot do its work.
    """
    report = examine(ctx)
    if wants_json():
        print_json(report)
    else:
        _print_report(report)
    if report["missing"]:
        raise click.ClickException(f"{len(report['missing'])} missing: {'; '.join(report['missing'])}")


def examine(ctx: click.Context) -> dict[str, Any]:
    """Return the report of `doctor`."""
    settings = command_settings(ctx)
    given = {"mongo": settings.mongo.url, "redis": settings.redis.url}
    servers = {name: info for name, info in read_server_states(settings.data).items() if given[name] is None}
    report: dict[str, Any] = {
        "python": platform.python_version(),
        "wenhen": version("wenhen"),
        "packages": {name: version(name) for name in SHOWN_PACKAGES},
        "data": str(settings.data),
        "embedded": {name: to_plain(info) for name, info in servers.items()},
        "addresses": {
            name: mask_url_password(url)
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
    report["missing"] += [str(fault.said) for fault in faults if fault.stops]
    report["advice"] = [str(fault.said) for fault in faults if not fault.stops]
    if all(info.answers for info in servers.values()) and not report["missing"]:
        report |= _examine_work(ctx, report)
    return report


def _faults(settings: "Settings", servers: "Mapping[str, ServerInfo]") -> "list[Fault]":
    """Return the faults of the machine, and of each server that is configured or runs."""
    from wenhen.runtime.diagnosis import (
        collect_faults,
        find_dead_servers,
        find_mongo_faults,
        find_redis_faults,
        machine_faults,
    )

    return collect_faults(
        machine_faults(settings),
        find_dead_servers(servers),
        find_mongo_faults(settings) if settings.mongo.url else (),
        find_redis_faults(settings) if settings.redis.url else (),
    )


def _missing_programs(settings: "Settings") -> list[str]:
    """Return why embedded servers cannot run on this machine."""
    missing = []
    with tempfile.TemporaryDirectory() as shim:
        finders: list[tuple[str | None, Callable[[], ServerProgram]]] = [
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


def _examine_work(ctx: click.Context, report: dict[str, Any]) -> dict[str, Any]:
    from wenhen.operations.health import check_health
    from wenhen.operations.problems import problem_groups
    from wenhen.runtime.diagnosis import find_work_faults
    from wenhen.runtime.wiring import open_app

    try:
        app = open_app(command_settings(ctx))
        states = check_health(app)
        for fault in find_work_faults(app, states, embedded=command_settings(ctx).needs_embedded_servers):
            report["missing" if fault.stops else "advice"].append(str(fault.said))
        return {
            "servers": {name: {"answers": state.answers, "detail": state.detail} for name, state in states.items()},
            "queues": app.queue.count_waiting(),
            "works": {str(step): count for step, count in app.store.works.count_by_step().items()},
            "pages": {str(step): count for step, count in app.store.pages.count_by_step().items()},
            "problems": [to_plain(group) for group in problem_groups(app)],
        }
    except WenhenError as error:
        report["missing"].append(str(error))
        return {}


def _print_report(report: dict[str, Any]) -> None:
    rows = [("wenhen", report["wenhen"]), ("Python", report["python"]), ("数据 data", report["data"])]
    rows += list(report["packages"].items())
    contact = report["crawler"]["contact"] or "✗ 未设联系方式 no contact: set crawler.contact"
    rows += [("爬虫 crawler", f"{report['crawler']['user_agent']} · {contact}")]
    rows += [(f"地址 {name}", url) for name, url in report["addresses"].items()]
    rows += [
        (
            f"内置 embedded {name}",
            f"✓ {info['version']} pid {info['pid']}" if info["answers"] else "✗ 未运行 not running",
        )
        for name, info in report["embedded"].items()
    ]
    rows += [
        (name, f"{'✓' if state['answers'] else '✗'} {state['detail']}")
        for name, state in report.get("servers", {}).items()
    ]
    for part in ("queues", "works", "pages"):
        rows += [(f"{part} {name}", str(count)) for name, count in report.get(part, {}).items()]
    print_table(("项目", "状态 state"), rows)
    if report["missing"] or report["advice"]:
        faults = [("✗", sentence) for sentence in report["missing"]] + [
            ("!", sentence) for sentence in report["advice"]
        ]
        print_table(("", "要处理 to do"), faults)
    if report.get("problems"):
        columns = ("来源 where", "种类 kind", "数目 count", "最近的原因 last reason")
        kinds = [(problem["which"], str(problem["count"]), problem["reason"]) for problem in report["problems"]]
        print_table(columns, [(which["where"], which["kind"] or "", *cells) for which, *cells in kinds])


CLIENT_PACKAGE: Final = "wenhen_client"
_GENERATOR_MODULE: Final = "openapi_python_client"
_FILE_CONTENT_TYPES: Final = (
    "application/pdf",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "application/wacz",
)  # content types of downloads that the client passes on as bytes


def write_api_client(description: Mapping[str, Any], out: Path) -> None:
    """Generate the client package into a new folder.

    Raises SetupError if the folder exists, or if the generator is missing or fails.
    """
    if find_spec(_GENERATOR_MODULE) is None:
        raise SetupError("api.no_generator")
    if out.exists():
        raise SetupError("api.there_already", path=str(out))
    with TemporaryDirectory() as folder:
        described, config = Path(folder, "openapi.json"), Path(folder, "config.json")
        described.write_text(json.dumps(description), encoding="utf-8")
        config.write_text(json.dumps(_generator_config()), encoding="utf-8")
        done = subprocess.run(
            python_command(
                _GENERATOR_MODULE,
                "generate",
                "--meta",
                "setup",
                "--path",
                str(described),
                "--config",
                str(config),
                "--output-path",
                str(out),
            ),
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        raise SetupError("api.not_generated", error=(done.stderr or done.stdout).strip()[-2000:])


def _generator_config() -> dict[str, object]:
    return {
        "project_name_override": CLIENT_PACKAGE.replace("_", "-"),
        "package_name_override": CLIENT_PACKAGE,
        "post_hooks": [],
        "content_type_overrides": dict.fromkeys(_FILE_CONTENT_TYPES, "application/octet-stream"),
    }


# `wenhen api`: the OpenAPI description, and a Python client generated from it.


@click.group()
def api() -> None:
    """The API for programs: its description, and a Python client."""


@api.command()
def describe() -> None:
    """Print the description of the API in OpenAPI 3.1."""
    from dashboard.api import describe_api as described

    click.echo(json.dumps(described(), ensure_ascii=False, indent=2))


@api.command()
@click.argument("out", type=click.Path(path_type=Path))
def client(out: Path) -> None:
    """Generate a Python client of the API into a new folder, for `pip install FOLDER` (needs wenhen[client])."""
    from dashboard.api import describe_api as described

    write_api_client(described(), out)
    click.echo(f"pip install {out}")


# `wenhen completion`: shell completion of commands and options.


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print what SHELL has to read for Tab to complete commands and options.

    Once: `eval "$(wenhen completion bash)"`; for good: the same line in ~/.bashrc (zsh: ~/.zshrc; fish:
    `wenhen completion fish > ~/.config/fish/completions/wenhen.fish`).
    """
    made = get_completion_class(shell)
    assert made is not None
    click.echo(made(ctx.find_root().command, {}, "wenhen", "_WENHEN_COMPLETE").source())
