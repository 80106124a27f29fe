"""Settings: from the environment and `wenhen.toml`, read once; each room gets its own typed section.

A setting `section.name` is the variable `WENHEN_SECTION_NAME` in the environment and `name` under `[section]` in the
file that `WENHEN_CONFIG` names (`wenhen.toml` in the working directory otherwise). The environment wins.
docs/settings.md lists them all.
"""

import json
import os
import tomllib
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

import platformdirs
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr, ValidationError
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
    TomlConfigSettingsSource,
)

from store.errors import BadInput

CONFIG_VARIABLE = "WENHEN_CONFIG"


class Section(BaseModel):
    """A group of settings; a name that it does not know is refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class MongoSettings(Section):
    """MongoDB, where everything is kept."""

    url: str | None = Field(None, description="Address of MongoDB; without one an embedded mongod is started.")
    database: str = Field("wenhen", description="Name of the database.", pattern=r"^[A-Za-z0-9_-]{1,38}$")


def _redis_address(value: str) -> str:
    from redis.connection import parse_url  # it takes a while to import, and most people give no address

    parse_url(value)  # type: ignore[no-untyped-call]  # redis-py types most of itself
    return value


RedisAddress = Annotated[str, AfterValidator(_redis_address)]


class RedisSettings(Section):
    """Redis for the queues of Celery."""

    url: RedisAddress | None = Field(
        None, description="Address of the queues' Redis (one server); without one an embedded server is started."
    )


class IndexSettings(Section):
    """Redis for the inverted index, which may be another server, or a cluster."""

    url: RedisAddress | None = Field(
        None, description="Address of the index's Redis; without one, database 1 of the queues' Redis."
    )
    page_days: int = Field(
        0, description="Days after which a page that was not seen again leaves the index over pages; 0 keeps all.", ge=0
    )
    cluster: bool = Field(False, description="The address is a node of a Redis Cluster.")


class CrawlerSettings(Section):
    """How websites are fetched."""

    user_agent: str = Field(
        "wenhen/0.1 (copyright monitoring)",
        description="What the crawler calls itself.",
    )
    contact: str = Field(
        "", description="How the sites' owners can reach you: an address of a page, or mail; stands in the user agent."
    )
    delay: float = Field(1.0, description="Seconds between two requests to one host.", ge=0)
    internal_delay: float = Field(0.0, description="The same for sites marked internal.", ge=0)
    concurrency: int = Field(4, description="Requests to one host at a time.", ge=1, le=64)
    crawlers: int = Field(
        1, description="Crawlers that share one site, on as many crawl workers as there are.", ge=1, le=64
    )
    timeout: float = Field(30, description="Seconds that a response may take.", gt=0)
    max_body_mb: int = Field(32, description="Largest body that is fetched, in MB.", ge=1, le=512)
    retries: int = Field(2, description="Further tries of an address, where the failure may pass.", ge=0, le=10)
    backoff: float = Field(2.0, description="Seconds before the second try; doubled with each.", ge=0)
    obey_robots: bool = Field(True, description="Obey robots.txt.")
    proxies: list[str] = Field(
        default_factory=list,
        description="Proxies that all sites without their own are fetched through: ['http://user:word@host:port'].",
        repr=False,
    )
    browser: str | None = Field(
        None, description="Program of the browser that renders pages; without one, a Chromium on PATH."
    )
    browser_seconds: float = Field(20, description="Seconds that a page may take in the browser.", gt=0, le=300)
    render_empty: bool = Field(
        False, description="Render pages of any site that hold next to no text, but scripts; needs a browser."
    )
    warc: str | None = Field(
        None,
        description="Folder for WARC files with every response as it came; without one, `warc` in the data folder; "
        "`off` writes none.",
    )
    host_map: dict[str, str] = Field(
        default_factory=dict,
        description="Host names that stand for other addresses: {'a.test': '127.0.0.1:8080'} (internal sites only).",
    )


class MatcherSettings(Section):
    """When a match becomes a case."""

    open_score: float = Field(0.2, description="Probability below which a match opens no case.", ge=0, le=1)
    certain_score: float = Field(
        0.9,
        description="Probability from which a case is certain; between the two a person has to look closely.",
        ge=0,
        le=1,
    )
    candidates: int = Field(64, description="Works that a page is compared with in full, at most.", ge=1, le=1000)
    size_within: float = Field(
        0,
        description="A page is compared with works at most so many times longer or shorter; 0 with all. Passages of a "
        "work that stand in a page of another size are not found then.",
        ge=0,
    )
    same_kind: bool = Field(
        False,
        description="A page of a site whose kind is known (sites add --kind) is compared with works of that kind, and "
        "with those that have none.",
    )


class ClusterSettings(Section):
    """Which works and pages are near duplicates, shown as one."""

    likeness: float = Field(
        0.6,
        description="Near duplicates share so much: the lesser of the shares that they have in common.",
        gt=0,
        le=1,
    )
    window_days: float = Field(
        0, description="Days within which both texts must be dated (news); 0 joins them however far apart.", ge=0
    )


class DiscoverSettings(Section):
    """The search for copies outside the watched sites."""

    engine: Literal["searxng"] = Field("searxng", description="What kind of search engine is asked.")
    url: str | None = Field(None, description="Its address: of a SearXNG whose settings allow the format json.")
    sentences: int = Field(5, description="Sentences of a work that are asked for.", ge=1, le=100)
    results: int = Field(10, description="Addresses that are taken of an answer, at most.", ge=1, le=1000)
    delay: float = Field(1.0, description="Seconds between two questions.", ge=0)
    timeout: float = Field(15.0, description="Seconds that an answer may take.", gt=0)


class WorkerSettings(Section):
    """The Celery workers."""

    concurrency: int = Field(2, description="Processes of each worker.", ge=1, le=64)
    lease_seconds: int = Field(
        30, description="Time after which a record whose worker died is taken up again.", ge=5, le=600
    )
    sweep_seconds: int = Field(10, description="How often unfinished records are queued again.", ge=1, le=600)
    max_tries: int = Field(5, description="Tries of one step before its record is set aside.", ge=1, le=100)


class KeepSettings(Section):
    """What may go after a time."""

    days: int = Field(
        0,
        description="Days after which a capture that a later one superseded and no case cites is dropped, "
        "and a WARC file into which no capture points; 0 keeps all.",
        ge=0,
    )


class ScheduleSettings(Section):
    """What happens by itself."""

    daily_at: str = Field(
        "02:30", description="Time of day of the re-match, Asia/Shanghai.", pattern=r"^([01]\d|2[0-3]):[0-5]\d$"
    )
    crawls: bool = Field(True, description="Crawl the sites that are due.")
    quiet: str | None = Field(
        None,
        description="Quiet hours, in which nothing is fetched: HH:MM-HH:MM, Asia/Shanghai.",
        pattern=r"^([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d$",
    )


class DashboardSettings(Section):
    """The web server for operators."""

    host: str = Field("127.0.0.1", description="Address to listen on.")
    port: int = Field(8321, description="Port to listen on; 0 takes a free one.", ge=0, le=65535)
    sign_in: bool = Field(
        True, description="Ask people to sign in; only a dashboard that listens on loopback can do without."
    )
    password: SecretStr | None = Field(
        None, description="Password of the first administrator, admin, who is made where there is no user yet."
    )
    idle_minutes: int = Field(240, description="Minutes without a request after which a session ends.", ge=1)
    session_hours: int = Field(12, description="Hours after which a session ends, whatever happens.", ge=1)
    proxies: int = Field(
        0, description="Reverse proxies in front, each of which adds to X-Forwarded-For, -Proto and -Host.", ge=0, le=9
    )
    private_webhooks: bool = Field(False, description="Let webhooks be at private addresses.")
    api_per_minute: int = Field(600, description="Requests a minute that one token of the API may make.", ge=1)
    secret_key: SecretStr | None = Field(
        None,
        description="Key that signs cookies and seals second factors, the same on every dashboard process; "
        "without one it is made at start and lies in the database.",
    )


class ReportSettings(Section):
    """What stands in infringement reports."""

    holder: str = Field("", description="Name of the rights holder.")
    contact: str = Field("", description="How to reach the rights holder.")


class Settings(BaseSettings):
    """All settings, each in its section."""

    model_config = SettingsConfigDict(
        env_prefix="WENHEN_", env_nested_delimiter="_", env_nested_max_split=1, extra="ignore", frozen=True
    )

    data: Annotated[Path, Field(description="Folder of the embedded servers' data.")] = Path(
        platformdirs.user_data_dir("wenhen", appauthor=False)
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
    schedule: ScheduleSettings = ScheduleSettings()
    dashboard: DashboardSettings = DashboardSettings()
    report: ReportSettings = ReportSettings()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003  no .env file is read
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003  secrets come by the environment
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """What the caller gives wins over the environment, and that over the file."""
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls, config_file())

    @cached_property
    def embedded(self) -> bool:
        """True when a server of our own is needed."""
        return self.mongo.url is None or self.redis.url is None


def as_environment(settings: Settings) -> dict[str, str]:
    """The settings as variables, so that a child process has the very same ones."""
    variables = {"WENHEN_DATA": str(settings.data)}
    for section, value in settings:
        if isinstance(value, Section):
            for name, setting in value:
                if setting is not None:
                    variables[f"WENHEN_{section}_{name}".upper()] = _written(setting)
    return variables


def _written(value: object) -> str:
    if isinstance(value, SecretStr):
        return value.get_secret_value()
    return value if isinstance(value, str) else json.dumps(value)


def config_file() -> Path:
    """The file of settings; it need not exist unless the environment names it."""
    return Path(os.environ.get(CONFIG_VARIABLE, "wenhen.toml"))


def load(**given: Any) -> Settings:
    """Read the settings; raises `BadInput` with the name of the setting that is wrong."""
    if CONFIG_VARIABLE in os.environ and not config_file().is_file():
        raise BadInput(f"{CONFIG_VARIABLE} names {config_file()}, which is not there: create it or unset the variable")
    try:
        if unknown := sorted(set(_file()) - set(Settings.model_fields)):
            raise BadInput(f"{config_file()} names {', '.join(unknown)}, which is no section (see docs/settings.md)")
        return Settings(**given)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        raise BadInput(f"setting {name}: {first['msg']} (see docs/settings.md)") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadInput(f"{config_file()} is not valid TOML: {error}") from None
    except OSError as error:
        raise BadInput(f"{config_file()} cannot be read: {error.strerror}") from None
    except SettingsError as error:
        raise BadInput(f"{error}: a list or a table is written as JSON (see docs/settings.md)") from None


def _file() -> dict[str, Any]:
    return tomllib.loads(config_file().read_text(encoding="utf-8")) if config_file().is_file() else {}
