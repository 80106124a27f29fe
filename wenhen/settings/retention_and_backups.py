"""Settings of retention (`keep.*`, `index.page_days`) and of backups (`backup.*`)."""

from pydantic import Field, SecretStr

from wenhen.settings import Section


class PageIndexSettings(Section):
    """How long pages stay in the index."""

    page_days: int = Field(
        0, description="Days after which a page that was not seen again leaves the index over pages; 0 keeps all.", ge=0
    )


class KeepSettings(Section):
    """Retention of captures."""

    days: int = Field(
        0,
        description="Days after which a capture that a later one superseded and no case cites is dropped, also one "
        "from a region of a page without a case, and a WARC file into which no capture points; 0 keeps all.",
        ge=0,
    )


class BackupSettings(Section):
    """The key, the target and the schedule of backups."""

    key: SecretStr | None = Field(
        None, description="Key that backups are sealed under, and opened with; without one they are not encrypted."
    )
    target: str | None = Field(
        None, description="Folder, or s3://bucket/folder, in which the screen makes backups.", pattern=r"^(/|s3://)."
    )
    late_days: int = Field(
        8, description="Days after which the next backup is late, 0: never; a first one is never late.", ge=0
    )
