"""Faults of the machine and of the settings, found without asking any server."""

import importlib.util
import os
import resource
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import fingerprinter
from pipeline.setting_sections import Section
from store.rules.web.loopback import LOOPBACK
from wenhen.diagnosis.fault import Fault, advice, found, stopping
from wenhen.settings import IN_A_FILE, Settings

LEAST_FILES = 1024
# Not settings, but read all the same: see docs/settings.md.
FURTHER = {"WENHEN_CONFIG", "WENHEN_DATA", "WENHEN_MONGOD", "WENHEN_REDIS_SERVER", "WENHEN_BROKER_URL", "WENHEN_BEAT"}
OF_THE_IMAGE = {"WENHEN_WARMED", "WENHEN_FIGURES_OF"}
_OF_TESTS = "WENHEN_TEST_"
_V3 = {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe"}  # of x86-64-v3, as /proc/cpuinfo calls them


def machine_faults(settings: Settings, environment: Mapping[str, str] = os.environ) -> list[Fault]:
    """All of them."""
    return found(
        unknown_variables(environment),
        unwritable_data(settings),
        unkept_code(environment),
        old_processor(environment),
        few_files(),
        settings_to_mind(settings),
    )


def unknown_variables(environment: Mapping[str, str]) -> Iterator[Fault]:
    """Variables that look like settings and are none: nobody reads them."""
    known = (
        FURTHER
        | OF_THE_IMAGE
        | {
            f"WENHEN_{section}_{name}".upper()
            for section, field in Settings.model_fields.items()
            if isinstance(field.annotation, type) and issubclass(field.annotation, Section)
            for name in field.annotation.model_fields
        }
    )
    unknown = [
        name
        for name in environment
        if name.startswith("WENHEN_")
        and not name.startswith(_OF_TESTS)
        and name.removesuffix(IN_A_FILE.upper()) not in known
    ]
    if unknown:
        yield advice("doctor.unknown_variable", names=", ".join(sorted(unknown)))


def unwritable_data(settings: Settings) -> Iterator[Fault]:
    """The data folder, or the nearest that is there, has to take what is to be kept."""
    there = next(folder for folder in (settings.data, *settings.data.parents) if folder.exists())
    if settings.embedded and not (os.access(there, os.W_OK | os.X_OK) and _takes_files(there)):
        yield stopping("doctor.data_not_writable", folder=settings.data)


def unkept_code(environment: Mapping[str, str]) -> Iterator[Fault]:
    """Machine code needs a folder; without one nothing that fingerprints can even be imported."""
    beside = Path(fingerprinter.__file__).parent / "features" / "__pycache__"
    of_user = Path(environment.get("XDG_CACHE_HOME") or Path(environment.get("HOME", "/")) / ".cache")
    given = environment.get("NUMBA_CACHE_DIR")
    if not any(_writable(Path(folder)) for folder in (given, beside, of_user) if folder):
        yield stopping("doctor.code_not_kept", folder=given or beside)


def old_processor(environment: Mapping[str, str], cpuinfo: Path = Path("/proc/cpuinfo")) -> Iterator[Fault]:
    """The image's machine code is made for a kind of processor."""
    if environment.get("NUMBA_CPU_NAME") != "x86-64-v3" or not cpuinfo.exists():
        return
    flags = next((line for line in cpuinfo.read_text(encoding="utf-8").splitlines() if line.startswith("flags")), "")
    if lacking := sorted(_V3.difference(flags.split())):
        yield stopping("doctor.old_processor", flags=", ".join(lacking))


def few_files() -> Iterator[Fault]:
    """A crawler and MongoDB hold many files and connections open."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < LEAST_FILES:
        yield advice("doctor.few_files", limit=soft, least=LEAST_FILES)


def settings_to_mind(settings: Settings) -> Iterator[Fault]:
    """What the settings leave open."""
    if not settings.crawler.contact:
        yield advice("doctor.no_contact")
    open_to_others = settings.dashboard.host not in LOOPBACK
    if open_to_others and settings.dashboard.secret_key is None:
        yield advice("doctor.no_secret_key")
    if open_to_others and not settings.dashboard.proxies:
        yield advice("doctor.no_proxy", host=settings.dashboard.host)
    if settings.tracing.endpoint and importlib.util.find_spec("opentelemetry") is None:
        yield stopping("doctor.no_tracing")
    if settings.crawler.render_empty or settings.crawler.browser:
        from crawler.fetch.rendering.browser import find_browser
        from store.errors import SetupError

        try:
            find_browser(settings.crawler.browser)
        except SetupError as error:
            yield advice("doctor.no_browser", reason=error.message)


def _takes_files(folder: Path) -> bool:
    """Whether a file can be made there; of some file systems the rights alone do not tell. It leaves none behind."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _writable(folder: Path) -> bool:
    there = next((one for one in (folder, *folder.parents) if one.exists()), Path("/"))
    if there != folder and sys.prefix.startswith(str(there)) and there == Path("/"):
        return False
    return os.access(there, os.W_OK | os.X_OK)
