"""What a backup holds: written last, so that a folder without it is no backup."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final, Self

from services.backups.backup_key import BackupKey
from services.backups.sealed_files import reading, writing
from store.errors import BadInput
from store.ports.upkeep.copying import Moment

NAME: Final = "backup"
FORM: Final = 1  # of backups; raised when an older release could not read a newer one


@dataclass(frozen=True, slots=True)
class BackupPart:
    """One file of a backup: how many documents or bytes it holds, and their SHA-256."""

    name: str  # of the collection, or of the file
    size: int
    digest: str


@dataclass(slots=True)
class Manifest:
    """The parts of a backup. moment: of the server's log, from which on `logs` go; None where it keeps none."""

    form: int
    version: str
    made_at: str
    moment: Moment | None
    collections: list[BackupPart] = field(default_factory=list)
    contents: list[BackupPart] = field(default_factory=list)  # never change; newer may be among them
    archive: list[BackupPart] = field(default_factory=list)
    logs: list[tuple[BackupPart, Moment]] = field(default_factory=list)  # each with the moment of its last entry

    @classmethod
    def of(cls, folder: Path, key: BackupKey | None) -> Self:
        """The one in a folder. BadInput: there is none, or none that can be read."""
        if not (folder / NAME).is_file():
            raise BadInput("backup.none", folder=folder)
        with reading(folder / NAME, key) as part:
            told = json.load(part)
        if told["form"] > FORM:
            raise BadInput("backup.newer", folder=folder, version=told["version"])
        for name in ("collections", "contents", "archive"):
            told[name] = [BackupPart(**one) for one in told[name]]
        told["logs"] = [(BackupPart(**one), _moment(till)) for one, till in told["logs"]]
        return cls(**{**told, "moment": told["moment"] and _moment(told["moment"])})

    def keep(self, folder: Path, key: BackupKey | None) -> None:
        """Write it into a folder."""
        with writing(folder / NAME, key) as part:
            part.write(json.dumps(asdict(self)).encode())

    @property
    def logged_until(self) -> Moment | None:
        """The moment up to which it can be restored."""
        return self.logs[-1][1] if self.logs else self.moment


def _moment(told: list[int]) -> Moment:
    seconds, number = told
    return seconds, number
