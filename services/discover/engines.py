"""The search engines that can be asked, by name."""

from pipeline.setting_sections import DiscoverSettings
from services.discover.brave import ADDRESS, Brave
from services.discover.engine_port import SearchEngine
from services.discover.searxng import Searxng
from store.errors import SetupError


def open_engine(settings: DiscoverSettings) -> SearchEngine:
    """The engine of the settings. SetupError where its address, or its key, is not set."""
    if not settings.can_ask:
        raise SetupError("discover.no_brave" if settings.engine == "brave" else "discover.no_searxng")
    if settings.engine == "brave":
        return Brave(
            settings.key.get_secret_value() if settings.key else "",
            timeout=settings.timeout,
            results=settings.results,
            delay=settings.delay,
            url=settings.url or ADDRESS,
        )
    return Searxng(settings.url or "", timeout=settings.timeout)
