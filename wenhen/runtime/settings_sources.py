"""Read the settings from the environment and `wenhen.toml`, and pass them to child processes."""

import json
import os
import tomllib
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

import platformdirs
from pydantic import AfterValidator, Field, SecretStr, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
    TomlConfigSettingsSource,
)

from wenhen.configuration.model import SETTABLE
from wenhen.kit.errors import BadInput
from wenhen.settings import Section
from wenhen.settings.all_sections import CoreSettings
from wenhen.settings.crawling_and_search import CrawlerSettings, DiscoverSettings
from wenhen.settings.dashboard_and_sign_in import DashboardSettings, SignInSettings
from wenhen.settings.matching import ClusterSettings, MatcherSettings
from wenhen.settings.notices_and_reports import DossierSettings, EvidenceSettings, NoticeSettings, ReportSettings
from wenhen.settings.retention_and_backups import BackupSettings, KeepSettings
from wenhen.settings.servers_and_logs import (
    IndexSettings,
    LogSettings,
    MetricsSettings,
    MongoSettings,
    RedisSettings,
    TracingSettings,
    broker_url,
)
from wenhen.settings.workers_and_schedule import ScheduleSettings, WorkerSettings

BROKER_VARIABLE = "WENHEN_BROKER_URL"  # set by the process that starts the workers
BEAT_TASKS_VARIABLE = "WENHEN_BEAT"  # likewise: the only task that beat sends


# Settings from the environment and `wenhen.toml`, read once, with a typed section for each package. The setting
# `section.name` is the variable `WENHEN_SECTION_NAME`, or `name` under `[section]` in the file that `WENHEN_CONFIG`
# names (by default `wenhen.toml` in the working directory). The environment has precedence. A secret may be in a file,
# which `WENHEN_SECTION_NAME_FILE` names. docs/settings.md lists all settings.


CONFIG_VARIABLE = "WENHEN_CONFIG"
FILE_SETTINGS_VARIABLE = "WENHEN_FILE_SETTINGS"  # set for child processes: which settings the file sets
FILE_SUFFIX = "_file"  # suffix of a setting name: the value is in this file


def _absolute_folder(folder: Path) -> Path:
    """Return the absolute path, the same for every process. ~ is the home of the user."""
    try:
        return folder.expanduser().absolute()
    except RuntimeError as error:  # no such user
        raise ValueError(str(error)) from error


def _platform_data_folder() -> Path:
    try:
        return Path(platformdirs.user_data_dir("wenhen", appauthor=False))
    except RuntimeError:  # the user has no home, and needs none if the folder is given
        return Path("~/wenhen")


class Settings(BaseSettings, CoreSettings):
    """All settings, each in its section."""

    model_config = SettingsConfigDict(
        env_prefix="WENHEN_",
        env_nested_delimiter="_",
        env_nested_max_split=1,
        env_ignore_empty=True,  # compose files set undefined variables to empty strings
        extra="ignore",
        frozen=True,
    )

    data: Annotated[Path, AfterValidator(_absolute_folder)] = Field(
        default_factory=_platform_data_folder,
        description="Folder of the embedded servers' data.",
        validate_default=True,
    )
    mongo: MongoSettings = MongoSettings()
    redis: RedisSettings = RedisSettings()
    index: IndexSettings = IndexSettings()
    crawler: CrawlerSettings = CrawlerSettings()
    matcher: MatcherSettings = MatcherSettings()
    cluster: ClusterSettings = ClusterSettings()
    discover: DiscoverSettings = DiscoverSettings()
    worker: WorkerSettings = WorkerSettings()
    keep: KeepSettings = KeepSettings()
    backup: BackupSettings = BackupSettings()
    schedule: ScheduleSettings = ScheduleSettings()
    dashboard: DashboardSettings = DashboardSettings()
    signin: SignInSettings = SignInSettings()
    report: ReportSettings = ReportSettings()
    evidence: EvidenceSettings = EvidenceSettings()
    notice: NoticeSettings = NoticeSettings()
    dossier: DossierSettings = DossierSettings()
    metrics: MetricsSettings = MetricsSettings()
    log: LogSettings = LogSettings()
    tracing: TracingSettings = TracingSettings()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,  # noqa: ARG003  replaced by a source that reads files as well
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003  no .env file is read
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003  the environment names the file of each secret
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Return the sources by precedence: arguments, environment, file."""
        return init_settings, _EnvironmentSource(settings_cls), TomlConfigSettingsSource(settings_cls, config_file())

    @cached_property
    def needs_embedded_servers(self) -> bool:
        """Return whether an embedded server is needed."""
        return self.mongo.url is None or self.redis.url is None


class _EnvironmentSource(EnvSettingsSource):
    """The environment, where `WENHEN_SECTION_NAME_FILE` names a file whose first line is the value."""

    def __init__(self, settings_cls: type[BaseSettings]) -> None:
        super().__init__(settings_cls)
        variables = dict(self.env_vars)
        for name, path in list(variables.items()):
            if path is not None and name.startswith("wenhen_") and name.endswith(FILE_SUFFIX):
                del variables[name]
                variables.setdefault(name.removesuffix(FILE_SUFFIX), _read_secret(Path(path)))
        self.env_vars = variables

    def decode_complex_value(self, field_name: str, field: FieldInfo, value: Any) -> Any:
        """Decode a list or a table. Raises ValueError with the name of an invalid one."""
        try:
            return super().decode_complex_value(field_name, field, value)
        except ValueError as error:
            raise ValueError(field_name) from error

    def explode_env_vars(self, field_name: str, field: FieldInfo, env_vars: Mapping[str, str | None]) -> dict[str, Any]:
        """Return the settings of a section. Raises `BadInput` with the name of an invalid list or table."""
        try:
            exploded: dict[str, Any] = super().explode_env_vars(field_name, field, env_vars)
        except ValueError as error:
            raise _list_error(field_name, str(error)) from error
        return exploded


def _read_secret(path: Path) -> str:
    text = path.read_text(encoding="utf-8")
    return text.splitlines()[0] if text else ""


def settings_environment(settings: Settings) -> dict[str, str]:
    """Return the settings as environment variables for child processes."""
    variables = {"WENHEN_DATA": str(settings.data)}
    for section, value in settings:
        if isinstance(value, Section):
            for name, setting in value:
                if setting is not None and not _is_left_to_screen(section, name, value):
                    variables[f"WENHEN_{section}_{name}".upper()] = _format_setting(setting)
    return variables


def _is_left_to_screen(section: str, name: str, settings: Section) -> bool:
    """Return whether nothing sets it, so that the child process has to read what is changed on screen."""
    if f"{section}.{name}" not in SETTABLE or name in settings.model_fields_set:
        return False
    default = type(settings).model_fields[name].get_default(call_default_factory=True)
    return bool(getattr(settings, name) == default)


def _file_settings(settings: Settings) -> str:
    """Return the settings that the file sets and no variable, parted by commas."""
    names = [
        f"{section}.{name}"
        for section, value in settings
        if isinstance(value, Section)
        for name in value.model_fields_set
        if setting_origin(section, name) == str(config_file())
    ]
    return ",".join(names)


def _format_setting(value: object) -> str:
    if isinstance(value, SecretStr):
        return value.get_secret_value()
    return value if isinstance(value, str) else json.dumps(value)


def config_file() -> Path:
    """Return the path of the settings file. It need not exist unless the environment names it."""
    return Path(os.environ.get(CONFIG_VARIABLE, "wenhen.toml"))


def load_settings(**given: Any) -> Settings:
    """Read the settings. Raises `BadInput` with the name of an invalid setting."""
    if CONFIG_VARIABLE in os.environ and not config_file().is_file():
        raise BadInput("settings.no_file", variable=CONFIG_VARIABLE, file=config_file())
    try:
        if unknown := sorted(set(_read_config_file()) - set(Settings.model_fields)):
            raise BadInput("settings.no_section", file=config_file(), sections=", ".join(unknown))
        return Settings(**given)
    except ValidationError as error:
        raise _setting_error(error.errors()[0]) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadInput("settings.bad_toml", file=config_file(), error=error) from None
    except OSError as error:
        raise BadInput("files.unreadable", path=error.filename or config_file(), error=error.strerror) from None
    except SettingsError as error:
        raise _list_error(str(error.__cause__ or error)) from None


def _setting_error(details: ErrorDetails) -> BadInput:
    """Describe an invalid setting, where it was set, and what is allowed."""
    section, *names = map(str, details["loc"])
    setting, where = ".".join([section, *names]), setting_origin(section, *names[:1])
    if details["type"] == "extra_forbidden":
        return BadInput("settings.no_setting", setting=setting, where=where)
    kind = Settings.model_fields[section].annotation
    fields = kind.model_fields if names and isinstance(kind, type) and issubclass(kind, Section) else {}
    about = fields[names[0]].description if names and names[0] in fields else Settings.model_fields[section].description
    return BadInput("settings.bad_setting", setting=setting, where=where, reason=details["msg"], about=about or "")


def _list_error(*names: str) -> BadInput:
    return BadInput("settings.bad_list", setting=".".join(names), where=setting_origin(*names))


def setting_origin(*names: str) -> str:
    """Return the variable that sets it, or the file. A child process gets from its parent which ones the file sets."""
    if ".".join(names) in os.environ.get(FILE_SETTINGS_VARIABLE, "").split(","):
        return str(config_file())
    variable = "_".join(["wenhen", *names]).upper()
    ways = (variable, f"{variable}{FILE_SUFFIX.upper()}")
    given = next((variable for variable, value in os.environ.items() if value and variable.upper() in ways), None)
    return given or str(config_file())


def _read_config_file() -> dict[str, Any]:
    return tomllib.loads(config_file().read_text(encoding="utf-8")) if config_file().is_file() else {}


METRICS_PORT_VARIABLE = "WENHEN_METRICS_PORT"


def child_environment(settings: Settings) -> Mapping[str, str]:
    """Return the environment of a child process (worker, beat, crawl, dashboard), with the same servers and
    settings.
    """
    assert settings.redis.url
    apart = {METRICS_PORT_VARIABLE: "0"}  # each process needs its own port: see wenhen/runtime/processes/workers.py
    apart[FILE_SETTINGS_VARIABLE] = _file_settings(settings)
    return {**os.environ, **settings_environment(settings), **apart, BROKER_VARIABLE: broker_url(settings.redis.url)}
