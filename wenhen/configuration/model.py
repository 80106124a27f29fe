"""Define which settings can be changed on screen, in which groups, and how each is entered."""

import types
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Final, Literal, Union, get_args, get_origin

from pydantic import SecretStr
from pydantic.fields import FieldInfo

from wenhen.kit.rights import Role
from wenhen.settings import Section
from wenhen.settings.all_sections import CoreSettings

# By group of the screen. Settings that name files or programs of the server are left out: who may sign in as an
# administrator must not thereby read files or start programs. The target of backups only gets new folders. Settings
# that are only read at the start are left out too.
GROUPS: Final[Mapping[str, tuple[str, ...]]] = {
    "mail_out": (
        *("notice.smtp", "notice.smtp_tls", "notice.smtp_user", "notice.smtp_password", "notice.sender"),
        "dashboard.address",
    ),
    "mail_in": (
        *("notice.imap", "notice.imap_tls", "notice.imap_user", "notice.imap_password"),
        *("notice.imap_folder", "notice.imap_minutes"),
    ),
    "reports": ("report.holder", "report.contact", "report.letterhead", "report.colophon"),
    "notices": (
        *("notice.two_persons", "notice.grounds", "notice.counter_days", "notice.counter_delay"),
        *("notice.counter_source", "dossier.rate", "dossier.rate_source"),
    ),
    "crawling": (
        *("crawler.user_agent", "crawler.contact", "crawler.delay", "crawler.internal_delay", "crawler.concurrency"),
        *("crawler.timeout", "crawler.retries", "crawler.obey_robots"),
    ),
    "duties": ("dashboard.second_factor_for", "schedule.daily_at", "schedule.crawls", "schedule.quiet"),
    "evidence": ("evidence.by_itself", "evidence.authorities", "evidence.ntp", "evidence.public_address"),
    "sign_in": (
        *("signin.issuer", "signin.client", "signin.secret", "signin.label", "signin.scopes", "signin.name_claim"),
        *("signin.groups_claim", "signin.header", "signin.groups_header", "signin.trusted", "signin.sign_out"),
        *("signin.roles", "signin.newcomers", "signin.adopt", "signin.second_factor"),
    ),
    "retention": ("keep.days", "report.keep_days"),
    "backup": ("backup.target", "backup.late_days"),
}
SETTABLE: Final = frozenset(id for ids in GROUPS.values() for id in ids)
SETTABLE_SECTIONS: Final = frozenset(id.partition(".")[0] for id in SETTABLE)
# A stored secret is only sent to the server that it was given for: it is dropped when one of these changes.
SENT_TO: Final[Mapping[str, tuple[str, ...]]] = {
    "notice.smtp_password": ("notice.smtp", "notice.smtp_tls", "notice.smtp_user"),
    "notice.imap_password": ("notice.imap", "notice.imap_tls", "notice.imap_user"),
    "signin.secret": ("signin.issuer", "signin.client"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSetting:
    """A setting that was changed on screen. id: section.name."""

    id: str
    value: str = field(repr=False)  # JSON; that of a secret is sealed
    changed_at: datetime
    changed_by: str


class SettingKind(StrEnum):
    """How a setting is entered."""

    TEXT = "text"
    NUMBER = "number"
    YES_NO = "yes_no"
    CHOICE = "choice"
    LINES = "lines"  # a list, one entry a line
    ROLES = "roles"
    SECRET = "secret"  # noqa: S105  a kind, and no secret


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownSetting:
    """A setting with what a form needs. The value of a secret is never in it."""

    id: str
    kind: SettingKind
    value: Any
    is_set: bool  # for a secret: whether there is one
    fixed_by: str | None  # the variable or file that sets it
    choices: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None
    stored: StoredSetting | None = None


def setting_field(id: str) -> tuple[type[Section], str, FieldInfo]:
    """Return the section, the name and the field of a setting."""
    section, _, name = id.partition(".")
    kind = CoreSettings.model_fields[section].annotation
    assert isinstance(kind, type)
    assert issubclass(kind, Section)
    return kind, name, kind.model_fields[name]


def setting_kind(setting: FieldInfo) -> SettingKind:
    """Return how a field is entered."""
    hint = _inner_type(setting.annotation)
    kinds: dict[Any, SettingKind] = {
        bool: SettingKind.YES_NO,
        int: SettingKind.NUMBER,
        float: SettingKind.NUMBER,
        SecretStr: SettingKind.SECRET,
        tuple[Role, ...]: SettingKind.ROLES,
    }
    if get_origin(hint) in (Literal, list):
        return SettingKind.CHOICE if get_origin(hint) is Literal else SettingKind.LINES
    return kinds.get(hint, SettingKind.TEXT)


def setting_choices(setting: FieldInfo) -> tuple[str, ...]:
    """Return the values that a choice has."""
    hint = _inner_type(setting.annotation)
    return tuple(map(str, get_args(hint))) if get_origin(hint) is Literal else ()


def setting_bound(setting: FieldInfo, *names: str) -> float | None:
    """Return the bound of a number by the names that a constraint may have."""
    bounds = (getattr(constraint, name, None) for constraint in setting.metadata for name in names)
    return next((float(bound) for bound in bounds if bound is not None), None)


def _inner_type(hint: Any) -> Any:
    """Return the type without its None."""
    if get_origin(hint) in (Union, types.UnionType):
        return next(part for part in get_args(hint) if part is not types.NoneType)
    return hint
