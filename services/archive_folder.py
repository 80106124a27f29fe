"""Where the archive of responses is: the folder of this machine's WARC files, and which files there are."""

from pathlib import Path

from crawler.evidence.warc_read_back import ENDING
from pipeline.setting_sections import CoreSettings

OFF = "off"


def folder_of(settings: CoreSettings) -> Path | None:
    """Where this machine's crawls write their WARC files."""
    named = settings.crawler.warc
    if named == OFF:
        return None
    return Path(named).absolute() if named else settings.data.absolute() / "warc"


def files_in(folder: Path) -> list[Path]:
    """The WARC files there, by their names."""
    return sorted(path for path in folder.glob(f"*{ENDING}") if path.is_file())
