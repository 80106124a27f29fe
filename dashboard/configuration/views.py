"""Show and change settings, and try the servers that they name."""

from collections.abc import Callable, Mapping
from typing import Final

from flask import Blueprint, Response, abort, render_template, request

from dashboard.frame.context import current_actor, language, shows_refusal, t, value_name
from dashboard.frame.requests import redirect_to
from dashboard.frame.security import limiter, needs
from wenhen.configuration.model import GROUPS, SettingKind, ShownSetting
from wenhen.configuration.service import change_settings, show_settings
from wenhen.configuration.trials import (
    ServerTrial,
    try_authorities,
    try_backup_target,
    try_mail_in,
    try_mail_out,
    try_provider,
)
from wenhen.context.use_cases import Acting
from wenhen.kit.errors import Conflict, Message
from wenhen.kit.rights import Right, Role

settings_blueprint = Blueprint("settings", __name__, url_prefix="/settings")

_TRIALS: Final[Mapping[str, Callable[[Acting], ServerTrial]]] = {
    "mail_in": try_mail_in,
    "evidence": try_authorities,
    "sign_in": try_provider,
    "backup": try_backup_target,
}


@settings_blueprint.get("/")
@needs(Right.SETTINGS)
def show() -> str:
    """Show all settings by group."""
    return _render_settings()


def _render_settings(refusal: Message | None = None, group: str | None = None) -> str:
    """Render all groups. The refused one shows what was given, but for secrets."""
    return render_template(
        "configuration/settings.html",
        groups=show_settings(current_actor()),
        refused=group,
        refusal=refusal and _with_label(refusal).text(language()),
        form=request.form,
        trials=("mail_out", *_TRIALS),
        roles=list(Role),
        about=_about,
    )


@settings_blueprint.post("/<string:group>")
@needs(Right.SETTINGS)
@shows_refusal(_render_settings, Conflict, conflict=409)
def change(group: str) -> Response:
    """Store the settings of a group."""
    if group not in GROUPS:
        abort(404)
    given = {
        setting.id: _given_value(setting)
        for setting in show_settings(current_actor())[group]
        if setting.fixed_by is None
    }
    changed = change_settings(current_actor(), group, given)
    return redirect_to("settings.show", t("settings.saved" if changed else "settings.unchanged"), _anchor=group)


@settings_blueprint.post("/<string:group>/try")
@needs(Right.SETTINGS)
@limiter.limit("20 per minute")
@shows_refusal(_render_settings)
def attempt(group: str) -> Response | tuple[str, int]:
    """Try the server of a group with the stored settings."""
    if group == "mail_out":
        trial = try_mail_out(current_actor(), request.form.get("to", "").strip())
    elif group in _TRIALS:
        trial = _TRIALS[group](current_actor())
    else:
        abort(404)
    if not trial.worked:
        return _render_settings(trial.said, group), 502
    return redirect_to("settings.show", trial.said.text(language()), _anchor=group)


def _given_value(setting: ShownSetting) -> object:
    form = request.form
    if setting.kind is SettingKind.YES_NO:
        return setting.id in form
    if setting.kind is SettingKind.ROLES:
        return tuple(form.getlist(setting.id))
    if setting.kind is SettingKind.LINES:
        return [line.strip() for line in form.get(setting.id, "").splitlines() if line.strip()]
    if setting.kind is SettingKind.SECRET:
        return None if f"clear:{setting.id}" in form else form.get(setting.id, "")
    return form.get(setting.id, "").strip()


def _with_label(refusal: Message) -> Message:
    """Return the message with the label of the setting in place of its id."""
    id = refusal.figures.get("setting")
    return Message(refusal.code, {**refusal.figures, "setting": value_name("setting", str(id))}) if id else refusal


def _about(id: str) -> str:
    """Return what has to be known of a setting beside its label, if anything."""
    words = value_name("setting_about", id)
    return "" if words == id else words
