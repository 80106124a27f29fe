"""A file of sites, of whatever kind, taken in."""

from services.acting import Acting
from services.sites.book_sources import import_book_sources, is_book_sources
from services.sites.imported_sites import ImportedSites
from services.sites.sites_csv import import_csv


def import_sites(acting: Acting, content: bytes) -> ImportedSites:
    """Watch the sites of a CSV file, or of the book sources of a reading app. Raises `BadInput`."""
    return import_book_sources(acting, content) if is_book_sources(content) else import_csv(acting, content)
