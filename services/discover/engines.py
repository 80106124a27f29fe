"""The search engines that can be asked, by name."""

from pipeline.setting_defaults import DiscoverSettings
from services.discover.search import SearchEngine
from services.discover.searxng import Searxng
from store.errors import SetupError

ENGINES = {"searxng": Searxng}


def open_engine(settings: DiscoverSettings) -> SearchEngine:
    """The engine of the settings. SetupError where no address is set."""
    if settings.url is None:
        raise SetupError("discover.no_engine")
    return ENGINES[settings.engine](settings.url, timeout=settings.timeout)
