"""What a command imports before it does its work, which is most of the time that a short one takes."""

import subprocess
import sys
from importlib import import_module

import click
import pytest

from wenhen.cli.commands import COMMANDS, Place


def imported(code: str) -> set[str]:
    """The modules that a new process has imported after this."""
    code = f"import sys\n{code}\nprint('\\n' + '\\n'.join(sys.modules))"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(told.stdout.split())


def test_the_store_asks_for_no_revocations_and_so_imports_nothing_that_could() -> None:
    assert not imported("import wenhen.wiring") & {"OpenSSL", "requests", "urllib3", "service_identity"}


def test_the_overview_imports_no_command_and_no_server() -> None:
    modules = imported("from wenhen.cli import main; main(['--help'], standalone_mode=False)")
    assert not modules & {"pymongo", "redis", "celery", "numpy", "pydantic", "rich"}
    assert not modules & {place.module for place in COMMANDS.values()}


def test_a_command_that_looks_nothing_up_compiles_nothing() -> None:
    modules = imported("import wenhen.wiring, wenhen.cli.shared.opening, services.acting")
    assert "pymongo" in modules
    assert not modules & {"numba", "numpy", "celery", "scrapy", "flask", "redis", "psutil", "selectolax"}


@pytest.mark.parametrize(
    "module",
    [
        "services.sites.site_access",  # what a crawl may do is set
        "services.sites.sites_csv",
        "services.licences",
        "services.cases.exclusions",
        "services.upkeep.health",  # `wenhen doctor`
        "pipeline.library.rebuild_index",
        "dashboard.export.formats",  # `wenhen report`
        "dashboard.export.csv_report",
    ],
)
def test_who_only_passes_by_what_matches_texts_or_crawls_imports_neither_numba_nor_scrapy(module: str) -> None:
    assert not imported(f"import {module}") & {"numba", "scrapy", "twisted", "xlsxwriter", "trafilatura"}


def test_numba_comes_with_the_first_call_of_what_it_compiled() -> None:
    modules = "matcher.compare, matcher.candidates, pipeline.page_steps, matcher.index.redis"
    assert "numba" not in imported(f"import {modules}")
    called = "from fingerprinter.normalize.read_letters import read_letters; read_letters('河岸')"
    assert not imported(f"import {modules}; {called}") & {"yaml", "scipy"}


def test_the_child_that_reads_a_page_or_a_file_of_text_imports_no_arrays_and_no_settings() -> None:
    page = imported("import crawler.isolated.child_process, crawler.extract.any_page")
    file = imported("import crawler.isolated.child_process, services.importing.plain_text")
    assert not (page | file) & {"numpy", "pydantic"}


def test_the_clock_knows_no_task() -> None:
    assert not imported("import wenhen.celery_beat") & {"wenhen.tasks", "numba", "pymongo"}


def test_a_worker_that_only_crawls_knows_no_other_task() -> None:
    assert not imported("import wenhen.crawl_tasks") & {"wenhen.tasks", "pipeline.page_steps", "numba"}
    code = "from wenhen.crawl_tasks import celery; print(*(name for name in celery.tasks if 'celery.' not in name))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "crawl\n"


def test_a_program_of_a_library_is_begun_without_what_matches_texts() -> None:
    assert "numba" not in imported("import wenhen.processes.program")


@pytest.mark.parametrize(("name", "place"), COMMANDS.items(), ids=COMMANDS)
def test_every_command_stands_where_the_overview_says(name: str, place: Place) -> None:
    command = getattr(import_module(place.module), place.attribute)
    assert isinstance(command, click.Command)
    assert command.name == name
    assert command.help, "says more than its line of the overview"
