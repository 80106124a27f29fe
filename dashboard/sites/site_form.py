"""The form of a site: its settings as text, one field each, and what was wrong with them by the names of the fields."""

from collections.abc import Mapping
from typing import Final

from flask import request

from dashboard.frame.language import catalogue, language, t
from dashboard.frame.permissions import may
from store.messages import Message
from store.records import Site
from store.rules.role_rights import Right

TRUTHS: Final = ("render", "paused")  # boxes to tick
FIELDS: Final = (
    *("urls", "name", "hosts", "layout", "every", "cron", "quiet", "include", "exclude", "max_pages", "max_depth"),
    *("delay", "concurrency", "kind", "headers", "text_at", "mirrors", "tags", "notes"),
)


# What several sites can be given at once, with the key of its words.
TOGETHER: Final = {
    name: f"sites.{name}"
    for name in (
        *("every", "cron", "quiet", "max_pages", "max_depth", "delay", "concurrency"),
        *("layout", "include", "exclude", "headers", "text_at", "kind", "tags"),
    )
} | {"render": "sites.set_render"}


def filled() -> dict[str, str]:
    """What was sent: fields that the form did not have are not in it, boxes that are not ticked say no."""
    written = {name: request.form[name].strip() for name in FIELDS if name in request.form}
    boxes = (*TRUTHS, "internal") if may(Right.ACCESS) else TRUTHS
    return written | {name: "yes" if request.form.get(name) else "no" for name in boxes}


def written(site: Site) -> Mapping[str, str]:
    """A site as its form shows it."""
    return {
        "urls": "\n".join(site.start_urls),
        "name": site.name,
        "hosts": " ".join(site.hosts),
        "layout": str(site.layout),
        "every": f"{site.interval_hours:g}",
        "cron": site.cron or "",
        "quiet": site.quiet or "",
        "include": "\n".join(site.include),
        "exclude": "\n".join(site.exclude),
        "max_pages": str(site.max_pages),
        "max_depth": str(site.max_depth),
        "delay": "" if site.delay is None else f"{site.delay:g}",
        "concurrency": "" if site.concurrency is None else str(site.concurrency),
        "kind": site.kind or "",
        "tags": " ".join(site.tags),
        "notes": site.notes,
        "headers": site.header_profile,
        "text_at": site.text_at or "",
        "mirrors": " ".join(site.mirrors),
        "render": "yes" if site.render else "",
        "internal": "yes" if site.internal else "",
        "paused": "yes" if site.paused else "",
    }


def told(message: Message) -> str:
    """Why a site, or the way to it, was refused; of one setting, behind the name that the form gives it."""
    setting, reason = (message.figures.get(name) for name in ("setting", "reason"))
    if setting is not None and isinstance(reason, Message):
        return f"{_label(str(setting))} — {reason.text(language())}"
    return message.text(language())


def _label(setting: str) -> str:
    keys = (f"sites.{setting}", f"sites.set_{setting}")
    return t(next(key for key in keys if key in catalogue().entries))
