"""Where what kept a notice from being sent is put right."""

from flask import url_for

from store.messages import Message


def mending(refusal: Message) -> str | None:
    """The address of the form; None for a refusal that no form puts right."""
    holder = refusal.figures.get("holder")
    if refusal.code == "holders.not_ready" and isinstance(holder, str):
        return url_for("holders.show", name=holder, _anchor="one")
    return None
