"""Show settings, and change those that neither the environment nor the file sets."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pydantic import SecretStr, ValidationError
from pydantic_core import ErrorDetails

from wenhen.configuration.model import (
    GROUPS,
    SENT_TO,
    SETTABLE,
    SettingKind,
    ShownSetting,
    StoredSetting,
    setting_bound,
    setting_choices,
    setting_field,
    setting_kind,
)
from wenhen.context.use_cases import Acting, AuditLine, ChangeResult, Product, audited, change_result
from wenhen.kit.errors import BadInput, Conflict, NotFound
from wenhen.kit.rights import Right
from wenhen.kit.sealed_secrets import Seal


def show_settings(acting: Acting) -> dict[str, list[ShownSetting]]:
    """Return all settings that can be changed on screen, by group. Raises `Forbidden`."""
    acting.require(Right.SETTINGS)
    product = acting.product
    stored = {setting.id: setting for setting in product.store.stored_settings.all()}
    return {group: [_show(product, id, stored.get(id)) for id in ids] for group, ids in GROUPS.items()}


@audited("settings.change")
def change_settings(acting: Acting, group: str, given: Mapping[str, object]) -> ChangeResult[list[str]]:
    """Store the given values of a group, and return the ids of those that changed.

    A value that equals the default is no longer stored. An empty secret stays as it is, and None removes it. A secret
    is dropped when the server that it is sent to changes, unless it is given again.

    Raises `NotFound` for an unknown group, `BadInput` for an invalid value, `Conflict` for a setting that the
    environment or the file sets, `Forbidden`.
    """
    acting.require(Right.SETTINGS)
    product = acting.product
    if group not in GROUPS:
        raise NotFound("settings.no_group", group=group)
    product.setting_sources.refresh()  # compare with what is stored now
    values = {id: _checked_value(id, given[id]) for id in GROUPS[group] if id in given and given[id] != ""}
    values |= {id: _checked_value(id, "") for id in GROUPS[group] if given.get(id) == "" and not _is_secret(id)}
    changed = {id: value for id, value in values.items() if value != _present_value(product, id)}
    for secret, servers in SENT_TO.items():
        if secret not in values and changed.keys() & set(servers) and _present_value(product, secret) is not None:
            changed[secret] = None
    for id in changed:
        if origin := fixed_by(product, id):
            raise Conflict("settings.fixed", setting=id, where=origin)
    lines = [_store(acting, id, value) for id, value in changed.items()]
    product.setting_sources.refresh()
    return change_result(list(changed), *lines)


def fixed_by(product: Product, id: str) -> str | None:
    """Return the variable or file that sets a setting, or None.

    Where a secret is fixed, the server that it is sent to is fixed as well.
    """
    secrets = [secret for secret, servers in SENT_TO.items() if id in servers]
    for name in (id, *secrets):
        section, _, part = name.partition(".")
        if part in getattr(product.settings, section).model_fields_set:
            return product.setting_sources.origin(section, part)
    return None


def decode_setting(seal: Seal, setting: StoredSetting) -> Any:
    """Return the stored value as JSON has it. Raises `SetupError` for a secret that no key decrypts."""
    sealed = _is_secret(setting.id)
    return json.loads(seal.open_sealed(setting.value, setting_owner(setting.id)) if sealed else setting.value)


def reseal_setting(product: Product, setting: StoredSetting) -> bool:
    """Encrypt a stored secret under the current key. Return whether it changed."""
    if not _is_secret(setting.id):
        return False
    value = product.seal.reseal(setting.value, setting_owner(setting.id))
    if value != setting.value:
        product.store.stored_settings.put(replace(setting, value=value))
    return value != setting.value


def setting_owner(id: str) -> str:
    """Return the owner under which a secret is sealed."""
    return f"setting:{id}"


def _show(product: Product, id: str, stored: StoredSetting | None) -> ShownSetting:
    _, _, field = setting_field(id)
    value = _present_value(product, id)
    secret = _is_secret(id)
    return ShownSetting(
        id=id,
        kind=setting_kind(field),
        value=None if secret else value,
        is_set=value not in (None, "", [], ()),
        fixed_by=fixed_by(product, id),
        choices=setting_choices(field),
        least=setting_bound(field, "ge", "gt"),
        most=setting_bound(field, "le", "lt"),
        stored=stored,
    )


def _present_value(product: Product, id: str) -> Any:
    section, _, name = id.partition(".")
    return getattr(getattr(product.settings, section), name)


def _is_secret(id: str) -> bool:
    return id in SETTABLE and setting_kind(setting_field(id)[2]) is SettingKind.SECRET


def _checked_value(id: str, value: object) -> Any:
    """Return the value that the setting gets. Raises `BadInput`."""
    kind, name, field = setting_field(id)
    if value is None or (value == "" and field.default is None):
        return field.get_default(call_default_factory=True)
    try:
        return getattr(kind(**{name: value}), name)
    except ValidationError as error:
        raise _refusal(id, error.errors()[0]) from None


def _refusal(id: str, details: ErrorDetails) -> BadInput:
    field = setting_field(id)[2]
    if setting_kind(field) is SettingKind.NUMBER:
        least, most = setting_bound(field, "ge", "gt"), setting_bound(field, "le", "lt")
        if most is not None:
            return BadInput("settings.number_between", setting=id, least=f"{least or 0:g}", most=f"{most:g}")
        return BadInput("settings.number_from", setting=id, least=f"{least or 0:g}")
    if details["type"] == "string_pattern_mismatch":
        return BadInput("settings.form", setting=id)
    return BadInput("settings.invalid", setting=id, reason=details["msg"])


def _store(acting: Acting, id: str, value: Any) -> AuditLine:
    """Store a value, or remove it if it is the default, and return the audit line. Secrets stand in no audit log."""
    product, field = acting.product, setting_field(id)[2]
    old = _present_value(product, id)
    if value == field.get_default(call_default_factory=True):
        product.store.stored_settings.remove(id)
    else:
        written = json.dumps(_to_json(value), ensure_ascii=False)
        if _is_secret(id):
            written = product.seal.seal(written, setting_owner(id))
        product.store.stored_settings.put(
            StoredSetting(id=id, value=written, changed_at=product.now(), changed_by=acting.who)
        )
    if _is_secret(id):
        return AuditLine(f"setting:{id}", *("***" if part else None for part in (old, value)))
    return AuditLine(f"setting:{id}", *(json.dumps(_to_json(part), ensure_ascii=False) for part in (old, value)))


def _to_json(value: Any) -> Any:
    if isinstance(value, SecretStr):
        return value.get_secret_value()
    return list(value) if isinstance(value, tuple) else value
