"""What a file of sites brought."""

from dataclasses import dataclass

from services.importing.csv_lines import RefusedLine
from store.records import Site


@dataclass(frozen=True, slots=True)
class ImportedSites:
    """The sites that were added, and the lines, or the sources by their number, that were not."""

    added: tuple[Site, ...]
    refused: tuple[RefusedLine, ...]
