"""Who holds the rights in works."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """A rights holder, named as the works' owner; what a notice has to say of it, and the places that are its own."""

    id: str  # the name, as `Work.owner` has it
    contact: str | None = None  # a person, telephone, mail
    address: str | None = None  # postal
    sites: tuple[str, ...] = ()  # host or host/path without scheme: its works are at home there
