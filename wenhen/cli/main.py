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
from wenhen.cli.commands import COMMANDS
from wenhen.cli.shared.examples import with_examples
from wenhen.cli.shared.quick_start import collect_seldom


class Commands(click.Group):
    """Commands are imported when they are asked for, so that each starts quickly; a failure is one line and status
    1.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's signature
        """In the order in which a newcomer meets them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  the same
        """The command, imported."""
        place = COMMANDS.get(cmd_name)
        if place is None:
            return None
        command = getattr(importlib.import_module(place.module), place.attribute)
        assert isinstance(command, click.Command)
        return with_examples(command, cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002  the same
        """The overview, from the table alone."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, place.purpose) for name, place in COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        collect_seldom()
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
