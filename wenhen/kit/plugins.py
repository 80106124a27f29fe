"""Find the plug-ins that other distributions offer by entry points. Name the broken ones and leave them out."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Final

from wenhen.kit.errors import Message, WenhenError, message, plain_message

SCHEMES: Final = "wenhen.schemes"
SEARCH_ENGINES: Final = "wenhen.search_engines"
PLATFORMS: Final = "wenhen.platforms"
REPORT_WRITERS: Final = "wenhen.report_writers"
LINK_EXTRACTORS: Final = "wenhen.link_extractors"

# Each group, and the function that turns its loaded entry points into what the product uses. The function raises for an
# unsuitable one. It is named and not imported, because the kit is the lowest layer.
GROUPS: Final = {
    SCHEMES: "fingerprinter.schemes.plugin:make_scheme",
    SEARCH_ENGINES: "wenhen.kit.plugins:require_callable",
    PLATFORMS: "wenhen.notices.platforms:make_platforms",
    REPORT_WRITERS: "wenhen.kit.plugins:require_callable",
    LINK_EXTRACTORS: "wenhen.kit.plugins:require_callable",
}
_MAX_ERROR_CHARACTERS: Final = 200


@dataclass(frozen=True, slots=True)
class Plugin:
    """Describe a plug-in: its group and name, its distribution, and its value or why it is left out.

    source: module and attribute. distribution: name and version of the package.
    """

    group: str
    name: str
    source: str
    distribution: str
    loaded: object | None
    problem: Message | None


def require_callable(loaded: object) -> object:
    """Return a loaded object. Raises TypeError if it cannot be called."""
    if not callable(loaded):
        raise TypeError(f"{type(loaded).__name__} cannot be called")
    return loaded


@cache
def find_plugins(group: str) -> tuple[Plugin, ...]:
    """Return the plug-ins of a group, loaded once per process. Broken ones state their problem."""
    return tuple(_load_all(group))


def working_plugins(group: str) -> dict[str, object]:
    """Return the working plug-ins of a group by name."""
    return {plugin.name: plugin.loaded for plugin in find_plugins(group) if plugin.problem is None}


def all_plugins() -> list[Plugin]:
    """Return the plug-ins of all groups."""
    return [plugin for group in GROUPS for plugin in find_plugins(group)]


def call_plugin(group: str, name: str, *arguments: object) -> object:
    """Call a plug-in. Wrap any error other than WenhenError in one that names the plug-in and its distribution."""
    plugin = next(
        candidate for candidate in find_plugins(group) if candidate.name == name and candidate.problem is None
    )
    assert callable(plugin.loaded)
    try:
        return plugin.loaded(*arguments)
    except WenhenError:
        raise
    except Exception as error:
        raise WenhenError(
            "plugins.failed", name=name, distribution=plugin.distribution, error=_describe_error(error)
        ) from error


def _load_all(group: str) -> Iterator[Plugin]:
    taken: dict[str, str] = {}
    for entry in sorted(entry_points(group=group), key=lambda entry: (entry.name, _distribution(entry))):
        distribution = _distribution(entry)
        loaded, problem = _load(entry, GROUPS[group])
        if problem is None and entry.name in taken:
            loaded, problem = None, message("plugins.taken", other=taken[entry.name])
        if problem is None:
            taken[entry.name] = distribution
        yield Plugin(group, entry.name, entry.value, distribution, loaded, problem)


def _load(entry: EntryPoint, maker: str) -> tuple[object | None, Message | None]:
    module, _, function = maker.partition(":")
    make: Callable[[object], object] = getattr(import_module(module), function)
    try:
        return make(entry.load()), None
    except (Exception, SystemExit) as error:  # noqa: BLE001  foreign code may raise anything
        return None, message("plugins.broken", error=plain_message(_describe_error(error)))


def _distribution(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist is not None else "?"


def _describe_error(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".removesuffix(": ").partition("\n")[0][:_MAX_ERROR_CHARACTERS]
