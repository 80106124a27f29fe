"""Import a module as if certain optional packages were not installed."""

import sys
from importlib import import_module
from types import ModuleType


def import_without(name: str, *others: str) -> ModuleType:
    """Import it as where the others are not installed. What is imported already stays as it is."""
    hidden = [other for other in others if other not in sys.modules]
    for other in hidden:
        sys.modules[other] = None  # type: ignore[assignment]  # so is a module made missing
    try:
        return import_module(name)
    finally:
        for other in hidden:
            del sys.modules[other]
