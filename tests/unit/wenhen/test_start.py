"""What a command imports before it does its work, which is most of the time that a short one takes."""

import subprocess
import sys
from importlib import import_module
from importlib.util import spec_from_file_location
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from wenhen.cli.main import COMMANDS, CommandEntry, is_installed, main


def imported(code: str) -> set[str]:
    """The modules that a new process has imported after this."""
    code = f"import sys\n{code}\nprint('\\n' + '\\n'.join(sys.modules))"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(told.stdout.split())


def test_the_store_asks_for_no_revocations_and_so_imports_nothing_that_could() -> None:
    assert not imported("import wenhen.runtime.wiring") & {"OpenSSL", "requests", "urllib3", "service_identity"}


def test_the_overview_imports_no_command_and_no_server() -> None:
    modules = imported("from wenhen.cli.main import main; main(['--help'], standalone_mode=False)")
    assert not modules & {"pymongo", "redis", "celery", "numpy", "pydantic", "rich"}
    assert not modules & {place.module for place in COMMANDS.values()}


def test_a_command_that_looks_nothing_up_compiles_nothing() -> None:
    modules = imported("import wenhen.runtime.wiring, wenhen.cli.console, wenhen.context.use_cases")
    assert "pymongo" in modules
    assert not modules & {"numba", "numpy", "celery", "scrapy", "flask", "redis", "psutil", "selectolax"}


@pytest.mark.parametrize(
    "module",
    [
        "wenhen.sites.access",  # what a crawl may do is set
        "wenhen.sites.import_export",
        "wenhen.licences.service",
        "wenhen.exclusions.service",
        "wenhen.operations.health",  # `wenhen doctor`
        "wenhen.matching.index_rebuild",
        "wenhen.reports.service",  # `wenhen report`
        "wenhen.reports.csv_and_json",
    ],
)
def test_who_only_passes_by_what_matches_texts_or_crawls_imports_neither_numba_nor_scrapy(module: str) -> None:
    assert not imported(f"import {module}") & {"numba", "scrapy", "twisted", "xlsxwriter", "trafilatura"}


def test_numba_comes_with_the_first_call_of_what_it_compiled() -> None:
    modules = (
        "matcher.attribution.align_pair, matcher.retrieval.candidates, "
        "wenhen.pipeline.page_and_work_steps, matcher.index.redis_index"
    )
    assert "numba" not in imported(f"import {modules}")
    called = "from fingerprinter.initials.to_initials import to_initials; to_initials('河岸')"
    assert not imported(f"import {modules}; {called}") & {"yaml", "scipy"}


def test_the_child_that_reads_a_page_or_a_file_of_text_imports_no_arrays_and_no_settings() -> None:
    page = imported("import crawler.sandbox.child_process, crawler.extraction.page")
    file = imported("import crawler.sandbox.child_process, wenhen.works.importers.file_reader")
    assert not (page | file) & {"numpy", "pydantic"}


def test_the_clock_knows_no_task() -> None:
    assert not imported("import wenhen.pipeline.beat") & {"wenhen.pipeline.tasks", "numba", "pymongo"}


def test_a_worker_that_only_crawls_knows_no_other_task() -> None:
    assert not imported("import wenhen.pipeline.crawl_tasks") & {
        "wenhen.pipeline.tasks",
        "wenhen.pipeline.page_and_work_steps",
        "numba",
    }
    ours = "name for name in celery.tasks if 'celery.' not in name"
    code = f"from wenhen.pipeline.crawl_tasks import celery; print(*({ours}))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "crawl\n"


def test_a_program_of_a_library_is_begun_without_what_matches_texts() -> None:
    assert "numba" not in imported("import wenhen.pipeline.isolated_program")


@pytest.mark.parametrize(("name", "place"), COMMANDS.items(), ids=COMMANDS)
def test_every_command_stands_where_the_overview_says(name: str, place: CommandEntry) -> None:
    command = getattr(import_module(place.module), place.attribute)
    assert isinstance(command, click.Command)
    assert command.name == name
    assert command.help, "says more than its line of the overview"


def test_benchmarks_are_a_command_of_a_checkout_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    runner = CliRunner()
    assert "bench" in runner.invoke(main, ["--help"]).output.split()
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert "bench" not in runner.invoke(main, ["--help"]).output.split()
    refused = runner.invoke(main, ["bench", "letters"])
    assert refused.exit_code == 1
    assert "benchmarks" in refused.stderr
    assert "make setup" in refused.stderr


def test_a_foreign_package_of_the_same_name_is_no_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "__init__.py").touch()
    spec = spec_from_file_location("benchmarks", tmp_path / "__init__.py", submodule_search_locations=[str(tmp_path)])
    monkeypatch.setattr("importlib.util.find_spec", lambda name: spec)
    assert not is_installed(COMMANDS["bench"])
    assert is_installed(COMMANDS["demo"])
