"""Combine the settings of the environment and the file with those that were changed on screen."""

import logging
import time
from collections.abc import Iterator
from threading import Lock
from typing import Any, Final, cast

from pydantic import ValidationError

from wenhen.configuration.model import SETTABLE, SETTABLE_SECTIONS, StoredSetting, setting_field
from wenhen.configuration.service import decode_setting
from wenhen.context.store_and_queue import Store
from wenhen.kit.errors import WenhenError
from wenhen.kit.sealed_secrets import Seal
from wenhen.runtime.settings_sources import Settings, setting_origin
from wenhen.settings import Section

logger = logging.getLogger(__name__)
FRESH_SECONDS: Final = 5.0  # a change on screen is in effect in every process after this time


class StoredValues:
    """The values that were changed on screen, read again after `FRESH_SECONDS`."""

    def __init__(self, store: Store, seal: Seal) -> None:
        self._store, self._seal = store, seal
        self._lock = Lock()
        self._values: dict[str, dict[str, Any]] = {}
        self._fresh_until = 0.0

    def origin(self, section: str, name: str) -> str:
        """Return the variable or file that sets it."""
        return setting_origin(section, name)

    def refresh(self) -> None:
        """Read the values at the next use."""
        self._fresh_until = 0.0

    def of(self, section: str) -> dict[str, Any]:
        """Return the stored values of a section by name. While the store does not answer, the last ones stay."""
        if time.monotonic() >= self._fresh_until:
            with self._lock:
                if time.monotonic() >= self._fresh_until:
                    self._read()
        return self._values.get(section, {})

    def _read(self) -> None:
        self._fresh_until = time.monotonic() + FRESH_SECONDS
        try:
            stored = self._store.stored_settings.all()
        except WenhenError as error:
            logger.warning("the settings that were changed on screen cannot be read: %s", error)
            return
        values: dict[str, dict[str, Any]] = {}
        for setting in stored:
            section, _, name = setting.id.partition(".")
            try:
                values.setdefault(section, {})[name] = self._decode(setting)
            except (WenhenError, ValidationError, ValueError) as error:  # of another release, or under another key
                logger.warning("the stored setting %s is left out: %s", setting.id, type(error).__name__)
        self._values = values

    def _decode(self, setting: StoredSetting) -> Any:
        if setting.id not in SETTABLE:
            raise ValueError(setting.id)
        kind, name, _ = setting_field(setting.id)
        return getattr(kind(**{name: decode_setting(self._seal, setting)}), name)


class LiveSettings:
    """Settings whose sections hold what was changed on screen, where neither environment nor file sets it.

    It stands in for `Settings`. Iterating yields the settings of environment and file alone, as child processes read
    what is stored themselves.
    """

    def __init__(self, base: Settings, stored: StoredValues) -> None:
        self._base, self._stored = base, stored
        fixed = {name: value for name, value in base if name not in SETTABLE_SECTIONS}
        self.__dict__.update(fixed)  # sections that nobody changes on screen cost nothing

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in ("_base", "_stored"):
            raise AttributeError(name)
        value = getattr(self._base, name)
        return _overlay(value, self._stored.of(name)) if name in SETTABLE_SECTIONS else value

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        return iter(self._base)

    def model_copy(self, **given: Any) -> Settings:
        """Return a copy with changes, which holds what was changed on screen as well."""
        return live_settings(self._base.model_copy(**given), self._stored)

    def snapshot(self) -> Settings:
        """Return plain settings with the present values."""
        return self._base.model_copy(update={name: getattr(self, name) for name in SETTABLE_SECTIONS})

    @property
    def base(self) -> Settings:
        """Return the settings of environment and file alone."""
        return self._base


def live_settings(settings: Settings, stored: StoredValues) -> Settings:
    """Return settings that follow what is changed on screen."""
    return cast("Settings", LiveSettings(plain_settings(settings), stored))


def plain_settings(settings: Settings) -> Settings:
    """Return the settings of environment and file alone."""
    return settings.base if isinstance(settings, LiveSettings) else settings


def present_settings(settings: Settings) -> Settings:
    """Return plain settings with the present values, for a process that has no store."""
    return settings.snapshot() if isinstance(settings, LiveSettings) else settings


def _overlay(section: Section, stored: dict[str, Any]) -> Section:
    """Return the section with the stored values. Those that environment or file sets stay, and count as set."""
    names = section.model_fields_set
    values = {name: value for name, value in stored.items() if name not in names}
    if not values:
        return section
    every = {name: getattr(section, name) for name in type(section).model_fields}
    return type(section).model_construct(_fields_set=set(names), **every | values)
