"""Define the command `wenhen` and the table of its commands."""

import importlib
import importlib.util
import io
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

import click

from fingerprinter.compiled import call_before_compiling
from wenhen.cli.examples import add_examples
from wenhen.kit.errors import WenhenError
from wenhen.kit.python_process import CODE_IS_KEPT, COMPILING, tune_command_garbage_collection

# All commands, in the order in which a new user needs them. The overview is made from this table, so that `wenhen
# --help` imports none of them.


class CommandEntry(NamedTuple):
    """The module of a command, and its line in the overview."""

    module: str
    attribute: str
    purpose: str


COMMANDS: Final[Mapping[str, CommandEntry]] = {
    "up": CommandEntry("wenhen.runtime.commands", "up", "Run everything on this machine until Ctrl-C."),
    "demo": CommandEntry(
        "wenhen.demo.commands", "demo", "The whole chain on sample texts, from the crawl to the report."
    ),
    "works": CommandEntry("wenhen.works.commands", "works", "The works whose copies are to be found (母体)."),
    "common": CommandEntry(
        "wenhen.common.commands", "common", "Common texts: statutes, classics, forms. They accuse nobody."
    ),
    "sites": CommandEntry("wenhen.sites.commands", "sites", "The websites that are watched."),
    "holders": CommandEntry("wenhen.holders.commands", "holders", "Rights holders and their own sites."),
    "licences": CommandEntry("wenhen.licences.commands", "licences", "Authorised reprints."),
    "discover": CommandEntry(
        "wenhen.discovery.commands", "discover", "Ask a search engine for the sentences of a work."
    ),
    "discovered": CommandEntry(
        "wenhen.discovery.commands", "review_discoveries", "The addresses found that way, to be reviewed."
    ),
    "continued": CommandEntry(
        "wenhen.discovery.commands", "continued", "Books that copy a series and go on under its name."
    ),
    "mark": CommandEntry("wenhen.marks.commands", "mark", "Write marked copies of a text, one for each recipient."),
    "marks": CommandEntry("wenhen.marks.commands", "marks", "Marked copies, and whose copy leaked."),
    "crawl": CommandEntry(
        "wenhen.crawls.commands", "crawl", "Crawl a watched site, or an address, and match what it holds."
    ),
    "capture": CommandEntry("wenhen.crawls.commands", "capture", "Captures that somebody brings from an app."),
    "runs": CommandEntry("wenhen.crawls.commands", "runs", "Crawls and other runs."),
    "pages": CommandEntry("wenhen.pages.commands", "pages", "The crawled pages, and which works came near each."),
    "search": CommandEntry("wenhen.search.commands", "search", "Look for words, or a phrase, in everything."),
    "scan": CommandEntry(
        "wenhen.texts.lookup_commands", "scan", "Say which works a text is copied from, passage by passage."
    ),
    "bulk": CommandEntry("wenhen.bulk.commands", "bulk", "Whole archives against the library, on many machines."),
    "original": CommandEntry("wenhen.texts.lookup_commands", "original", "Say whether submissions are original."),
    "parallels": CommandEntry(
        "wenhen.texts.commands", "parallels", "List every passage that texts share, for scholars."
    ),
    "fingerprint": CommandEntry("wenhen.texts.commands", "fingerprint", "Show the fingerprints of texts."),
    "extract": CommandEntry("wenhen.texts.commands", "extract", "Print the main text of pages as JSON lines."),
    "detect": CommandEntry(
        "wenhen.comparison.commands", "detect", "Look the texts of an evaluation suite up among its works."
    ),
    "compare": CommandEntry(
        "wenhen.comparison.commands", "compare", "Compare all fingerprint schemes on your own texts."
    ),
    "group": CommandEntry(
        "wenhen.comparison.commands", "group", "Group texts that share one of their longest sentences (nshash)."
    ),
    "idf": CommandEntry("wenhen.comparison.commands", "idf", "Weights of words for the schemes that weigh words."),
    "segment": CommandEntry("wenhen.comparison.commands", "segment", "Print the words of texts as JSON lines."),
    "cases": CommandEntry("wenhen.cases.commands", "cases", "The suspected piracy."),
    "rules": CommandEntry("wenhen.triage.commands", "rules", "What is done with new leads by itself."),
    "clusters": CommandEntry("wenhen.clusters.commands", "clusters", "Near-duplicate works and pages."),
    "report": CommandEntry(
        "wenhen.reports.commands", "report", "The infringement report, as .pdf, .xlsx, .csv, .json or .html."
    ),
    "notices": CommandEntry("wenhen.notices.commands", "notices", "Notices to those who run sites."),
    "links": CommandEntry("wenhen.reports.commands", "links", "Share reports at secret addresses."),
    "reports": CommandEntry("wenhen.reports.commands", "reports", "Reports made in the background, and kept."),
    "evidence": CommandEntry("wenhen.evidence.commands", "evidence", "Cases as files that prove them (WACZ)."),
    "audit": CommandEntry("wenhen.operations.commands", "audit", "The log of who did what."),
    "users": CommandEntry("wenhen.accounts.commands", "users", "The people who may sign in to the dashboard."),
    "alerts": CommandEntry("wenhen.alerts.commands", "alerts", "What people are told of: bell, mail and chat."),
    "webhooks": CommandEntry("wenhen.webhooks.commands", "webhooks", "The addresses that are told of new cases."),
    "tokens": CommandEntry("wenhen.accounts.commands", "tokens", "The tokens with which programs use the API."),
    "api": CommandEntry("wenhen.runtime.commands", "api", "The description of the API, and a Python client of it."),
    "calibration": CommandEntry("wenhen.cases.commands", "calibration_", "The thresholds and their false-alarm rates."),
    "archive": CommandEntry("wenhen.archive.commands", "archive", "The WARC files that crawls leave."),
    "rematch": CommandEntry("wenhen.matching.commands", "rematch", "The library matched anew."),
    "index": CommandEntry("wenhen.matching.commands", "index", "The inverted indexes over works and pages."),
    "problems": CommandEntry("wenhen.operations.commands", "problems", "What was refused or set aside, by kind."),
    "plugins": CommandEntry("wenhen.operations.commands", "plugins", "The plug-ins that are installed."),
    "backup": CommandEntry(
        "wenhen.backups.commands", "backup", "Write everything that cannot be made again into a folder."
    ),
    "restore": CommandEntry("wenhen.backups.commands", "restore", "Put a backup back, compare it, build the indexes."),
    "down": CommandEntry("wenhen.runtime.commands", "down", "End the servers that commands left running."),
    "doctor": CommandEntry(
        "wenhen.runtime.commands", "doctor", "Say what runs, what waits, what is wrong and what to do."
    ),
    "completion": CommandEntry("wenhen.runtime.commands", "completion", "Let Tab complete commands and options."),
    "bench": CommandEntry("benchmarks.commands", "bench", "Speed and size against peers, in the same run."),
}

CHECKOUT_PACKAGE: Final = "benchmarks"  # not in the wheel: `make setup` installs it in a checkout


def is_installed(entry: CommandEntry) -> bool:
    """Return whether the package of a command can be imported, without importing it."""
    package = entry.module.partition(".")[0]
    if package != CHECKOUT_PACKAGE:
        return True
    spec = importlib.util.find_spec(package)
    folders = spec.submodule_search_locations if spec else None
    return any((Path(folder) / "pyproject.toml").is_file() for folder in folders or ())  # others have none


# The group of all commands. It loads the settings and sets the exit status.


class CommandGroup(click.Group):
    """Imports commands on demand, so that each starts fast. An error prints one line, with status 1."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's signature
        """Return the names in the order of the table."""
        return [name for name, entry in COMMANDS.items() if is_installed(entry)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  click's signature
        """Import and return the command."""
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        if not is_installed(entry):
            raise click.ClickException(
                f"wenhen {cmd_name} needs the package {CHECKOUT_PACKAGE}, which a checkout has: run make setup there"
            )
        command = getattr(importlib.import_module(entry.module), entry.attribute)
        assert isinstance(command, click.Command)
        return add_examples(command, cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the overview from the table."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name].purpose) for name in self.list_commands(ctx)])

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        tune_command_garbage_collection()
        call_before_compiling(partial(_tell_of_compiling, ctx))
        if isinstance(sys.stdout, io.TextIOWrapper):  # old locales lack characters
            sys.stdout.reconfigure(errors="backslashreplace")
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except WenhenError as error:
            raise click.ClickException(" ".join(str(error).split())) from error
        except BrokenPipeError:  # the reader of the output has closed it
            _discard_output()
            sys.exit(1)
        except OSError as error:
            if error.filename is None:
                _discard_output()
            raise click.ClickException(f"{error.filename or 'the output'}: {error.strerror or error}") from error
        return result


def _tell_of_compiling(ctx: click.Context) -> None:
    """Say that this process compiles, and at the end of the command that its code is kept."""
    click.echo(COMPILING, err=True)
    ctx.call_on_close(partial(click.echo, CODE_IS_KEPT, err=True))


def _discard_output() -> None:
    """Discard remaining output, which would be written at exit, and fail again."""
    with suppress(OSError):  # it has no file descriptor, as in a test
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@click.group(cls=CommandGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
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
    from wenhen.runtime.settings_sources import load_settings

    ctx.obj = lambda: load_settings(**({"data": data.absolute()} if data else {}))
