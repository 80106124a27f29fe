"""The group that all commands stand in: settings in, exit status out."""

import importlib
import io
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from store.errors import WenhenError

_COMMANDS = {
    "up": ("wenhen.cli.upkeep.up", "up"),
    "demo": ("lab.cli.demo", "demo"),
    "works": ("wenhen.cli.library.works", "works"),
    "sites": ("wenhen.cli.web.sites", "sites"),
    "holders": ("wenhen.cli.library.holders", "holders"),
    "licences": ("wenhen.cli.library.licences", "licences"),
    "discover": ("wenhen.cli.web.discover", "discover"),
    "discovered": ("wenhen.cli.web.discover", "discovered"),
    "crawl": ("wenhen.cli.web.crawl", "crawl"),
    "runs": ("wenhen.cli.web.runs", "runs"),
    "scan": ("wenhen.cli.library.scan", "scan"),
    "original": ("wenhen.cli.library.original", "original"),
    "extract": ("wenhen.cli.web.extract", "extract"),
    "detect": ("lab.cli.detect", "detect"),
    "compare": ("lab.cli.compare", "compare"),
    "group": ("lab.cli.group", "group"),
    "idf": ("lab.cli.idf", "idf"),
    "segment": ("lab.cli.segment", "segment"),
    "cases": ("wenhen.cli.cases.cases", "cases"),
    "clusters": ("wenhen.cli.library.clusters", "clusters"),
    "report": ("wenhen.cli.cases.report", "report"),
    "evidence": ("wenhen.cli.cases.evidence", "evidence"),
    "audit": ("wenhen.cli.upkeep.audit", "audit"),
    "users": ("wenhen.cli.people.users", "users"),
    "webhooks": ("wenhen.cli.people.webhooks", "webhooks"),
    "tokens": ("wenhen.cli.people.tokens", "tokens"),
    "calibration": ("wenhen.cli.cases.calibration", "calibration_"),
    "archive": ("wenhen.cli.upkeep.archive", "archive"),
    "index": ("wenhen.cli.library.index", "index"),
    "problems": ("wenhen.cli.upkeep.problems", "problems"),
    "backup": ("wenhen.cli.upkeep.backup", "backup"),
    "restore": ("wenhen.cli.upkeep.backup", "restore"),
    "doctor": ("wenhen.cli.upkeep.doctor", "doctor"),
    "bench": ("lab.cli.bench", "bench"),
}


class Commands(click.Group):
    """Commands are imported when they are asked for, so that each starts quickly; a failure is one line and status
    1.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's signature
        """In the order in which a newcomer meets them."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  the same
        """The command, imported."""
        if cmd_name not in _COMMANDS:
            return None
        module, attribute = _COMMANDS[cmd_name]
        command = getattr(importlib.import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        if isinstance(sys.stdout, io.TextIOWrapper):  # an old locale has not every character
            sys.stdout.reconfigure(errors="backslashreplace")
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except WenhenError as error:
            raise click.ClickException(" ".join(str(error).split())) from error
        except BrokenPipeError:  # the reader of our output has seen enough
            _let_go_of_the_output()
            sys.exit(1)
        except OSError as error:
            if error.filename is None:
                _let_go_of_the_output()
            raise click.ClickException(f"{error.filename or 'the output'}: {error.strerror or error}") from error
        return result


def _let_go_of_the_output() -> None:
    """What is left of it would be written at the end, and fail again."""
    with suppress(OSError):  # it has no number, as in a test
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.option(
    "--data",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of the embedded servers' data (setting data, WENHEN_DATA).",
)
@click.version_option(package_name="wenhen")
@click.pass_context
def main(ctx: click.Context, data: Path | None) -> None:
    """文痕 wenhen finds copies of Chinese works on the web and builds the infringement report.

    Without WENHEN_MONGO_URL and WENHEN_REDIS_URL it starts a real mongod and a real Redis of its own in the data
    folder. Exit status: 0 done, 1 refused or failed (one line says why), 2 wrong usage.
    """
    from wenhen.settings import load

    ctx.obj = lambda: load(**({"data": data.absolute()} if data else {}))
