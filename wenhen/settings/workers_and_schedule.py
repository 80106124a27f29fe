"""Settings of the workers (`worker.*`) and of scheduled tasks (`schedule.*`)."""

from pydantic import Field

from wenhen.settings import Section


class WorkerSettings(Section):
    """The Celery workers."""

    concurrency: int = Field(2, description="Processes of each worker, at most.", ge=1, le=64)
    least: int = Field(1, description="Processes that each worker begins with and keeps.", ge=1, le=64)
    patience_seconds: float = Field(
        2.0, description="What waits longer than this gets another process, as long as a worker may have more.", ge=0.1
    )
    idle_seconds: float = Field(
        120.0,
        description="Where nothing has waited too long for this time, a worker lets one of its processes go.",
        ge=1,
    )
    lease_seconds: int = Field(
        30, description="Time after which a record whose worker died is taken up again.", ge=5, le=600
    )
    sweep_seconds: int = Field(10, description="How often unfinished records are queued again.", ge=1, le=600)
    max_tries: int = Field(5, description="Tries of one step before its record is set aside.", ge=1, le=100)
    niceness: int = Field(
        10,
        description="How far the workers of `wenhen up` leave the processor to the dashboard and the servers, 0 to 19.",
        ge=0,
        le=19,
    )
    pictures_per_day: int = Field(
        2_000,
        description="Pictures and scanned pages of one host that are read in a day, at two or three seconds each.",
        ge=0,
    )


class ScheduleSettings(Section):
    """Scheduled tasks."""

    daily_at: str = Field(
        "02:30",
        description="Time of day of the upkeep and the re-match, Asia/Shanghai.",
        pattern=r"^([01]\d|2[0-3]):[0-5]\d$",
    )
    crawls: bool = Field(True, description="Crawl the sites that are due.")
    quiet: str | None = Field(
        None,
        description="Quiet hours, in which nothing is fetched: HH:MM-HH:MM, Asia/Shanghai.",
        pattern=r"^([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d$",
    )
